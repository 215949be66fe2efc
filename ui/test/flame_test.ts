// Tests flame graphs: from paths to boxes, for one run and for two.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell, Column, Table } from "../src/data/report";
import { boxBeside, layOut, toneOf, treeOf, type Box, type Node } from "../src/views/flame_layout";

const key = (name: string): Column => ({ key: name, title: name, unit: "", role: "key" });
const time = (name: string): Column => ({ key: name, title: name, unit: "ns", role: "value" });
const table = (columns: Column[], rows: Cell[][]): Table => ({ key: "tree", title: "T", columns, rows });
const one = (rows: Cell[][]): Table => table([key("path"), key("name"), time("total")], rows);
const two = (rows: Cell[][]): Table => table([key("path"), key("name"), time("total_a"), time("total_b")], rows);

const nodeAt = (roots: readonly Node[], ...names: string[]): Node => {
  const [first, ...rest] = names, node = roots.find(({ name }) => name === first)!;
  return rest.length > 0 ? nodeAt(node.children, ...rest) : node;
};
// "name depth from..to" with hundredths.
const drawn = (boxes: readonly Box[]): string[] =>
  boxes.map(({ node, depth, from, share }) => `${node.name} ${depth} ${Math.round(100 * from)}..${Math.round(100 * (from + share))}`);

test("paths become a tree, also where names hold the separator", () => {
  const tree = treeOf(one([["a", "a", 9], ["a;b;c", "b;c", 4], ["a;b;c;d", "d", 1], ["e", "e", 2]]));
  assert.deepEqual(tree.map((node) => node.name), ["a", "e"]);
  assert.equal(nodeAt(tree, "a", "b;c", "d").total, 1);
});

test("boxes are as wide as their time, children from the left of their caller", () => {
  const tree = treeOf(one([["a", "a", 60], ["a;b", "b", 30], ["a;b;d", "d", 30], ["a;c", "c", 15], ["e", "e", 40]]));
  assert.deepEqual(drawn(layOut(tree, null)), ["a 0 0..60", "b 1 0..30", "d 2 0..30", "c 1 30..45", "e 0 60..100"]);
});

test("what is looked into has the whole width, and its callers above it", () => {
  const tree = treeOf(one([["a", "a", 60], ["a;b", "b", 30], ["a;b;d", "d", 15], ["e", "e", 40]]));
  assert.deepEqual(drawn(layOut(tree, nodeAt(tree, "a", "b"))), ["a 0 0..100", "b 1 0..100", "d 2 0..50"]);
});

test("what is narrower than a thousandth is left out, with what it calls", () => {
  const tree = treeOf(one([["a", "a", 10_000], ["b", "b", 5], ["b;c", "c", 5]]));
  assert.deepEqual(drawn(layOut(tree, null)), ["a 0 0..100"]);
});

test("of two runs the width is that of the longer, and children never stand out", () => {
  // b moved from one operator to another: beside one another they need more than their caller took in any run.
  const tree = treeOf(two([["a", "a", 60, 50], ["a;b", "b", 50, 10], ["a;c", "c", 10, 40], ["e", "e", 10, null], ["f", "f", null, 20]]));
  assert.deepEqual(drawn(layOut(tree, null)), ["a 0 0..75", "b 1 0..42", "c 1 42..75", "e 0 75..83", "f 0 83..100"]);
});

test("times of nothing, and tables of nothing, draw nothing", () => {
  assert.deepEqual(layOut(treeOf(one([])), null), []);
  assert.deepEqual(layOut(treeOf(one([["a", "a", 0], ["b", "b", null]])), null), []);
});

test("arrow keys go to callers, to what is called, and along the row", () => {
  const tree = treeOf(one([["a", "a", 60], ["a;b", "b", 30], ["a;c", "c", 15], ["e", "e", 40], ["e;f", "f", 40]]));
  const boxes = layOut(tree, null), at = (name: string): Box => boxes.find(({ node }) => node.name === name)!;
  const to = (name: string, press: string): string | undefined => boxBeside(boxes, at(name), press)?.node.name;
  assert.deepEqual([to("a", "ArrowDown"), to("b", "ArrowUp"), to("b", "ArrowRight"), to("c", "ArrowRight")], ["b", "a", "c", "f"]);
  assert.deepEqual([to("f", "Home"), to("a", "End"), to("e", "ArrowLeft")], ["b", "e", "a"]);
  assert.deepEqual([to("a", "ArrowUp"), to("a", "ArrowLeft"), to("f", "ArrowDown"), to("a", "x")], [undefined, undefined, undefined, undefined]);
});

test("what became of an operator: its tone says which way and whether by much", () => {
  const tones = [[100, 100], [100, 100.9], [1000, 1050], [100, 110], [1000, 950], [100, 50], [0, 5], [null, 5], [5, null]] as const;
  const compared = two(tones.map(([a, b], i) => [`o${i}`, `o${i}`, a, b]));
  assert.deepEqual(treeOf(compared).map((node) => toneOf(compared, node)),
    ["", "", "longer", "much longer", "shorter", "much shorter", "much longer", "new", "gone"]);
});
