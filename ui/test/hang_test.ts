// Tests how the picture of a hang is read from its table: a tree from each root, and circles beside it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell, Table } from "../src/data/report";
import { waitTreeOf } from "../src/views/wait_nodes";

const kKeys = ["ranks", "count", "waiting", "waits_for", "awaited", "group", "operation", "why", "layer", "root"];

const tableOf = (...rows: Cell[][]): Table =>
  ({ key: "wait_groups", title: "T", columns: kKeys.map((key) => ({ key, title: key, unit: "", role: "value" })), rows }) as unknown as Table;

test("ranks hang below those that they wait for", () => {
  const tree = waitTreeOf(tableOf(
    ["6, 22, ...", 127, 127, "14", 1, "dp", "all_reduce", "not arrived", 1, "root"],
    ["8, 9", 2, 2, "14", 1, "tp", "all_gather", "not arrived", 1, "root"],
    ["0, 1, ...", 889, 889, "6, 22, ...", 127, "tp", "all_gather", "not arrived", 2, null],
  ));
  assert.deepEqual(tree.nodes.map(({ ranks, count, depth, parent, root }) => [ranks, count, depth, parent, root]), [
    ["14", 1, 0, -1, "root"], ["6, 22, ...", 127, 1, 0, ""], ["0, 1, ...", 889, 2, 1, ""], ["8, 9", 2, 1, 0, ""],
  ]);
  assert.deepEqual(tree.others, []);
});

test("roots of a circle stand side by side", () => {
  const tree = waitTreeOf(tableOf(
    ["0", 1, 1, "1", 1, "pp", "recv", "message not posted", 0, "root"],
    ["1", 1, 1, "0", 1, "pp", "recv", "message not posted", 0, "root"],
    ["2", 1, 1, "0", 1, "dp", "all_reduce", "not arrived", 1, "root"],
    ["2", 1, 1, "1", 1, "dp", "all_reduce", "not arrived", 1, "root"],
  ));
  assert.deepEqual(tree.nodes.map(({ ranks, depth }) => [ranks, depth]), [["0", 0], ["2", 1], ["1", 0]]);
  assert.equal(tree.others.length, 3);
});
