// Chooses the measure of a heat map that tells most: the one in which rows differ most, or else columns.
import type { Table } from "../data/report";
import { columnAt } from "./parts";
import type { HeatData } from "./heat";

const kLeast = 0.05;  // of step time: less is noise

function median(values: number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

const spread = (values: readonly number[]): number => {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? 0 : known.reduce((a, b) => Math.max(a, b)) - known.reduce((a, b) => Math.min(a, b));
};

const cells = (data: HeatData, row: number): number[] => [...data.values.subarray(row * data.columns.length, (row + 1) * data.columns.length)];

// Of medians, so that one cell makes no difference.
const overRows = (data: HeatData): number => spread(data.rows.map((_, row) => median(cells(data, row))));
const overColumns = (data: HeatData): number => spread(data.columns.map((_, at) => median(data.rows.map((__, row) => data.values[row * data.columns.length + at]!))));

// One of `choices`, which are columns of times; the first where nothing differs.
export function strongest(table: Table, choices: readonly number[], dataOf: (column: number) => HeatData): number | undefined {
  const times = choices.filter((at) => table.columns[at]!.unit === "ns");
  const all = times.map((at) => ({ at, data: dataOf(at) }));
  const step = all.find(({ at }) => at === columnAt(table, "step_time")) ?? all[0];
  if (!step) return choices[0];
  const least = kLeast * median([...step.data.values]);
  for (const differs of [overRows, overColumns]) {
    const best = all.map(({ at, data }) => ({ at, by: differs(data) })).reduce((a, b) => (b.by > a.by ? b : a));
    if (best.by > least) return best.at;
  }
  return choices[0];
}
