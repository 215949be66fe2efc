// Draws a job on one axis: its segments by bucket, and the disruptions that ended attempts.
import type { Kind, Report, Table } from "../data/report";
import { humanTime } from "../report/format";
import { t } from "../text";
import { Legend, lookClass, type LegendEntry } from "./legend";
import { columnAt, kindOfRow, largestOf, tableOf, valueAt, type PictureProps } from "./parts";

export interface Stretch extends LegendEntry {
  readonly from: number;
  readonly length: number;
  readonly message: string;
}

interface Break {
  readonly at: number;
  readonly message: string;
}

// What people call a bucket, which the table of buckets tells: "steps that count".
function bucketTitles(report: Report): Map<string, string> {
  const table = tableOf(report, "buckets");
  if (!table) return new Map();
  const [bucket, message] = [columnAt(table, "bucket"), columnAt(table, "meaning")];
  return new Map(table.rows.map((row) => [String(row[bucket] ?? ""), row[message] ? valueAt(table, row, message).text : ""]));
}

export function stretchesOf(report: Report, table: Table): Stretch[] {
  const titles = bucketTitles(report);
  const [attempt, start, duration, bucket] = ["attempt", "start", "duration", "bucket"].map((key) => columnAt(table, key)) as [number, number, number, number];
  return table.rows.flatMap((row): Stretch[] => {
    const [from, length] = [valueAt(table, row, start), valueAt(table, row, duration)];
    if (from.number === null || length.number === null) return [];
    const name = String(row[bucket] ?? "");
    const title = titles.get(name) || valueAt(table, row, bucket).text;
    const words = { title, lasted: length.text, from: from.text, attempt: String(row[attempt] ?? "") };
    const message = row[attempt] === null ? t("job.before", words) : t("job.stretch", words);
    return [{ from: from.number, length: length.number, kind: kindOfRow(table, row), title, message }];
  });
}

// Buckets of one kind look the same and share an entry.
export function legendOf(drawn: readonly Stretch[]): LegendEntry[] {
  const titles = new Map<Kind, Set<string>>();
  for (const { kind, title } of drawn) titles.set(kind, (titles.get(kind) ?? new Set()).add(title));
  return [...titles].map(([kind, of]) => ({ kind, title: [...of].join("; ") }));
}

function breaksOf(report: Report): Break[] {
  const table = tableOf(report, "disruptions");
  if (!table) return [];
  const [at, cause, cost] = ["at", "cause", "cost"].map((key) => columnAt(table, key)) as [number, number, number];
  return table.rows.flatMap((row) => {
    const when = valueAt(table, row, at);
    if (when.number === null) return [];
    return [{ at: when.number, message: t("job.disruption", { at: when.text, cause: valueAt(table, row, cause).text, cost: valueAt(table, row, cost).text }) }];
  });
}

export function JobTimeline({ report, table }: PictureProps) {
  const drawn = stretchesOf(report, table);
  const breaks = breaksOf(report);
  const begin = drawn[0]?.from ?? 0; // what was waited before the first attempt is negative
  const end = largestOf(drawn.map((one) => one.from + one.length), begin + 1);
  const middle = begin + (end - begin) / 2;
  const share = (time: number) => `${(100 * time) / (end - begin)}%`;
  return (
    <figure class="job">
      <figcaption>{t("job.title")}</figcaption>
      <Legend entries={legendOf(drawn)} />
      <div class="job-breaks" aria-hidden="true">
        {breaks.map((one, at) => <span key={at} class="job-break" style={{ left: share(one.at - begin) }} title={one.message}>▼</span>)}
      </div>
      <div class="job-line" role="img" aria-label={t("job.label", { stretches: drawn.length, disruptions: breaks.length, time: humanTime(end - begin) })}>
        {drawn.map((one, at) => <span key={at} class={`part ${lookClass(one.kind)}`} style={{ left: share(one.from - begin), width: share(one.length) }} title={one.message} />)}
      </div>
      <p class="axis"><span>{humanTime(begin)}</span><span>{humanTime(middle)}</span><span>{humanTime(end)}</span></p>
      <p class="faint">{t("job.hint", { disruptions: breaks.length })}</p>
    </figure>
  );
}
