// Runs the unit tests: bundles every test/*_test.ts (esbuild comes with Vite) for Node's test runner, because Node 18
// reads no TypeScript.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../../build/ui/test", import.meta.url));
mkdirSync(out, { recursive: true });
const names = readdirSync(here).filter((name) => name.endsWith("_test.ts"));
await build({
  entryPoints: names.map((name) => here + name), outdir: out, outExtension: { ".js": ".mjs" },
  bundle: true, platform: "node", format: "esm", jsx: "automatic", jsxImportSource: "preact", logLevel: "warning",
});
const run = spawnSync(process.execPath, ["--test", ...names.map((name) => `${out}/${name.replace(/\.ts$/, ".mjs")}`)], { stdio: "inherit" });
process.exit(run.status ?? 1);
