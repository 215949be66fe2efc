// Reads a report's tables by column key, for pictures.
import { kindNamed, type Cell, type Column, type Kind, type Report, type ReportSet, type Series, type Table } from "../data/report";
import { cellText, numberOf, visible } from "../report/format";
import { fullCell, shownCell } from "../report/names";

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

const kNoColumn = { key: "", unit: "" } as const;

// The text is in the language that is shown.
export function valueAt(table: Table, row: readonly Cell[], at: number): Value {
  const column = table.columns[at] ?? kNoColumn, cell = row[at] ?? null;
  return { number: numberOf(cell, column.unit), text: fullCell(column, cell) };
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

function labelFrom(table: Table, row: readonly Cell[], columns: readonly number[], called: (column: Column) => string, textOf: (column: Column, cell: Cell) => string): string {
  return columns.map((at) => {
    const column = table.columns[at]!, cell = row[at] ?? null, text = textOf({ ...column, unit: "" }, cell);
    return kNamed.has(column.key) && typeof cell === "number" ? `${called(column)} ${text}` : text;
  }).join(", ");
}

const titled = (column: Column): string => visible(column.title);

// The same in every language, as the URL keeps it: "rank 3".
export const labelOf = (table: Table, row: readonly Cell[], columns: readonly number[]): string =>
  labelFrom(table, row, columns, ({ key }) => key, (_, cell) => cellText(cell, ""));

// Without what the row has not: a function without a file.
const told = (row: readonly Cell[], columns: readonly number[]): readonly number[] => {
  const some = columns.filter((at) => row[at] !== null && row[at] !== "");
  return some.length > 0 ? some : columns;
};

// In the language that is shown, with full names.
export const fullLabelOf = (table: Table, row: readonly Cell[], columns: readonly number[]): string => labelFrom(table, row, told(row, columns), titled, fullCell);

// The same as people read it: two rows may have the same.
export const shownLabelOf = (table: Table, row: readonly Cell[], columns: readonly number[]): string => labelFrom(table, row, told(row, columns), titled, shownCell);

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
