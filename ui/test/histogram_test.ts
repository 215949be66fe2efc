// Tests the histogram of all events of a name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketsOf } from "../src/timeline/histogram";

test("a bucket ends where the next one begins, the last with the longest event", () => {
  const series = { key: "", title: "", x_unit: "ns", y_unit: "count", points: [[10, 3], [20, 0], [40, 1]] } as const;
  assert.deepEqual(bucketsOf(series, 77), [{ from: 10, to: 20, count: 3 }, { from: 20, to: 40, count: 0 }, { from: 40, to: 77, count: 1 }]);
  assert.equal(bucketsOf(series, null).at(-1)?.to, 40);
});
