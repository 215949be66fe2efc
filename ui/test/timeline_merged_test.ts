// Tests the table that two runs' areas make together.
import assert from "node:assert/strict";
import test from "node:test";
import type { Cell, Table } from "../src/data/report";
import { kBesideKey, mergedTable, mergedTables } from "../src/timeline/merged";

const named = (rows: readonly Cell[][], key = "events"): Table => ({
  key, title: "Events by name",
  columns: [
    { key: "name", title: "name", unit: "", role: "key" }, { key: "count", title: "events", unit: "count", role: "value" },
    { key: "sum", title: "sum", unit: "ns", role: "value" }, { key: "mean", title: "mean", unit: "ns", role: "value" }, { key: "share", title: "share", unit: "ratio", role: "value" },
  ],
  rows,
});

const cell = (table: Table, name: string, key: string): Cell => table.rows.find((row) => row[0] === name)![table.columns.findIndex((column) => column.key === key)]!;

test("rows of one name are one row with what was before, what is after, and the difference, the largest first", () => {
  const before = named([["gemm", 10, 100, 10, 0.5], ["relu", 4, 40, 10, 0.25]]), after = named([["relu", 4, 44, 11, 0.2], ["gemm", 10, 150, 15, 0.75]]);
  const merged = mergedTable(before, after, "both");
  assert.deepEqual(merged.rows.map(([name]) => name), ["gemm", "relu"]);
  assert.deepEqual(["sum_a", "sum_b", "sum_change", "sum_change_ratio", "mean_change", "share_change"].map((key) => cell(merged, "gemm", key)), [100, 150, 50, 0.5, 5, 0.25]);
  assert.deepEqual(merged.columns.filter(({ key }) => key.startsWith("sum")).map(({ title }) => title), ["sum, before", "sum, after", "sum, after - before", "sum, change"]);
  assert.equal(merged.columns.find(({ key }) => key === "share_change")?.unit, "ratio_difference");
});

test("what one run does not have changed by all of it, but has no mean", () => {
  const merged = mergedTable(named([["old", 2, 20, 10, 1]]), named([["new", 1, 5, 5, 1]]), "both");
  assert.deepEqual(["sum_a", "sum_b", "sum_change", "mean_change"].map((key) => cell(merged, "new", key)), [null, 5, 5, null]);
  assert.deepEqual(["sum_a", "sum_b", "sum_change", "sum_change_ratio", "mean_change"].map((key) => cell(merged, "old", key)), [20, null, -20, -1, null]);
});

test("tracks of the same rank and name are one, whatever their number; paths keep callers before callees", () => {
  const tracks = (id: number): Table => ({ key: "events", title: "", columns: [{ key: "track", title: "", unit: "", role: "key" }, { key: "name", title: "", unit: "", role: "key" }, { key: "sum", title: "sum", unit: "ns", role: "value" }], rows: [[id, "stream 7", id]] });
  assert.deepEqual(mergedTable(tracks(3), tracks(9), "").rows, [["stream 7", 3, 9, 6, 2]]);
  const stacks = (rows: Cell[][]): Table => ({ key: "stacks", title: "", columns: [{ key: "path", title: "", unit: "", role: "key" }, { key: "total", title: "total", unit: "ns", role: "value" }], rows });
  assert.deepEqual(mergedTable(stacks([["a", 1], ["a;c", 9]]), stacks([["a", 1], ["a;b", 2]]), "").rows.map(([path]) => path), ["a", "a;b", "a;c"]);
});

test("the tables of two runs are one where both have it", () => {
  const one = named([["gemm", 1, 1, 1, 1]]), other = { ...one, key: `events${kBesideKey}` };
  assert.deepEqual(mergedTables([one, other], "both").map(({ key, title }) => [key, title]), [["events", "both"]]);
  assert.deepEqual(mergedTables([other], "both"), [other]);
  assert.deepEqual(mergedTables([one], "both"), [one]);
});
