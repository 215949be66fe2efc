// Compares two runs row by row, for one value at a time: a bar per run, and the change. Works for every table of `compare`.
import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { Cell, Table, Unit } from "../data/report";
import { langOf, sharedTitle } from "../data/words";
import { humanNumber, unsigned, visible } from "../report/format";
import { RowInTimeline } from "../report/in_timeline";
import { Name } from "../report/names";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { columnAt, fullLabelOf, labelColumns, largestOf, shownLabelOf, valueAt, type PictureProps, type Value } from "./parts";

const kMost = 8;

// What the two runs are called.
export const RunNames = createContext<{ readonly a: string; readonly b: string }>({ a: "A", b: "B" });

export const isCompared = (table: Table): boolean => comparedColumns(table).length > 0;

// The names of values that the table holds of both runs: "time" for time_a and time_b.
export function comparedColumns(table: Table): string[] {
  return table.columns
    .filter((column) => column.key.endsWith("_a") && column.unit !== "")
    .map((column) => column.key.slice(0, -2))
    .filter((name) => columnAt(table, `${name}_b`) >= 0);
}

// What they are called: "time" of "time, before" and "time, after".
export const titleOf = (table: Table, name: string): string =>
  visible(sharedTitle(["_a", "_b"].map((end) => table.columns[columnAt(table, name + end)]!.title)));

interface Compared {
  readonly row: readonly Cell[];
  readonly label: string;
  readonly shown: string;
  readonly a: Value;
  readonly b: Value;
  readonly change: Value;
  readonly ratio: Value;
}

// The rows that have a value, the largest change first. What one of the runs has not at all has changed by all of it.
export function comparedRows(table: Table, name: string): Compared[] {
  const labels = labelColumns(table);
  const at = ["_a", "_b", "_change", "_change_ratio"].map((end) => columnAt(table, name + end));
  const read = (row: readonly Cell[], index: number): Value => valueAt(table, row, at[index] ?? -1);
  const valueOf = (number: number, unit: Unit): Value => ({ number, text: humanNumber(number, unit) });
  const unit = table.columns[at[2]!]!.unit;
  const rows = table.rows.map((row): Compared => {
    const one = { row, label: fullLabelOf(table, row, labels), shown: shownLabelOf(table, row, labels), a: read(row, 0), b: read(row, 1), change: read(row, 2), ratio: read(row, 3) };
    if (one.change.number !== null || (one.a.number === null) === (one.b.number === null)) return one;
    const gone = one.a.number;
    return { ...one, change: valueOf(gone === null ? one.b.number! : -gone, unit), ratio: gone ? valueOf(-1, "ratio") : one.ratio };
  });
  return rows.filter(({ a, b }) => a.number || b.number).sort((one, other) => Math.abs(other.change.number ?? 0) - Math.abs(one.change.number ?? 0));
}

function Pair({ label, shown, a, b, change, ratio, full, link }: Compared & { full: number; link: ComponentChildren }) {
  const width = (value: Value) => ({ width: `${full > 0 ? (100 * Math.max(0, value.number ?? 0)) / full : 0}%` });
  const sign = (change.number ?? 0) > 0 ? "▲" : (change.number ?? 0) < 0 ? "▼" : "=";
  const message = t("compare.message", { label, a: a.text, b: b.text, change: change.text });
  return (
    <li>
      <span class="bar-label" title={label}><Name text={shown} /></span>
      <span class="pair" role="img" aria-label={message} title={message}>
        <span class="bar"><span class="part run-before p-bars" style={width(a)} /></span>
        <span class="bar"><span class="part run-after" style={width(b)} /></span>
      </span>
      <span class="bar-value">{sign} {unsigned(change.text)}{ratio.number !== null && ` (${ratio.text})`}{link}</span>
    </li>
  );
}

export function ComparedBars({ report, table }: PictureProps) {
  const runs = useContext(RunNames);
  const names = comparedColumns(table);
  const best = names.find((name) => table.columns[columnAt(table, `${name}_a`)]!.unit === "ns") ?? names[0]!;
  const [chosen, setChosen] = useUrlState(`compare.${table.key}`, best);
  const name = names.includes(chosen) ? chosen : best;
  const rows = comparedRows(table, name).slice(0, kMost);
  const full = largestOf(rows.flatMap(({ a, b }) => [a.number ?? 0, b.number ?? 0]));
  const title = (one: string) => titleOf(table, one);
  return (
    <figure class="bars">
      <figcaption>{t("picture.largest_changes", { title: visible(table.title), column: title(name) })}</figcaption>
      {names.length > 1 && (
        <div class="tabs" role="group" aria-label={t("heat.choose")}>
          {names.map((one) => <button key={one} type="button" lang={langOf(title(one))} aria-pressed={one === name} onClick={() => setChosen(one, "replace")}>{title(one)}</button>)}
        </div>
      )}
      <ul class="legend">
        <li><span class="swatch run-before p-bars" aria-hidden="true" /> {t("compare.a", { name: runs.a })}</li>
        <li><span class="swatch run-after" aria-hidden="true" /> {t("compare.b", { name: runs.b })}</li>
      </ul>
      <ul class="bar-list">{rows.map((row) => <Pair key={row.label} {...row} full={full} link={<RowInTimeline table={table} row={row.row} analysis={report.analysis} />} />)}</ul>
    </figure>
  );
}
