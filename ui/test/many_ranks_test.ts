// Tests pictures of 10,000 ranks: grids as the server packs them, bands in which one slow rank is seen, zoom, order; and places of errors
// in SQL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeGrid, withCuts } from "../src/data/grid";
import type { Column, ReportSet, Table } from "../src/data/report";
import { placeOfError, pointsOf, type SqlAnswer } from "../src/data/sql";
import { moved, showing, stepOf, zoomed } from "../src/views/canvas";
import { likely, strongest } from "../src/views/contrast";
import { gridData, largestFirst, marked } from "../src/views/heat_data";
import { largestOfBands } from "../src/views/heat_bands";
import { apart, framedLabels, groupsOf, labelledRows } from "../src/views/heat_labels";
import { nameOfRows, runsOf } from "../src/views/heat_runs";
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

test("pages of rows are a tenth of what is seen, at least nine; one row is paged through by columns", () => {
  assert.deepEqual(stepOf("PageDown", { from: 0, to: 10_000 }, 10_000), [1000, 0]);
  assert.deepEqual(stepOf("PageUp", { from: 40, to: 80 }, 10_000), [-9, 0]);
  assert.deepEqual(stepOf("PageDown", { from: 0, to: 1 }, 1), [0, 10]);
  assert.equal(stepOf("ctrl+PageDown", { from: 0, to: 80 }, 80), undefined, "of the browser");
  assert.deepEqual(stepOf("ctrl+End", { from: 0, to: 80 }, 80)?.[1], 0);
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

const named = (ranks: readonly number[]) => marked(job(4242), kTable, { ranks, device: null, since: null, steps: null });

test("ranks that a finding names are framed run by run, also where they are sorted by a value", () => {
  const ranks = [17, 4242, 5600, 5601, 5602, 5603];
  assert.deepEqual(runsOf(named(ranks)).map(({ first, last, name }) => [first, last, name]), [[17, 17, "rank 17"], [4242, 4242, "rank 4242"], [5600, 5603, "rank 5600–5603"]]);
  const sorted = marked(largestFirst(job(4242)), kTable, { ranks: [4242, 0, 1], device: null, since: null, steps: null });
  assert.deepEqual(runsOf(sorted).map(({ first, last, name }) => [first, last, name]), [[0, 0, "rank 4242"], [1, 2, "rank 0–1"]]);
  assert.equal(nameOfRows("rank 3, device 0", "rank 3, device 7"), "rank 3, device 0–7");
  assert.equal(nameOfRows("rank 3, device 0", "rank 4, device 7"), "rank 3, device 0 – rank 4, device 7");
});

test("labels of what is framed do not cover one another, nor do round numbers cover them", () => {
  const all = named([17, 19, 21, 4242, 9990, 9999]), view = { from: 0, to: 10_000 }, framed = framedLabels(all, view, 520);
  assert.deepEqual(framed.map(({ text }) => text), ["rank 17", "rank 19", "rank 21", "rank 4242", "rank 9990", "rank 9999"]);
  framed.forEach(({ y }, at) => assert.ok(y >= 6.5 && y <= 513.5 && (at === 0 || y - framed[at - 1]!.y >= 13), `${y}`));
  const round = labelledRows(view, 520, framed);
  assert.ok(round.length >= 15 && round.every((row) => framed.every(({ y }) => Math.abs(y - ((row + 0.5) * 520) / 10_000) >= 13)), String(round));
  assert.equal(apart(Array.from({ length: 100 }, (_, at) => ({ text: `${at}`, of: 300 })), 520).length, 40, "as many as there is room for");
});

test("rows next to one another share a frame where they are lower than a label, whatever their order", () => {
  const sorted = marked(largestFirst(job(4242)), kTable, { ranks: [4242, 0, 2, 1], device: null, since: null, steps: null });
  assert.deepEqual(groupsOf(sorted, 0.05).map(({ first, last, runs }) => [first, last, runs.length]), [[0, 3, 2]]);
  assert.deepEqual(groupsOf(sorted, 13).map(({ first, last }) => [first, last]), [[0, 0], [1, 3]]);
});

test("every row is labelled where there is room for each, from the first to the last", () => {
  assert.deepEqual(labelledRows({ from: 57, to: 97 }, 520, []), Array.from({ length: 40 }, (_, at) => 57 + at));
});

test("of several ranks at fault the measure is the one in which each has more, though one has much more of another", () => {
  const head = { steps: [0], keys: [{ key: "rank", cells: Array.from({ length: 100 }, (_, rank) => rank) }], columns: [] };
  const columns = ["step_time", "own", "input", "compute"].map((key) => column(key, "value", "ns")), table = { ...kTable, columns: [...kTable.columns.slice(0, 2), ...columns] };
  const of = (at: number, more: ReadonlyMap<number, number>) => Float64Array.from({ length: 100 }, (_, rank) => at + (more.get(rank) ?? 0));
  const opens = (input: ReadonlyMap<number, number>, compute: ReadonlyMap<number, number>) => {
    const values = [of(1000, new Map()), of(700, new Map([...input, ...compute])), of(100, input), of(600, compute)];
    return strongest(table, [2, 3, 4, 5], (at) => marked(gridData(table, head, values[at - 2]!, undefined), table, { ranks: [3, 9, 10], device: null, since: null, steps: null }), "wait");
  };
  const both = new Map([[9, 300], [10, 300]]);
  assert.equal(opens(both, new Map([[3, 80]])), 3, "input of two, compute of the third: what they do themselves");
  assert.equal(opens(new Map([...both, [3, 200]]), new Map()), 4, "input of all");
  assert.equal(opens(both, new Map([[3, 20]])), 4, "what is less than noise is of no rank: then the most of all");
});
