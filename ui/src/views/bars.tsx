// Draws plain bars, one per row, for one column.
import type { ComponentType } from "preact";
import type { Cell, Table } from "../data/report";
import { cellText, numberOf, visible } from "../report/format";
import { t } from "../text";
import { columnAt, kindOfColumn, kindOfRow, labelColumns, valueAt, type PictureProps } from "./parts";
import { barHead, StackedBars, type BarRow } from "./stacked";

const kMost = 20;

export interface Choice {
  readonly called?: readonly string[];  // the columns that name a row, where its keys are numbers or all that it was called with
  readonly most?: number;
  readonly ofOneRank?: boolean;         // of a table that says the same of every rank, only the first rank's rows
}

// Of memory at the peak: which operator made it, of what shape.
export const kAtPeak: Choice = { called: ["operator", "shape"], ofOneRank: true };

// The rows that have most of a column, in that order. Of rows with as much, those that the table has first.
export function largestRows(table: Table, at: number, most: number): Table["rows"] {
  const size = (row: readonly Cell[]): number => numberOf(row[at] ?? null, table.columns[at]!.unit) ?? -Infinity;
  return [...table.rows].sort((a, b) => size(b) - size(a)).slice(0, most);
}

// A table's rows of its first rank, and which rank that is: none where the table is of one rank, or of none.
export function firstRank(table: Table): { readonly table: Table; readonly rank: Cell } {
  const at = columnAt(table, "rank"), rank = table.rows[0]?.[at] ?? null;
  const rows = at < 0 ? table.rows : table.rows.filter((row) => row[at] === rank);
  return { table: { ...table, rows }, rank: rows.length < table.rows.length ? rank : null };
}

// The largest rows of a table by one column, in the color of the row's kind, or of the column's where rows have none.
export function plainBars(value: string, { called = [], most = kMost, ofOneRank = false }: Choice = {}): ComponentType<PictureProps> {
  return (props) => {
    const { table, rank } = ofOneRank ? firstRank(props.table) : { table: props.table, rank: null };
    const at = columnAt(table, value);
    if (at < 0) return null;
    const byRow = table.kind_column;
    const first = { ...table, rows: largestRows(table, at, most) };
    const named = called.map((key) => columnAt(table, key)).filter((key) => key >= 0);
    const labels = named.length > 0 ? named : labelColumns(first, byRow ? [byRow] : []);
    const column = visible(table.columns[at]!.title);
    const rows = first.rows.flatMap((row): BarRow[] => {
      const { number, text } = valueAt(table, row, at);
      if (number === null || number <= 0) return [];
      const kind = byRow ? kindOfRow(table, row) : kindOfColumn(table, at);
      return [{ ...barHead(props, row, labels), parts: [{ title: byRow ? t(`kind.${kind}`) : column, kind, value: number, text }] }];
    });
    if (rows.length === 0) return null;
    const title = rank === null ? visible(table.title) : t("picture.of_rank", { title: visible(table.title), rank: cellText(rank, "") });
    return <StackedBars rows={rows} title={t("picture.first_rows", { title, column })} legend={byRow !== undefined} />;
  };
}
