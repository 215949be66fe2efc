// Plain bars, one a row: who has how much of one thing.
import type { ComponentType } from "preact";
import { kindOf, type Kind } from "../shell/palette";
import type { Cell } from "../data/report";
import { visible } from "../report/format";
import { t } from "../text";
import { columnAt, labelColumns, labelOf, valueAt, type PictureProps } from "./parts";
import { StackedBars, type BarPart, type BarRow } from "./stacked";

const kMost = 20;

// The first rows of a table (the most important come first) by one column; coloured by their kind
// (or by the side, device or host) where the table has one.
// `called`: the columns that name a row, where its keys are numbers.
export function plainBars(value: string, kind: Kind, called: readonly string[] = []): ComponentType<PictureProps> {
  return ({ table }) => {
    const at = columnAt(table, value);
    if (at < 0) return null;
    const kindKey = columnAt(table, "side") >= 0 ? "side" : "kind";
    const kinds = columnAt(table, kindKey);
    const byKind = kinds >= 0 && table.columns.some((column) => column.key === "name");
    const labels = called.length > 0 ? called.map((key) => columnAt(table, key)) : labelColumns(table, byKind ? [kindKey] : []);
    const title = visible(table.columns[at]!.title);
    const part = (own: Cell | undefined, number: number, text: string): BarPart =>
      byKind ? { title: visible(String(own)), kind: kindOf(String(own)), value: number, text } : { title, kind, value: number, text };
    const rows = table.rows.slice(0, kMost).flatMap((row): BarRow[] => {
      const { number, text } = valueAt(table, row, at);
      return number === null || number <= 0 ? [] : [{ label: labelOf(table, row, labels), parts: [part(row[kinds], number, text)] }];
    });
    if (rows.length === 0) return null;
    return <StackedBars rows={rows} title={t("picture.first_rows", { title: visible(table.title), column: title })} legend={byKind} />;
  };
}
