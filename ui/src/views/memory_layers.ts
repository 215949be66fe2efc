// Reads the layers of memory over time from a report's series, and chooses the moments that a picture of so many pixels needs.
import type { Report, Series } from "../data/report";

export interface MemoryLayer {
  readonly key: string;    // what the series' key ends with
  readonly title: string;
  readonly values: readonly number[];  // at each moment
}

export interface MemoryLayers {
  readonly times: readonly number[];   // ns, ascending
  readonly layers: readonly MemoryLayer[];  // the lowest first
  readonly totals: readonly number[];  // of all layers
  readonly reserved: readonly number[];
  readonly peak: number;               // the first moment of the highest total
  readonly high: number;               // of totals and what is reserved
}

const second = ({ points }: Series): number[] => points.map(([, y]) => y ?? 0);

// Series "PREFIX.KEY" of one report have the same moments. Null: there are none.
export function layersFrom({ series }: Report, prefix: "category" | "place"): MemoryLayers | null {
  const named = series.filter(({ key }) => key.startsWith(`${prefix}.`));
  if (named.length === 0) return null;
  const times = named[0]!.points.map(([x]) => x ?? 0);
  const layers = named.map((one): MemoryLayer => ({ key: one.key.slice(prefix.length + 1), title: one.title, values: second(one) }));
  const totals = times.map((_, at) => layers.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const reserved = second(series.find(({ key }) => key === "reserved") ?? { ...named[0]!, points: [] });
  let peak = 0, high = 1;
  totals.forEach((total, at) => {
    if (total > totals[peak]!) peak = at;
    high = Math.max(high, total, reserved[at] ?? 0);
  });
  return { times, layers, totals, reserved, peak, high };
}

// The last place whose value is at most `value`; -1: there is none.
export function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// The moments to draw between two times in so many columns: of each column the highest and the lowest, the one before the
// first, and the last. So the highest of all is among them, whatever the width.
export function momentsBetween({ times, totals }: MemoryLayers, from: number, to: number, columns: number): number[] {
  const first = Math.max(0, lastAtMost(times, from)), last = Math.max(first, lastAtMost(times, to));
  if (last - first <= 2 * columns) return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const chosen = [first], scale = columns / Math.max(1, to - from);
  for (let at = first + 1; at <= last;) {
    const column = Math.floor((times[at]! - from) * scale);
    let high = at, low = at;
    for (; at <= last && Math.floor((times[at]! - from) * scale) === column; ++at) {
      if (totals[at]! > totals[high]!) high = at;
      if (totals[at]! < totals[low]!) low = at;
    }
    chosen.push(...(high === low ? [high] : [Math.min(high, low), Math.max(high, low)]));
  }
  if (chosen.at(-1) !== last) chosen.push(last);
  return chosen;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

const kLeast = 1000;  // ns: times of snapshots are whole microseconds

// `by` times as long around a time, which stays where it is; within `whole`.
export function zoomed({ from, to }: Span, whole: Span, around: number, by: number): Span {
  const length = Math.min(whole.to - whole.from, Math.max(kLeast, (to - from) * by)), share = (around - from) / Math.max(1, to - from);
  const start = Math.max(whole.from, Math.min(whole.to - length, around - share * length));
  return { from: start, to: start + length };
}
