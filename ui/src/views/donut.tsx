// Draws shares of busy time as rings, one per rank.
import { useState } from "preact/hooks";
import type { Kind } from "../data/report";
import { langOf } from "../data/words";
import { kLooks } from "../shell/palette";
import { humanCount, visible } from "../report/format";
import { t } from "../text";
import { Legend } from "./legend";
import { columnAt, fullLabelOf, groupRows, kindOfRow, labelColumns, valueAt, type PictureProps } from "./parts";

interface Slice {
  readonly title: string;
  readonly kind: Kind;
  readonly share: number;
  readonly text: string;
}

const kAtFirst = 9;
const kMore = 90;  // at a time

function point(turn: number, radius: number): string {
  const angle = 2 * Math.PI * turn - Math.PI / 2;
  return `${(radius * Math.cos(angle)).toFixed(3)} ${(radius * Math.sin(angle)).toFixed(3)}`;
}

function ringPath(from: number, to: number): string {
  const end = Math.min(to, from + 0.99999); // a whole turn would begin where it ends
  const large = end - from > 0.5 ? 1 : 0;
  return `M${point(from, 48)}A48 48 0 ${large} 1 ${point(end, 48)}L${point(end, 28)}A28 28 0 ${large} 0 ${point(from, 28)}Z`;
}

function Ring({ label, slices }: { label: string; slices: readonly Slice[] }) {
  let from = 0;
  const arcs = slices.map((slice) => ({ ...slice, from, to: (from += slice.share) }));
  return (
    <figure class="ring">
      <svg viewBox="-50 -50 100 100" role="img" aria-label={`${label}: ${slices.map((slice) => `${slice.title} ${slice.text}`).join(", ")}`}>
        {arcs.map((arc) => (
          <g key={arc.title}>
            <title>{`${arc.title}: ${arc.text}`}</title>
            <path d={ringPath(arc.from, arc.to)} class={`ring-part k-${arc.kind}`} />
            <path d={ringPath(arc.from, arc.to)} fill={`url(#fill-${kLooks[arc.kind].pattern})`} class="ring-edge" />
          </g>
        ))}
      </svg>
      <figcaption>{label}</figcaption>
      <ol class="shares">{slices.map((slice) => <li key={slice.title}><span>{slice.title}</span> <b>{slice.text}</b></li>)}</ol>
    </figure>
  );
}

export function KindRings({ table }: PictureProps) {
  const [count, setCount] = useState(kAtFirst);
  const name = columnAt(table, "kinds");
  const ratio = columnAt(table, "ratio");
  const labels = labelColumns(table, ["kinds"]);
  const rings = [...groupRows(table, labels).values()].map((rows) => ({
    label: fullLabelOf(table, rows[0]!, labels),
    slices: rows.flatMap((row): Slice[] => {
      const { number, text } = valueAt(table, row, ratio);
      return number === null || number <= 0 ? [] : [{ title: valueAt(table, row, name).text, kind: kindOfRow(table, row), share: number, text }];
    }),
  }));
  const kinds = new Map(rings.flatMap((ring) => ring.slices.map((slice) => [slice.title, slice] as const)));
  const shown = rings.slice(0, count), more = Math.min(kMore, rings.length - shown.length);
  return (
    <figure class="rings">
      <figcaption lang={langOf(table.title)}>{visible(table.title)}</figcaption>
      <Legend entries={[...kinds.values()]} />
      <div class="ring-list">{shown.map((ring) => <Ring key={ring.label} {...ring} />)}</div>
      {rings.length > shown.length && <button type="button" class="quiet" onClick={() => setCount(count + more)}>{count + more >= rings.length ? t("picture.all_rows", { rows: rings.length }) : t("picture.more_rows", { more, rows: humanCount(rings.length) })}</button>}
    </figure>
  );
}

// The patterns that rings and other drawings of vectors are filled with; once on the page.
export function PatternDefs() {
  const tile = (id: string, d: string) => (
    <pattern id={`fill-${id}`} width="6" height="6" patternUnits="userSpaceOnUse"><path d={d} class="pattern-line" /></pattern>
  );
  return (
    <svg width="0" height="0" class="defs" aria-hidden="true">
      <defs>
        {tile("solid", "")}
        {tile("outline", "")}
        {tile("stripes", "M-1 1L1 -1M0 6L6 0M5 7L7 5")}
        {tile("backstripes", "M-1 5L1 7M0 0L6 6M5 -1L7 1")}
        {tile("cross", "M0 0L6 6M0 6L6 0")}
        {tile("bars", "M3 0V6")}
        {tile("waves", "M0 3H6")}
        {tile("dots", "M2 3H4")}
      </defs>
    </svg>
  );
}
