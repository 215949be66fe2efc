// Tests which measure a heat map opens on, and what it marks: jobs whose victims are as dark as the rank at fault.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell, Column, Kind, Table } from "../src/data/report";
import { markedCells, strongest } from "../src/views/contrast";
import { runsOf, stretchesOf } from "../src/views/heat_runs";
import { shareOf } from "../src/views/heat_scale";
import { heatData, marked, type Guilty } from "../src/views/heat_data";

const key = (name: string): Column => ({ key: name, title: name, unit: "", role: "key" });
const time = (name: string, kind?: Kind): Column => ({ key: name, title: name, unit: "ns", role: "value", ...(kind && { kind }) });
const kColumns = [key("rank"), key("step"), time("step_time"), time("own"), time("compute", "compute"), time("wait", "wait"), time("all_others", "host"), { ...key("typical"), role: "value" as const }];

// As the core has it: what a step takes is what its rank does itself, and the wait for the slowest.
function job(ranks: number, steps: number, between: (rank: number, step: number) => number, odd: { warmUp?: number; compute?: (rank: number, step: number) => number } = {}): Table {
  const own = (rank: number, step: number) => (odd.compute?.(rank, step) ?? 50) + between(rank, step) + (step === 0 ? odd.warmUp ?? 0 : 0);
  const rows = Array.from({ length: ranks * steps }, (_, at): Cell[] => {
    const rank = Math.floor(at / steps), step = at % steps, all = Array.from({ length: ranks }, (__, other) => own(other, step));
    const took = Math.max(...all), compute = own(rank, step) - between(rank, step);
    return [rank, step, took, own(rank, step), compute, took - own(rank, step), between(rank, step), step === 0 && odd.warmUp ? "no" : "yes"];
  });
  return { key: "matrix", title: "", columns: kColumns, rows };
}

const kNobody: Guilty = { ranks: [], device: null, since: null, steps: null };
const ofRank = (rank: number): Guilty => ({ ...kNobody, ranks: [rank] });

function opens(table: Table, guilty: Guilty = kNobody) {
  const choices = table.columns.flatMap((column, at) => (column.unit === "ns" ? [at] : []));
  const dataOf = (at: number) => marked(heatData(table, { across: "step", left: "rank" }, at), table, guilty);
  const at = strongest(table, choices, dataOf, guilty.kind)!, data = dataOf(at);
  const share = (rank: number, step: number) => shareOf(data, data.values[rank * data.columns.length + step]!);
  return { measure: table.columns[at]!.key, data, share };
}

test("a late host is dark and those that wait for it are pale, whatever a warm-up step takes", () => {
  const { measure, data, share } = opens(job(2, 12, (rank, step) => (rank === 1 && step >= 5 ? 98 : 3), { warmUp: 250 }), { ...ofRank(1), since: 5 });
  assert.equal(measure, "all_others");
  assert.deepEqual([data.marked, data.since, data.high], [1, 5, 98]);
  assert.deepEqual([share(0, 8), share(1, 4), share(1, 8)], [0, 0, 1]);
  assert.equal(markedCells(data).length, 7);
});

test("what warm-up takes does not stretch the scale, and has the color of its end", () => {
  const table = job(2, 6, () => 3, { warmUp: 250, compute: (rank, step) => 50 + 10 * ((rank + step) % 2) });
  const { data, share } = opens(table);
  assert.deepEqual([data.low, data.high, data.values[0]], [50, 60, 300]);
  assert.equal(share(0, 0), 1);
});

test("ranks that are late in turn show in each step, though the medians of their rows are alike", () => {
  const { measure, share } = opens(job(2, 12, (rank, step) => (rank === step % 2 ? 100 : 2)));
  assert.equal(measure, "all_others");
  assert.deepEqual([share(0, 0), share(1, 0), share(0, 1), share(1, 1)], [1, 0, 0, 1]);
});

test("one step of a rank is a cell, and the measure the one in which that is beyond the others of its step", () => {
  const noise = (rank: number, step: number) => 50 + 25 * ((rank + step) % 2);
  const { measure, data, share } = opens(job(2, 15, (rank, step) => (rank === 0 && step === 9 ? 190 : 5), { compute: noise }), { ...ofRank(0), steps: [9] });
  assert.equal(measure, "all_others");
  assert.deepEqual(markedCells(data), [[0, 9]]);
  assert.deepEqual([share(0, 9), share(1, 9)], [1, 0]);
});

test("recurring steps of one rank are cells, those of all ranks columns, whose measure is what a step takes", () => {
  const table = job(2, 12, (_, step) => (step % 4 === 3 ? 80 : 2));
  const all = opens(table, { ...kNobody, steps: [3, 7, 11] });
  assert.equal(all.measure, "step_time");
  assert.equal(markedCells(all.data).length, 6);
  const one = opens(job(2, 12, (rank, step) => (rank === 1 && step % 4 === 3 ? 80 : 2)), { ...ofRank(1), steps: [3, 7, 11] });
  assert.equal(one.measure, "all_others");
  assert.deepEqual(markedCells(one.data), [[1, 3], [1, 7], [1, 11]]);
});

test("a step that is slow on all ranks is shown by what it takes, however they differ in it", () => {
  const noise = (rank: number, step: number) => 50 + (step === 7 ? 150 : 0) + 8 * ((rank + step) % 2);
  const { measure, data } = opens(job(2, 12, () => 2, { compute: noise }), { ...ofRank(1), steps: [7] });
  assert.equal(measure, "step_time");
  assert.deepEqual(markedCells(data), [[1, 7]]);
});

test("several parts of one rank are shown together; where nothing differs, what a step takes is", () => {
  const { measure } = opens(job(4, 6, (rank) => (rank === 2 ? 40 : 2), { compute: (rank) => (rank === 2 ? 85 : 50) }), ofRank(2));
  assert.equal(measure, "own");
  assert.equal(opens(job(4, 6, () => 2)).measure, "step_time");
});

test("without a rank or a step, the part is told that the sentence speaks of, however ranks differ in another", () => {
  const table = job(4, 8, () => 9, { compute: (rank) => (rank === 2 ? 90 : 50) });
  const of = (kind: string) => opens(table, { ...kNobody, kind }).measure;
  assert.deepEqual([of("host"), of("wait"), of("compute"), of("")], ["all_others", "wait", "compute", "step_time"]);
  assert.equal(opens(table, { ...kNobody, kind: "input" }).measure, "step_time", "there is no such part");
  assert.equal(opens(table, { ...ofRank(2), kind: "host" }).measure, "compute", "of a rank, what it has more of");
});

test("several ranks are framed in their steps: each stretch of these once", () => {
  const cells = [0, 2].flatMap((rank) => [3, 4, 5].map((step) => ({ rank, step })));
  const { measure, data } = opens(job(4, 8, (rank, step) => (rank % 2 === 0 && step >= 3 && step <= 5 ? 70 : 2)), { ...kNobody, cells, kind: "host" });
  assert.equal(measure, "all_others");
  assert.deepEqual(runsOf(data).map(({ name, columns }) => [name, columns]), [["rank 0", [[3, 5]]], ["rank 2", [[3, 5]]]]);
  assert.deepEqual(stretchesOf([9, 1, 2, 4, 10]), [[1, 2], [4, 4], [9, 10]]);
});
