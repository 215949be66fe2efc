// Tests the histogram of all events of a name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketsOf, countTicks, heightOf } from "../src/timeline/histogram";

test("a bucket ends where the next one begins, the last with the longest event", () => {
  const series = { key: "", title: "", x_unit: "ns", y_unit: "count", points: [[10, 3], [20, 0], [40, 1]] } as const;
  assert.deepEqual(bucketsOf(series, 77), [{ from: 10, to: 20, count: 3 }, { from: 20, to: 40, count: 0 }, { from: 40, to: 77, count: 1 }]);
  assert.equal(bucketsOf(series, null).at(-1)?.to, 40);
});

test("on the logarithmic axis one event beside thousands is seen", () => {
  assert.ok(heightOf(1, 9999, true) > 0.07 && heightOf(1, 9999, false) < 0.001);
  for (const logarithmic of [true, false]) assert.deepEqual([heightOf(0, 50, logarithmic), heightOf(50, 50, logarithmic)], [0, 1]);
  assert.deepEqual(countTicks(4320, true), [1, 10, 100, 1000, 4320]);
  assert.deepEqual(countTicks(120, true), [1, 10, 120], "100 would lie on 120");
  assert.deepEqual(countTicks(209, true), [1, 10, 209]);
  assert.deepEqual([countTicks(1, true), countTicks(9, false), countTicks(1, false)], [[1], [4, 9], [1]]);
});
