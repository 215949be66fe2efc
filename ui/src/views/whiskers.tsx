// Draws the duration of one kernel by rank: mean as a bar, minimum and maximum as whiskers.
import type { ComponentChildren } from "preact";
import type { Kind } from "../data/report";
import { shortName } from "../data/short_names";
import { visible } from "../report/format";
import { RowInTimeline } from "../report/in_timeline";
import { cutInMiddle } from "../report/names";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { lookClass } from "./legend";
import { columnAt, fullLabelOf, kindOfRow, labelColumns, largestOf, valueAt, type PictureProps } from "./parts";

const kOffered = 40;
const kRanks = 128;

interface Whisker {
  readonly label: string;
  readonly link: ComponentChildren;
  readonly kind: Kind;
  readonly values: readonly [min: number, mean: number, max: number];
  readonly texts: readonly [min: string, mean: string, max: string];
}

function whiskersOf({ report, table }: PictureProps, name: string): Whisker[] {
  const at = columnAt(table, "name");
  const columns = ["min", "mean", "max"].map((key) => columnAt(table, key));
  const labels = labelColumns(table, ["name", "kind"]);
  return table.rows.flatMap((row): Whisker[] => {
    if (row[at] !== name) return [];
    const [min, mean, max] = columns.map((column) => valueAt(table, row, column));
    if (min?.number == null || mean?.number == null || max?.number == null) return [];
    return [{ link: <RowInTimeline table={table} row={row} analysis={report.analysis} />, label: fullLabelOf(table, row, labels), kind: kindOfRow(table, row), values: [min.number, mean.number, max.number], texts: [min.text, mean.text, max.text] }];
  });
}

function WhiskerRow({ whisker, full }: { whisker: Whisker; full: number }) {
  const [min, mean, max] = whisker.values.map((value) => `${full > 0 ? (100 * value) / full : 0}%`) as [string, string, string];
  const [minText, meanText, maxText] = whisker.texts;
  const message = t("whisker.message", { mean: meanText, min: minText, max: maxText });
  const span = full > 0 ? `${(100 * (whisker.values[2] - whisker.values[0])) / full}%` : "0";
  return (
    <li>
      <span class="bar-label">{whisker.label}</span>
      <span class="bar whisker" role="img" aria-label={`${whisker.label}: ${message}`} title={message}>
        <span class={`part ${lookClass(whisker.kind)}`} style={{ width: mean }} />
        <span class="whisker-line" style={{ left: min, width: span }} />
        <span class="whisker-end" style={{ left: min }} />
        <span class="whisker-end" style={{ left: max }} />
      </span>
      <span class="bar-value">{meanText}{whisker.link}</span>
    </li>
  );
}

export function KernelWhiskers(props: PictureProps) {
  const { table } = props;
  const at = columnAt(table, "name");
  const names = [...new Set(table.rows.map((row) => String(row[at] ?? "")))].slice(0, kOffered);
  const [chosen, setChosen] = useUrlState("kernel", names[0] ?? "");
  const name = names.includes(chosen) ? chosen : (names[0] ?? "");
  const whiskers = whiskersOf(props, name).slice(0, kRanks);
  const full = largestOf(whiskers.map((whisker) => whisker.values[2]));
  if (whiskers.length === 0) return null;
  return (
    <figure class="bars">
      <figcaption>{t("whisker.title")}</figcaption>
      <label class="choose">
        <span>{t("whisker.kernel")}</span>
        <select value={name} onChange={(event) => setChosen(event.currentTarget.value)}>
          {names.map((one) => <option key={one} value={one}>{cutInMiddle(visible(shortName(one)), 90)}</option>)}
        </select>
      </label>
      <ul class="bar-list">{whiskers.map((whisker) => <WhiskerRow key={whisker.label} whisker={whisker} full={full} />)}</ul>
    </figure>
  );
}
