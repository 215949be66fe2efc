// Tests how the picture of a hang is read from its table: a tree from each root, and circles beside it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell, Table } from "../src/data/report";
import { waitTreeOf } from "../src/views/wait_nodes";

const kKeys = ["ranks", "waiting", "waits_for", "awaited", "each", "group", "operation", "why", "layer", "root", "from", "from_count", "to", "to_count"];

const tableOf = (...rows: Cell[][]): Table =>
  ({ key: "wait_groups", title: "T", columns: kKeys.map((key) => ({ key, title: key, unit: "", role: "value" })), rows }) as unknown as Table;

// All ranks of the group `from` wait for all of `to`.
const waits = (from: string, count: number, to: string, awaited: number, group: string, operation: string, why: string, layer: number, root: string | null): Cell[] =>
  [from, count, to, awaited, awaited, group, operation, why, layer, root, from, count, to, awaited];

test("ranks hang below those that they wait for", () => {
  const tree = waitTreeOf(tableOf(
    waits("6, 22, ...", 127, "14", 1, "dp", "all_reduce", "not arrived", 1, "root"),
    waits("8, 9", 2, "14", 1, "tp", "all_gather", "not arrived", 1, "root"),
    waits("0, 1, ...", 889, "6, 22, ...", 127, "tp", "all_gather", "not arrived", 2, null),
  ));
  assert.deepEqual(tree.nodes.map(({ ranks, count, depth, parent, root }) => [ranks, count, depth, parent, root]), [
    ["14", 1, 0, -1, "root"], ["6, 22, ...", 127, 1, 0, ""], ["0, 1, ...", 889, 2, 1, ""], ["8, 9", 2, 1, 0, ""],
  ]);
  assert.deepEqual(tree.others, []);
});

test("roots of a circle stand side by side", () => {
  const tree = waitTreeOf(tableOf(
    waits("0", 1, "1", 1, "pp", "recv", "message not posted", 0, "root"),
    waits("1", 1, "0", 1, "pp", "recv", "message not posted", 0, "root"),
    waits("2", 1, "0", 1, "dp", "all_reduce", "not arrived", 1, "root"),
    waits("2", 1, "1", 1, "dp", "all_reduce", "not arrived", 1, "root"),
  ));
  assert.deepEqual(tree.nodes.map(({ ranks, depth }) => [ranks, depth]), [["0", 0], ["2", 1], ["1", 0]]);
  assert.equal(tree.others.length, 3);
});

test("roots that no wait leads to are shown, and links name only those that wait", () => {
  const tree = waitTreeOf(tableOf(
    ["1", 1, "9", 1, 1, "pp", "recv", "message not posted", 1, "perhaps", "1, 6", 2, "9", 1],
    [null, 0, "3", 1, 0, null, null, null, 0, "perhaps", null, 0, "3", 1],
  ));
  assert.deepEqual(tree.nodes.map(({ ranks, root }) => [ranks, root]), [["9", "perhaps"], ["1, 6", ""], ["3", "perhaps"]]);
  assert.deepEqual(tree.links.map(({ ranks, waits_for }) => [ranks, waits_for]), [["1", "9"]]);
});
