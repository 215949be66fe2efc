// The life of a job on one axis: what its time was, attempt by attempt (exactly, where the report
// tells stretches), and the disruptions that ended them.
import { tableOf, columnAt, valueAt, type PictureProps } from "./parts";
import type { Cell, Report, Table } from "../data/report";
import { humanTime, visible } from "../report/format";
import { t, type TextKey } from "../text";
import { bucketKind } from "./buckets";
import { Legend, lookClass, type LegendEntry } from "./legend";
import type { Kind } from "../shell/palette";

interface Stretch extends LegendEntry {
  readonly from: number;
  readonly length: number;
  readonly says: string;
}

const kOfAttempt: readonly (readonly [column: string, kind: Kind, title: TextKey])[] = [
  ["startup", "host", "job.startup"], ["productive", "compute", "job.productive"], ["wasted", "input", "job.wasted"],
];

function segments(table: Table): Stretch[] {
  const [start, duration, bucket] = ["start", "duration", "bucket"].map((key) => columnAt(table, key)) as [number, number, number];
  return table.rows.flatMap((row): Stretch[] => {
    const from = valueAt(table, row, start).number;
    const length = valueAt(table, row, duration);
    const title = visible(String(row[bucket] ?? ""));
    return from === null || length.number === null ? [] : [{ from, length: length.number, kind: bucketKind(title), title, says: `${title}: ${length.text}` }];
  });
}

// An attempt tells how long it started, made progress and lost it; the rest of it is drawn as such.
function attemptParts(table: Table, row: readonly Cell[]): Stretch[] {
  const read = (key: string) => valueAt(table, row, columnAt(table, key));
  const start = read("start").number;
  const lasted = read("lasted");
  if (start === null || lasted.number === null) return [];
  const name = t("job.attempt", { attempt: String(row[columnAt(table, "attempt")] ?? ""), fate: read("fate").text });
  let from = start;
  const out: Stretch[] = [];
  const add = (kind: Kind, key: TextKey, length: number, text: string) => {
    if (length > 0) out.push({ from, length, kind, title: t(key), says: `${name}, ${t(key)}: ${text}` });
    from += Math.max(0, length);
  };
  for (const [column, kind, title] of kOfAttempt) add(kind, title, read(column).number ?? 0, read(column).text);
  add("other", "job.rest", start + lasted.number - from, lasted.text);
  add("wait", "job.recovery", read("recovery").number ?? 0, read("recovery").text);
  return out;
}

function disruptions(report: Report): { at: number; says: string }[] {
  const table = tableOf(report, "disruptions");
  if (!table) return [];
  const [at, cause, cost] = ["at", "cause", "cost"].map((key) => columnAt(table, key)) as [number, number, number];
  return table.rows.flatMap((row) => {
    const when = valueAt(table, row, at);
    if (when.number === null) return [];
    return [{ at: when.number, says: t("job.disruption", { at: when.text, cause: valueAt(table, row, cause).text, cost: valueAt(table, row, cost).text }) }];
  });
}

export function JobTimeline({ report, table }: PictureProps) {
  const exact = columnAt(table, "bucket") >= 0;
  const drawn = exact ? segments(table) : table.rows.flatMap((row) => attemptParts(table, row));
  const breaks = disruptions(report);
  const end = drawn.reduce((last, stretch) => Math.max(last, stretch.from + stretch.length), 1);
  const percent = (time: number) => `${(100 * time) / end}%`;
  const legend = [...new Map(drawn.map(({ kind, title }) => [title, { kind, title }])).values()];
  return (
    <figure class="job">
      <figcaption>{t("job.title")}{!exact && `. ${t("job.within")}`}</figcaption>
      <Legend entries={legend} />
      <div class="job-breaks" aria-hidden="true">
        {breaks.map((one, at) => <span key={at} class="job-break" style={{ left: percent(one.at) }} title={one.says}>▼</span>)}
      </div>
      <div class="job-line" role="img" aria-label={t("job.label", { attempts: table.rows.length, disruptions: breaks.length, time: humanTime(end) })}>
        {drawn.map((one, at) => <span key={at} class={`part ${lookClass(one.kind)}`} style={{ left: percent(one.from), width: percent(one.length) }} title={one.says} />)}
      </div>
      <p class="axis"><span>{humanTime(0)}</span><span>{humanTime(end / 2)}</span><span>{humanTime(end)}</span></p>
      <p class="faint">{t("job.hint", { disruptions: breaks.length })}</p>
    </figure>
  );
}
