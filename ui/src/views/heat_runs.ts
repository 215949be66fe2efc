// Tells which rows of a heat map are framed together: those that follow one another and are framed in the same columns, by one name.
import type { HeatData } from "./heat_scale";

export type Stretch = readonly [first: number, last: number];

// Rows or columns that follow one another, as one stretch.
export function stretchesOf(places: readonly number[]): Stretch[] {
  const stretches: [number, number][] = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last && place <= last[1] + 1) last[1] = place;
    else stretches.push([place, place]);
  }
  return stretches;
}

export interface Run {
  readonly first: number;  // row
  readonly last: number;
  readonly columns: readonly Stretch[];
  readonly name: string;  // empty: all rows
}

// Of rows that a finding names, each in its own columns.
function byRow(cells: NonNullable<HeatData["cells"]>): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (const [row, column] of cells) {
    const own = rows.get(row);
    if (own) own.push(column);
    else rows.set(row, [column]);
  }
  return new Map([...rows].sort(([a], [b]) => a - b));
}

const kNumbered = /^(.*?)(\d+)$/s;

// "rank 3" and "rank 5" are "rank 3–5".
export function nameOfRows(first: string, last: string): string {
  const [, kind, ] = kNumbered.exec(first) ?? [], [, other, number] = kNumbered.exec(last) ?? [];
  if (first === last) return first;
  return kind !== undefined && kind === other ? `${first}–${number}` : `${first} – ${last}`;
}

// Sorted by a value, rows that follow one another are of any ranks.
function follows({ ranks }: HeatData, row: number): boolean {
  const [rank, before] = [ranks?.[row], ranks?.[row - 1]];
  return typeof rank !== "number" || typeof before !== "number" || rank === before || rank === before + 1;
}

function runsOfCells(data: HeatData, cells: NonNullable<HeatData["cells"]>): Run[] {
  const runs: { first: number; last: number; columns: Stretch[] }[] = [];
  for (const [row, own] of byRow(cells)) {
    const columns = stretchesOf(own), last = runs.at(-1);
    if (last?.last === row - 1 && follows(data, row) && String(last.columns) === String(columns)) last.last = row;
    else runs.push({ first: row, last: row, columns });
  }
  return runs.map((run) => ({ ...run, name: nameOfRows(data.rows[run.first]!, data.rows[run.last]!) }));
}

function find(data: HeatData): Run[] {
  const { rows, columns, marked, tall = 1, steps, since = 0, cells } = data;
  if (cells) return runsOfCells(data, cells);
  if (marked === undefined && steps === undefined) return [];
  const own = steps ? stretchesOf(steps) : [[since, columns.length - 1] as const];
  if (marked === undefined) return [{ first: 0, last: rows.length - 1, columns: own, name: "" }];
  return [{ first: marked, last: marked + tall - 1, columns: own, name: data.name ?? rows[marked]! }];
}

const known = new WeakMap<HeatData, readonly Run[]>();

// In the order of rows.
export function runsOf(data: HeatData): readonly Run[] {
  const runs = known.get(data) ?? find(data);
  known.set(data, runs);
  return runs;
}
