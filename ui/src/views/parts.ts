// Reads a report's tables by column key, for pictures.
import { kindNamed, type Cell, type Column, type Kind, type Report, type ReportSet, type Series, type Table, type Unit } from "../data/report";
import { cellText, numberOf, visible } from "../report/format";
import { shownCell } from "../report/names";

export interface PictureProps {
  readonly report: Report;
  readonly table: Table;
}

export const reportOf = (answer: ReportSet, analysis: string): Report | undefined =>
  answer.reports.find((report) => report.analysis === analysis && report.status !== "unavailable");

export const tableOf = (report: Report | undefined, key: string): Table | undefined =>
  report?.tables.find((table) => table.key === key && table.rows.length > 0);

export const seriesOf = (report: Report | undefined, key: string): Series | undefined =>
  report?.series.find((series) => series.key === key && series.points.length > 1);

export const columnAt = (table: Table, key: string): number => table.columns.findIndex((column) => column.key === key);

// The largest of any number of values, at least `least`: Math.max(...) takes only so many arguments.
export function largestOf(values: Iterable<number>, least = 0): number {
  let largest = least;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

export const kindOfColumn = (table: Table, at: number): Kind => kindNamed(table.columns[at]?.kind);

// The kind of a row, in a table whose rows have kinds.
export const kindOfRow = (table: Table, row: readonly Cell[]): Kind =>
  kindNamed(String(row[columnAt(table, table.kind_column ?? "")] ?? ""));

export interface Value {
  readonly number: number | null;
  readonly text: string;
}

export function valueAt(table: Table, row: readonly Cell[], at: number): Value {
  const unit: Unit = table.columns[at]?.unit ?? "";
  const cell = row[at] ?? null;
  return { number: numberOf(cell, unit), text: cellText(cell, unit) };
}

// What says which row it is: its key columns, without those that are the same in all rows and those
// that only repeat the rank (a device numbered like it).
export function labelColumns(table: Table, without: readonly string[] = []): number[] {
  const keys = table.columns.map((_, at) => at).filter((at) => table.columns[at]!.role === "key" && !without.includes(table.columns[at]!.key));
  const differs = (at: number) => table.rows.some((row) => row[at] !== table.rows[0]?.[at]);
  const rank = columnAt(table, "rank");
  const repeatsRank = (at: number) => at !== rank && rank >= 0 && table.rows.every((row) => row[at] === row[rank]);
  const useful = keys.filter((at) => differs(at) && !repeatsRank(at));
  return useful.length > 0 ? useful : keys.slice(0, 1);
}

const kNamed = new Set(["rank", "window", "device", "stream", "step", "attempt"]);

function labelPart(column: Column, cell: Cell, textOf: typeof cellText): string {
  const text = textOf(cell, "");
  return kNamed.has(column.key) && typeof cell === "number" ? `${visible(column.title)} ${text}` : text;
}

export const labelOf = (table: Table, row: readonly Cell[], columns: readonly number[]): string =>
  columns.map((at) => labelPart(table.columns[at]!, row[at] ?? null, cellText)).join(", ");

// The same as people read it: two rows may have the same.
export const shownLabelOf = (table: Table, row: readonly Cell[], columns: readonly number[]): string =>
  columns.map((at) => labelPart(table.columns[at]!, row[at] ?? null, shownCell)).join(", ");

// Rows of one table that share a label, in the order in which the labels come.
export function groupRows(table: Table, columns: readonly number[]): Map<string, (readonly Cell[])[]> {
  const groups = new Map<string, (readonly Cell[])[]>();
  for (const row of table.rows) {
    const label = labelOf(table, row, columns);
    const group = groups.get(label);
    if (group) group.push(row);
    else groups.set(label, [row]);
  }
  return groups;
}
