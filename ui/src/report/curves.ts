// Groups a report's series into charts, names them, and selects the points to draw.
import type { Series, Table, Unit } from "../data/report";
import { hasJapanese, wordOf } from "../data/words";
import { currentLanguage, t, type TextKey } from "../text";
import { visible } from "./format";

export interface Chart {
  readonly key: string;      // what the keys of its series begin with
  readonly x: Unit;
  readonly y: Unit;
  readonly from: number;     // the stretch of x that all curves of the report with this unit have in common; of a histogram its own
  readonly to: number;
  readonly series: readonly Series[];
}

function rangeOf(series: readonly Series[], unit: Unit): { from: number; to: number } {
  let from = Infinity, to = -Infinity;
  for (const { points } of series.filter((one) => one.x_unit === unit)) {
    for (const [x] of points) [from, to] = [Math.min(from, x ?? from), Math.max(to, x ?? to)];
  }
  return { from, to };
}

// Series whose keys agree up to the first dot, and in their units, belong into one chart:
// "allocated.rank0.device0" and "allocated.rank1.device1".
export function chartsOf(series: readonly Series[]): Chart[] {
  const charts = new Map<string, Series[]>();
  for (const one of series) {
    if (one.points.length === 0) continue;
    const key = `${one.key.split(".")[0]} ${one.x_unit} ${one.y_unit}`;
    charts.set(key, [...(charts.get(key) ?? []), one]);
  }
  return [...charts.values()].map((all) => ({
    key: all[0]!.key.split(".")[0]!, x: all[0]!.x_unit, y: all[0]!.y_unit,
    ...rangeOf(all[0]!.key.endsWith("histogram") ? all : series, all[0]!.x_unit), series: all,
  }));
}

const keyParts = (series: Series): string[] => series.key.split(".").slice(1);
const numberIn = (part: string | undefined): string => /\d+$/.exec(part ?? "")?.[0] ?? "";

const kParts: Readonly<Record<string, TextKey>> = { rank: "heat.axis.rank", window: "part.window", device: "heat.axis.device", stream: "part.stream", step: "heat.axis.step", timeline: "part.timeline", outstanding: "part.outstanding", waiting: "part.waiting" };

// The end of a series' key in words: "rank 1, device 1".
export const partsText = (parts: readonly string[]): string => parts.map((part) => {
  const [, name = part, number] = /^([a-z]+)(\d+)$/.exec(part) ?? [], key = kParts[name];
  if (number === undefined) return key ? t(key) : part.replace(/([a-z])(\d)/g, "$1 $2");
  return `${key ? t(key) : name} ${number}`;
}).join(", ");

// Of several curves what their keys begin with; in Japanese what they are called but for the numbers, where they agree in it.
export function chartTitle({ key, series }: Pick<Chart, "key" | "series">): string {
  if (series.length === 1) return visible(series[0]!.title);
  const name = key.replaceAll("_", " "), [alike, ...others] = new Set(series.map(({ title }) => title.replace(/\d+/g, "…")));
  return visible(currentLanguage() === "ja" && others.length === 0 && hasJapanese(alike ?? "") ? alike! : wordOf(name));
}

// What tells the curves of a chart apart: of "allocated.rank1.window0.device1" only "rank 1", where all
// are of window 0 and devices are numbered like their ranks.
export function curveNames(series: readonly Series[]): string[] {
  if (series.length === 1) return [visible(series[0]!.title)];
  const all = series.map(keyParts);
  const differs = (at: number) => all.some((parts) => parts[at] !== all[0]![at]);
  const rank = all[0]!.findIndex((part) => part.startsWith("rank"));
  const repeats = (at: number) => at !== rank && rank >= 0 && all.every((parts) => numberIn(parts[at]) === numberIn(parts[rank]));
  return all.map((parts, which) => {
    const telling = parts.filter((_, at) => differs(at) && !repeats(at));
    return visible(partsText(telling) || series[which]!.title);
  });
}

type Point = readonly [x: number, y: number | null];

// The points of a curve from one end of its chart to the other. Of several at one x the last counts; what changes
// in time holds until the next point, and so the last of all until the end.
export function drawnPoints({ points }: Series, { x: unit, from, to }: Pick<Chart, "x" | "from" | "to">): Point[] {
  const own = points.map(([x, y]): Point => [x ?? 0, y]).filter(([x], at, all) => all[at + 1]?.[0] !== x);
  const first = own[0], last = own.at(-1);
  if (first && first[0] > from) own.unshift([from, null]);
  if (last && last[0] < to) own.push([to, unit === "ns" ? last[1] : null]);
  return own;
}

// What x is called where its unit does not say it: the key of a table whose rows are at the same places. Some steps may have no
// value.
export function placesOf(series: readonly Series[], tables: readonly Table[]): string | null {
  const places = new Set(series.flatMap(({ points }) => points.map(([x]) => x)));
  for (const { columns, rows } of tables) {
    for (const [at, { key, role, title }] of columns.entries()) {
      const cells = new Set(rows.map((row) => row[at]));
      const fits = key === "step" ? [...places].every((place) => cells.has(place)) : cells.size === places.size && [...cells].every((cell) => places.has(cell as number));
      if (role === "key" && fits) return visible(title);
    }
  }
  return null;
}

// Steps of an axis that counts: 1, 2 or 5 times a power of ten.
export const kCountSteps: readonly number[] = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((count) => count * 10 ** power)).flat();

export const isCounted = ({ x, series }: Pick<Chart, "x" | "series">): boolean =>
  (x === "" || x === "count") && series.every(({ points }) => points.every(([place]) => place === null || Number.isInteger(place)));
