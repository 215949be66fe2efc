// Tests pictures of 10,000 ranks: grids as the server packs them, bands in which one slow rank is seen, zoom, order; and places of errors
// in SQL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeGrid, withCuts } from "../src/data/grid";
import type { Column, ReportSet, Table } from "../src/data/report";
import { placeOfError, pointsOf, type SqlAnswer } from "../src/data/sql";
import { moved, showing, zoomed } from "../src/views/canvas";
import { likely } from "../src/views/contrast";
import { gridData, largestFirst, marked } from "../src/views/heat_data";
import { largestOfBands } from "../src/views/heat_bands";
import { mostDifferent, type BarRow } from "../src/views/stacked";

// As src/report/rank_grid.cc has it.
function packed(kind: number, width: number, low: bigint, numbers: readonly bigint[]): ArrayBuffer {
  const bytes = new Uint8Array(10 + width * numbers.length);
  [bytes[0], bytes[1]] = [kind, width];
  new DataView(bytes.buffer).setBigInt64(2, low, true);
  numbers.forEach((number, at) => { for (let byte = 0; byte < width; ++byte) bytes[10 + byte * numbers.length + at] = Number((number >> BigInt(8 * byte)) & 255n); });
  return bytes.buffer;
}

const bits = (value: number): bigint => new DataView(Float64Array.of(value).buffer).getBigUint64(0, true);

test("numbers of a grid are exact, and what is not known is NaN", () => {
  assert.deepEqual([...decodeGrid(packed(0, 1, 40n, [0n, 1n, 255n]))], [NaN, 40, 294]);
  const large = 2 ** 53 - 2;
  assert.deepEqual([...decodeGrid(packed(0, 7, -1n, [BigInt(large) + 2n, 1n, 0n]))], [large, -1, NaN]);
  assert.deepEqual([...decodeGrid(packed(1, 8, 0n, [bits(0.1), bits(NaN)]))], [0.1, NaN]);
});

const column = (key: string, role: Column["role"], unit: Column["unit"] = ""): Column => ({ key, title: key, unit, role });
const kTable: Table = { key: "matrix", title: "", columns: [column("rank", "key"), column("step", "key"), column("own", "value", "ns"), column("typical", "value")], rows: [] };

// One rank of 10,000 is slow in one step.
function job(slow: number) {
  const values = new Float64Array(30_000).fill(100), head = { steps: [3, 4, 5], keys: [{ key: "rank", cells: Array.from({ length: 10_000 }, (_, rank) => rank) }], columns: ["own", "typical"] };
  values[3 * slow + 1] = 200;
  return gridData(kTable, head, values, new Float64Array(30_000).fill(1));
}

test("one slow rank of 10,000 is in the picture of all of them, whichever it is", () => {
  for (const slow of [0, 4242, 7777, 9999]) {
    const data = job(slow), bands = largestOfBands(data, { from: 0, to: 10_000 }, { width: 3, height: 250 });
    assert.deepEqual([...bands].flatMap((value, at) => (value === 200 ? [at] : [])), [3 * Math.floor(slow / 40) + 1], `${slow}`);
    assert.deepEqual([data.high, data.low], [200, 100]);
  }
  assert.equal(largestOfBands(job(17), { from: 18, to: 26 }, { width: 3, height: 8 }).includes(200), false, "not where it is not");
});

test("the largest first, with its name; and a finding frames it there too", () => {
  const sorted = largestFirst(job(4242));
  assert.deepEqual(sorted.rows.slice(0, 2), ["rank 4242", "rank 0"]);
  assert.deepEqual([...sorted.values.slice(0, 3)], [100, 200, 100]);
  const guilty = { ranks: [4242], device: null, since: null, steps: null };
  assert.equal(marked(sorted, kTable, guilty).marked, 0);
  assert.equal(marked(job(4242), kTable, guilty).marked, 4242);
});

test("rows are zoomed around the one that is pointed at, down to a few, and moved within the ends", () => {
  assert.deepEqual(zoomed({ from: 0, to: 10_000 }, 5000, 0.5, 10_000), { from: 2500, to: 7500 });
  assert.deepEqual(zoomed({ from: 4240, to: 4250 }, 4242, 0.01, 10_000), { from: 4240, to: 4248 });
  assert.deepEqual(zoomed({ from: 10, to: 20 }, 12, Infinity, 100), { from: 0, to: 100 });
  assert.deepEqual(moved({ from: 90, to: 98 }, 50, 100), { from: 92, to: 100 });
  assert.deepEqual(showing({ from: 10, to: 20 }, 25, 100), { from: 16, to: 26 });
  assert.deepEqual(showing({ from: 10, to: 20 }, 3, 100), { from: 3, to: 13 });
});

test("tables that were cut know how many rows they have, and those of ranks by steps their grid", () => {
  const answer = { reports: [{ analysis: "breakdown", tables: [kTable, { ...kTable, key: "ranks" }, { ...kTable, key: "constructor" }] }], cut: { "breakdown.matrix": { rows: 30_000, grid: true }, "breakdown.ranks": { rows: 9, grid: false } } };
  const [matrix, ranks, other] = withCuts(answer as unknown as ReportSet).reports[0]!.tables;
  assert.deepEqual([matrix!.all, matrix!.grid, ranks!.all, ranks!.grid, other!.all], [30_000, "breakdown.matrix", 9, undefined, undefined]);
});

test("a long table opens on the part that its finding is about, or on what ranks do themselves", () => {
  const columns = ["step_time", "own", "device_compute"].map((key) => column(key, "value", "ns")), table = { ...kTable, columns };
  assert.deepEqual([likely(table, [0, 1, 2], "compute"), likely(table, [0, 1, 2], undefined), likely(table, [0, 2], "input")], [2, 1, 0]);
});

test("of many bars those that differ most come first", () => {
  const rows = Array.from({ length: 1000 }, (_, rank): BarRow => ({ label: `rank ${rank}`, parts: [{ title: "compute", kind: "compute", value: rank === 700 ? 90 : rank === 3 ? 10 : 50, text: "" }] }));
  assert.deepEqual(mostDifferent(rows).slice(0, 3).map(({ label }) => label), ["rank 3", "rank 700", "rank 0"]);
});

test("the place of an error is found in the statement", () => {
  assert.deepEqual(placeOfError("SELECT 1,\n  nme FROM events", "line 2: nme FROM events"), [12, 15]);
  assert.deepEqual(placeOfError("FROM event", "line 1: event"), [5, 10]);
  assert.equal(placeOfError("FROM event", "events"), null);
  assert.equal(placeOfError("FROM event", "line 9: event"), null);
});

test("points of a line are in the order of x, or of rows where x is no number", () => {
  const answer: SqlAnswer = { columns: [{ name: "step", type: "whole" }, { name: "name", type: "text" }, { name: "ms", type: "real" }], rows: [[2, "b", 0.5], [1, "a", null], [0, "c", 3]], more: false, notes: [] };
  assert.deepEqual(pointsOf(answer, 0, 2), [[0, 3], [2, 0.5]]);
  assert.deepEqual(pointsOf(answer, 1, 2), [[0, 0.5], [2, 3]]);
});
