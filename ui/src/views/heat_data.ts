// Makes a heat map's data of a table or a grid, one value at a time, and marks what a finding names in it.
import type { GridHead } from "../data/grid";
import type { Cell, Table } from "../data/report";
import { visible } from "../report/format";
import { scaleOf, type HeatData } from "./heat_scale";
import { columnAt, fullLabelOf, labelColumns, valueAt } from "./parts";

export type AxisKey = "rank" | "step" | "for_rank" | "device" | "for_device" | "place" | "stage";

export interface Axes {
  readonly across: AxisKey;  // the key column that goes to the right: "step"
  readonly left: AxisKey;    // what the row labels are called
  // Both axes are of this kind, and what stands in no row did not happen: a matrix with all of them on both.
  readonly square?: boolean;
}

export const acrossTitle = (table: Table, axes: Axes): string => visible(table.columns[columnAt(table, axes.across)]?.title ?? axes.across);

function numericKeys(cells: Iterable<Cell>): Cell[] {
  return [...new Set(cells)].sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))));
}

export function heatData(table: Table, { across, left, square }: Axes, value: number): HeatData {
  const at = columnAt(table, across), own = columnAt(table, left);
  const labels = square ? [own] : labelColumns(table, [across]);
  const columns = numericKeys(table.rows.flatMap((row) => (square ? [row[at] ?? null, row[own] ?? null] : [row[at] ?? null])));
  const columnOf = new Map(columns.map((cell, index) => [cell, index]));
  const rowOf = new Map<string, number>();
  const lines = square ? columns.map((cell) => table.columns.map((_, k) => (k === own ? cell : null))) : table.rows;
  for (const row of lines) {
    const label = fullLabelOf(table, row, labels);
    if (!rowOf.has(label)) rowOf.set(label, rowOf.size);
  }
  const values = new Float64Array(rowOf.size * columns.length).fill(NaN), typical = columnAt(table, "typical");
  const aside = typical < 0 ? undefined : new Uint8Array(values.length);
  for (const row of table.rows) {
    const { number } = valueAt(table, row, value);
    const place = rowOf.get(fullLabelOf(table, row, labels))! * columns.length + columnOf.get(row[at] ?? null)!;
    if (number !== null) values[place] = number;
    if (aside && row[typical] === "no") aside[place] = 1;
  }
  return { rows: [...rowOf.keys()], columns: columns.map(String), values, ...ofRows(table, lines, rowOf, labels), ...(aside && { aside }), ...scaleOf(values, aside) };
}

// The rank and device of each row.
function ofRows(table: Table, lines: readonly (readonly Cell[])[], rowOf: ReadonlyMap<string, number>, labels: readonly number[]): Pick<HeatData, "ranks" | "devices"> {
  const [rank, device] = [columnAt(table, "rank"), columnAt(table, "device")];
  if (rank < 0) return {};
  const ranks: Cell[] = [], devices: Cell[] = [];
  for (const row of lines) {
    const at = rowOf.get(fullLabelOf(table, row, labels))!;
    ranks[at] ??= row[rank] ?? null;
    devices[at] ??= row[device] ?? null;
  }
  return { ranks, devices };
}

// The same of a grid: `table` has its columns alone.
export function gridData(table: Table, head: GridHead, values: Float64Array, typical: Float64Array | undefined): HeatData {
  const keys = head.keys.map(({ key }) => columnAt(table, key)), count = head.keys[0]?.cells.length ?? 0;
  const lines = Array.from({ length: count }, (_, row) => {
    const cells: Cell[] = table.columns.map(() => null);
    head.keys.forEach(({ cells: of }, at) => { cells[keys[at]!] = of[row] ?? null; });
    return cells;
  });
  const named = { ...table, rows: lines }, labels = labelColumns(named, ["step"]), [rank, device] = [columnAt(table, "rank"), columnAt(table, "device")];
  const aside = typical && Uint8Array.from(typical, (one) => (one === 0 ? 1 : 0));
  return {
    rows: lines.map((row) => fullLabelOf(named, row, labels)), columns: head.steps.map(String), values,
    ranks: lines.map((row) => row[rank] ?? null), devices: lines.map((row) => row[device] ?? null), ...(aside && { aside }), ...scaleOf(values, aside),
  };
}

// Rows by the largest value of each, but for steps that means leave out; those without any last.
export function largestFirst(data: HeatData): HeatData {
  const columns = data.columns.length;
  const most = Float64Array.from(data.rows, (_, row) => {
    let value = -Infinity;
    for (let at = row * columns; at < (row + 1) * columns; ++at) if (!data.aside?.[at] && data.values[at]! > value) value = data.values[at]!;
    return value;
  });
  const order = data.rows.map((_, row) => row).sort((a, b) => most[b]! - most[a]! || a - b);
  const moved = <Cells extends Float64Array | Uint8Array>(cells: Cells): Cells => {
    const to = cells.slice() as Cells;
    order.forEach((from, row) => to.set(cells.subarray(from * columns, (from + 1) * columns), row * columns));
    return to;
  };
  return {
    ...data, rows: order.map((row) => data.rows[row]!), values: moved(data.values), ...(data.aside && { aside: moved(data.aside) }),
    ...(data.ranks && { ranks: order.map((row) => data.ranks![row]!) }), ...(data.devices && { devices: order.map((row) => data.devices![row]!) }),
  };
}

// What a finding says of ranks and steps.
export interface Guilty {
  readonly ranks: readonly number[];  // empty: all, or none in particular
  readonly device: number | null;     // of the one rank
  readonly since: number | null;
  readonly steps: readonly number[] | null;  // those it is in, if they are neither all nor all since one
  readonly cells?: readonly { readonly rank: number; readonly step: number }[];  // instead: of several ranks, each in its own steps
  readonly inTurn?: boolean;  // these ranks have them in turn
  readonly kind?: string;  // of the cause: the measure that is told where no rank or step is; "": what a step takes is
}

// Finds the rows of a rank, one for each of its devices or of that device alone. None where these are all rows: that frames nothing.
function rowFinder({ rows, ranks = [], devices = [] }: HeatData): (rank: number, device?: number | null) => number[] {
  const rowsOf = new Map<Cell, number[]>();
  ranks.forEach((rank, row) => rowsOf.set(rank, [...(rowsOf.get(rank) ?? []), row]));
  return (rank, device = null) => {
    const found = (rowsOf.get(rank) ?? []).filter((row) => device === null || devices[row] === device);
    return found.length < rows.length ? found : [];
  };
}

export function marked(data: HeatData, table: Table, guilty: Guilty | undefined): HeatData {
  if (!guilty) return data;
  const rowsOf = rowFinder(data), columnOf = (step: number): number => data.columns.indexOf(String(step));
  const since = guilty.since === null ? -1 : columnOf(guilty.since), begins = since >= 0 && { since };
  const steps = (guilty.steps ?? []).map(columnOf).filter((at) => at >= 0);
  const [rank, ...others] = guilty.ranks;
  const all = steps.length > 0 ? steps : data.columns.map((_, at) => at).slice(Math.max(0, since));
  const cells = guilty.cells
    ? guilty.cells.flatMap(({ rank: of, step }) => rowsOf(of).map((row) => [row, columnOf(step)] as const)).filter(([, column]) => column >= 0)
    : others.length > 0 ? guilty.ranks.flatMap((of) => rowsOf(of).flatMap((row) => all.map((column) => [row, column] as const))) : [];
  if (cells.length > 0) return { ...data, cells, inTurn: guilty.inTurn ?? false, ...begins };
  const rows = rank === undefined || others.length > 0 ? [] : rowsOf(rank, guilty.device);
  const name = `${visible(table.columns[columnAt(table, "rank")]?.title ?? "rank")} ${rank}`;  // as its label has it
  return { ...data, ...(rows.length > 0 && { marked: rows[0]! }), ...(rows.length > 1 && { tall: rows.length, name }), ...begins, ...(steps.length > 0 && { steps }) };
}
