// Draws plain bars, one per row, for one column.
import type { ComponentType } from "preact";
import { visible } from "../report/format";
import { t } from "../text";
import { columnAt, kindOfColumn, kindOfRow, labelColumns, valueAt, type PictureProps } from "./parts";
import { barHead, StackedBars, type BarRow } from "./stacked";

const kMost = 20;

// The first rows of a table (the most important come first) by one column, in the color of the row's kind, or of the
// column's where rows have none.
// `most`: so many rows at most. `called`: the columns that name a row, where its keys are numbers.
export function plainBars(value: string, called: readonly string[] = [], most = kMost): ComponentType<PictureProps> {
  return (props) => {
    const { table } = props, at = columnAt(table, value);
    if (at < 0) return null;
    const byRow = table.kind_column;
    const first = { ...table, rows: table.rows.slice(0, most) };
    const labels = called.length > 0 ? called.map((key) => columnAt(table, key)) : labelColumns(first, byRow ? [byRow] : []);
    const title = visible(table.columns[at]!.title);
    const rows = first.rows.flatMap((row): BarRow[] => {
      const { number, text } = valueAt(table, row, at);
      if (number === null || number <= 0) return [];
      const kind = byRow ? kindOfRow(table, row) : kindOfColumn(table, at);
      return [{ ...barHead(props, row, labels), parts: [{ title: byRow ? t(`kind.${kind}`) : title, kind, value: number, text }] }];
    });
    if (rows.length === 0) return null;
    return <StackedBars rows={rows} title={t("picture.first_rows", { title: visible(table.title), column: title })} legend={byRow !== undefined} />;
  };
}
