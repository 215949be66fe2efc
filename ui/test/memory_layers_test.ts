// Tests which moments of memory over time are drawn, and where segments stand.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Report, Series, Table } from "../src/data/report";
import { lastAtMost, layersFrom, momentsBetween, zoomed } from "../src/views/memory_layers";
import { largestFree, segmentsOf, shelvesOf } from "../src/views/segments";

const series = (key: string, values: readonly number[]): Series => ({ key, title: key, x_unit: "ns", y_unit: "bytes", points: values.map((value, at) => [1000 * at, value] as [number, number]) } as unknown as Series);
const report = (some: { series?: readonly Series[]; tables?: readonly Table[] }): Report => ({ analysis: "memory_snapshot", series: [], tables: [], ...some } as unknown as Report);

test("layers add up, and the peak is their highest moment", () => {
  const layers = layersFrom(report({ series: [series("category.forward", [1, 5, 2]), series("category.other", [3, 3, 3]), series("place.0", [4, 8, 5]), series("reserved", [10, 20, 20])] }), "category")!;
  assert.deepEqual(layers.totals, [4, 8, 5]);
  assert.deepEqual([layers.peak, layers.high, layers.times[layers.peak]], [1, 20, 1000]);
  assert.equal(layersFrom(report({}), "category"), null);
});

test("whatever the width, the highest moment of a span is drawn", () => {
  const values = Array.from({ length: 4096 }, (_, at) => (at * 7919) % 1000);
  values[1234] = 5000;
  const layers = layersFrom(report({ series: [series("category.forward", values)] }), "category")!;
  for (const columns of [1, 17, 400, 3000]) {
    const moments = momentsBetween(layers, 0, 4096_000, columns);
    assert.ok(moments.includes(1234), `${columns} columns`);
    assert.ok(moments.length <= 4096 && moments.length <= Math.max(3, 2 * columns + 3), `${moments.length} moments in ${columns} columns`);
    assert.deepEqual(moments, [...moments].sort((a, b) => a - b));
  }
  assert.deepEqual(momentsBetween(layers, 1233_500, 1235_000, 400), [1233, 1234, 1235]);
});

test("zooming keeps the place and stays within the whole", () => {
  const whole = { from: 0, to: 1_000_000 };
  assert.deepEqual(zoomed(whole, whole, 250_000, 0.5), { from: 125_000, to: 625_000 });
  assert.deepEqual(zoomed({ from: 125_000, to: 625_000 }, whole, 600_000, 4), whole);
  assert.equal(lastAtMost([1, 3, 5], 0), -1);
  assert.equal(lastAtMost([1, 3, 5], 3), 1);
});

const column = (key: string) => ({ key, title: key, unit: "", role: "value" }) as const;
const table = (key: string, columns: readonly string[], rows: Table["rows"]): Table => ({ key, title: key, columns: columns.map(column), rows });

test("segments stand in rows of one scale, and none is lost", () => {
  const keys = ["index", "address", "size", "allocated", "unused", "largest_free"];
  const segments = segmentsOf(report({
    tables: [
      table("segments", keys, [[0, "0x1", 100, 60, 40, 30], [1, "0x2", 40, 40, 0, 0], [2, "0x3", 60, 0, 60, 60]]),
      table("blocks", ["index", "offset", "size", "state", "requested", "site"], [
        [0, 0, 60, "allocated", 50, "a.py:1 f"], [0, 60, 10, "free", null, null], [0, 70, 30, "free", null, null], [1, 0, 40, "allocated", 40, null], [2, 0, 60, "free", null, null]]),
    ],
  }));
  assert.deepEqual(segments.map(({ index }) => index), [0, 2, 1]);
  const { placed, rows, width } = shelvesOf(segments);
  assert.deepEqual([rows, width], [2, 100]);
  assert.deepEqual(placed.map(({ row, at }) => [row, at]), [[0, 0], [1, 0], [1, 60]]);
  assert.equal(largestFree(segments)?.block.size, 60);
});
