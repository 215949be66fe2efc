// Draws stacked bars on one scale, one per row: a breakdown by rank.
import type { ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { Cell, Kind } from "../data/report";
import { humanCount, visible } from "../report/format";
import { RowInTimeline } from "../report/in_timeline";
import { Name } from "../report/names";
import { t } from "../text";
import { Legend, lookClass, type LegendEntry } from "./legend";
import { columnAt, fullLabelOf, groupRows, kindOfColumn, kindOfRow, labelColumns, largestOf, shownLabelOf, valueAt, type PictureProps } from "./parts";

export interface BarPart {
  readonly title: string;
  readonly kind: Kind;
  readonly value: number;
  readonly text: string;
}

export interface BarRow {
  readonly label: string;
  readonly shown?: string;  // in place of the label, which is then what the pointer says
  readonly parts: readonly BarPart[];
  readonly link?: ComponentChildren;  // to what it stands for
}

// What stands around the bar of a row.
export const barHead = ({ report, table }: PictureProps, row: readonly Cell[], labels: readonly number[]): Omit<BarRow, "parts"> => ({
  label: fullLabelOf(table, row, labels), shown: shownLabelOf(table, row, labels),
  link: <RowInTimeline table={table} row={row} analysis={report.analysis} />,
});

const kAtFirst = 32;
const kMore = 500;  // at a time: a page of 10,000 bars takes seconds
const kMany = 200;  // rows: of more, those that differ most come first

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}

// Rows by how far their parts are from the median of each part, the farthest first.
export function mostDifferent(rows: readonly BarRow[]): BarRow[] {
  const titles = legendOf(rows).map(({ title }) => title), valueOf = (row: BarRow, title: string) => row.parts.find((part) => part.title === title)?.value ?? 0;
  const middle = new Map(titles.map((title) => [title, median(rows.map((row) => valueOf(row, title)))]));
  const far = new Map(rows.map((row) => [row, titles.reduce((sum, title) => sum + Math.abs(valueOf(row, title) - middle.get(title)!), 0)]));
  return [...rows].sort((a, b) => far.get(b)! - far.get(a)!);
}

function legendOf(rows: readonly BarRow[]): LegendEntry[] {
  const seen = new Map<string, LegendEntry>();
  for (const row of rows) for (const { title, kind } of row.parts) if (!seen.has(title)) seen.set(title, { title, kind });
  return [...seen.values()];
}

const widthOf = (row: BarRow) => row.parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);

// `single`: no row has several parts, so the value stands beside the bar.
function Bar({ row, full, single }: { row: BarRow; full: number; single: boolean }) {
  const message = row.parts.map((part) => `${part.title} ${part.text}`).join(", ");
  return (
    <li>
      <span class="bar-label" title={row.label}><Name text={row.shown ?? row.label} /></span>
      <span class="bar" role="img" aria-label={`${row.label}: ${message}`}>
        {row.parts.map((part) => {
          const share = full > 0 ? (100 * Math.max(0, part.value)) / full : 0;
          return (
            <span key={part.title} class={`part ${lookClass(part.kind)}`} style={{ width: `${share}%` }} title={`${part.title}: ${part.text}`}>
              {share > 9 && !single && <span class="part-text">{part.text}</span>}
            </span>
          );
        })}
      </span>
      {(single || row.link) && <span class="bar-value">{single && row.parts[0]?.text}{row.link}</span>}
    </li>
  );
}

export function StackedBars({ rows: given, title, legend = true }: { rows: readonly BarRow[]; title: string; legend?: boolean }) {
  const [count, setCount] = useState(kAtFirst), many = given.length > kMany, rows = many ? mostDifferent(given) : given;
  const longest = largestOf(rows.map(widthOf));
  const single = rows.every((row) => row.parts.length <= 1);
  const shown = rows.slice(0, count), more = Math.min(kMore, rows.length - shown.length);
  if (longest === 0) return null;  // of a job without device, where the parts are times of it
  return (
    <figure class="bars">
      <figcaption>{many ? t("picture.most_different", { title, shown: shown.length, rows: humanCount(rows.length) }) : title}</figcaption>
      {legend && <Legend entries={legendOf(rows)} />}
      <ul class="bar-list">{shown.map((row) => <Bar key={row.label} row={row} full={longest} single={single} />)}</ul>
      {rows.length > shown.length && <button type="button" class="quiet" onClick={() => setCount(count + more)}>{count + more >= rows.length ? t("picture.all_rows", { rows: rows.length }) : t("picture.more_rows", { more, rows: humanCount(rows.length) })}</button>}
    </figure>
  );
}

// A picture of a table with one column for each part: parts in this order.
export function stackedColumns(parts: readonly string[]): ComponentType<PictureProps> {
  return (props) => {
    const { table } = props, labels = labelColumns(table);
    const rows = table.rows.map((row): BarRow => ({
      ...barHead(props, row, labels),
      parts: parts.flatMap((key) => {
        const at = columnAt(table, key);
        const { number, text } = valueAt(table, row, at);
        return at < 0 || number === null || number <= 0 ? [] : [{ title: visible(table.columns[at]!.title), kind: kindOfColumn(table, at), value: number, text }];
      }),
    }));
    return <StackedBars rows={rows} title={visible(table.title)} />;
  };
}

// A picture of a table with one row for each part: `name` says which, `value` how much.
export function stackedRows(name: string, value: string): ComponentType<PictureProps> {
  return ({ table }) => {
    const nameAt = columnAt(table, name);
    const valueColumn = columnAt(table, value);
    const labels = labelColumns(table, [name]);
    const rows = [...groupRows(table, labels).values()].map((group): BarRow => ({
      label: fullLabelOf(table, group[0]!, labels) || visible(table.columns[valueColumn]?.title ?? ""),
      parts: group.flatMap((row) => {
        const { number, text } = valueAt(table, row, valueColumn);
        const title = valueAt(table, row, nameAt).text;
        return number === null || number <= 0 ? [] : [{ title, kind: kindOfRow(table, row), value: number, text }];
      }),
    }));
    return <StackedBars rows={rows} title={visible(table.title)} />;
  };
}
