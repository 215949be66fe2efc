// Tests the charts of a report's series.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Series, Table, Unit } from "../src/data/report";
import { chartsOf, drawnPoints, isCounted, placesOf } from "../src/report/curves";

const series = (key: string, x_unit: Unit, points: Series["points"]): Series => ({ key, title: key, x_unit, y_unit: "bytes", points });

test("a constant is a line as long as the other curves of its report", () => {
  const all = [series("parameter.rank0", "ns", [[0, 7], [0, 7]]), series("input.rank0", "ns", [[20, 1], [90, 4]]), series("size", "", [[3, 1], [4, 1]])];
  const [parameter, input, size] = chartsOf(all) as [ReturnType<typeof chartsOf>[0], ReturnType<typeof chartsOf>[0], ReturnType<typeof chartsOf>[0]];
  assert.deepEqual(drawnPoints(all[0]!, parameter), [[0, 7], [90, 7]]);
  assert.deepEqual(drawnPoints(all[1]!, input), [[0, null], [20, 1], [90, 4]]);
  assert.deepEqual(drawnPoints(all[2]!, size), [[3, 1], [4, 1]], "other units have a range of their own");
});

test("a histogram has a range of its own", () => {
  const all = [series("delay_histogram", "ns", [[0, 7], [900, 0]]), series("call_histogram", "ns", [[20, 1], [90, 0]])];
  const [delay, call] = chartsOf(all) as [ReturnType<typeof chartsOf>[0], ReturnType<typeof chartsOf>[0]];
  assert.deepEqual([delay.from, delay.to, call.from, call.to], [0, 900, 20, 90]);
});

test("what is told by step does not hold until the next one", () => {
  const all = [series("a", "", [[1, 5]]), series("b", "", [[1, 5], [3, 6]])];
  assert.deepEqual(drawnPoints(all[0]!, chartsOf(all)[0]!), [[1, 5], [3, null]]);
});

test("x without a unit is called as the key of the table with the same places", () => {
  const table = (title: string, cells: number[]): Table =>
    ({ key: title, title, columns: [{ key: title, title, unit: "", role: "key" }], rows: cells.map((cell) => [cell]) });
  const all = [series("a", "", [[3, 1], [4, 1]]), series("b", "", [[5, 2]])];
  assert.equal(placesOf(all, [table("rank", [3, 4]), table("step", [3, 4, 5, 5])]), "step");
  assert.equal(placesOf(all, [table("rank", [3, 4, 5, 6])]), null);
  assert.ok(isCounted({ x: "", series: all }));
  assert.ok(!isCounted({ x: "count", series: [series("c", "count", [[0.5, 1]])] }) && !isCounted({ x: "ns", series: all }));
});
