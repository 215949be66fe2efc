// `./dev ui-test`: bundles the browser tests and runs them.
//
//   node run.mjs STEPSCOPE SCREENSHOTS [TRACES...]
//
// Where the bundle lies matters: from ui/node_modules it finds playwright-core and axe-core.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../node_modules/.e2e", import.meta.url));
const only = process.env.ONLY ?? "";  // "capture" for capture_test.ts alone
const all = readdirSync(here).filter((name) => name.endsWith("_test.ts") && (only === "" || name === `${only}_test.ts`));
// With STEPSCOPE_HALF, 0 or 1, every other file.
const half = process.env.STEPSCOPE_HALF ?? "";
const names = half === "" ? all : all.sort().filter((_, i) => i % 2 === Number(half));
if (half !== "") console.log(`half ${half} of 0 and 1: ${names.join(", ")}`);
await build({
  entryPoints: names.map((name) => here + name), outdir: out, outExtension: { ".js": ".mjs" },
  bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "warning",
});
const [stepscope, screenshots, ...traces] = process.argv.slice(2);
const files = names.map((name) => `${out}/${name.replace(/\.ts$/, ".mjs")}`);
// The wheel's, where `./dev wheel --test` has installed it: it alone takes analyses in Python.
const wheel = fileURLToPath(new URL("../../build/python/test-venv/bin/stepscope", import.meta.url));
const env = { STEPSCOPE_OF_WHEEL: existsSync(wheel) ? wheel : "",  ...process.env, STEPSCOPE: stepscope, SCREENSHOTS: screenshots, TRACES: traces.join(":") };
const test = (...args) => spawnSync(process.execPath, ["--test", ...args], { stdio: "inherit", env }).status ?? 1;
// One file at a time, each with the processors to itself; before 20.10 Node has no word for that.
const [major, minor] = process.versions.node.split(".").map(Number);
const knows = major > 20 || (major === 20 && minor >= 10);
process.exit(knows ? test("--test-concurrency=1", ...files) : Math.max(...files.map((file) => test(file))));
