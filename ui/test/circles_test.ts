// Tests that no modules of the page import one another in a circle, types included.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

type Imports = ReadonlyMap<string, readonly string[]>;

const kImport = /^(?:import|export)\s(?:[^;"]*?\sfrom\s)?"(\.[^"]*)"/gm;

function importsOf(root: string): Imports {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name)).map((name) => join(root, name));
  const resolve = (from: string, to: string) =>
    ["", ".ts", ".tsx", "/index.ts", "/index.tsx"].map((end) => join(dirname(from), to) + end).find((path) => /\.tsx?$/.test(path) && existsSync(path));
  return new Map(files.map((file) => [file, [...readFileSync(file, "utf8").matchAll(kImport)].flatMap(([, to]) => resolve(file, to!) ?? [])]));
}

// The first circle that a depth-first walk meets, as the path around it.
function circleIn(imports: Imports): readonly string[] | null {
  const done = new Set<string>(), path: string[] = [];
  const walk = (file: string): readonly string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    path.push(file);
    for (const next of imports.get(file) ?? []) {
      const circle = walk(next);
      if (circle) return circle;
    }
    path.pop();
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const circle = walk(file);
    if (circle) return circle;
  }
  return null;
}

test("modules import one another without a circle", () => {
  const imports = importsOf("src");
  const edges = [...imports.values()].reduce((sum, list) => sum + list.length, 0);
  assert.ok(imports.size > 80 && edges > 3 * imports.size, `${edges} imports of ${imports.size} modules were found`);
  assert.equal(circleIn(imports)?.join(" -> ") ?? "none", "none");
});

test("a circle is found", () => {
  assert.deepEqual(circleIn(new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", []], ["d", ["b"]]])), ["b", "d", "b"]);
});
