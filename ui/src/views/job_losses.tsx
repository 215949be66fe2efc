// Lists the jobs of a ledger by what they lost, each with its goodput over time and a link to its page.
import type { Cell, Report, Table } from "../data/report";
import { humanNumber, visible } from "../report/format";
import { jobLink } from "../shell/job";
import { usePlace } from "../shell/url";
import { t } from "../text";
import { columnAt, tableOf, valueAt, type PictureProps } from "./parts";

const kMost = 30;

export type Point = readonly [time: number, goodput: number];

// The curves by job.
export function trendsOf(report: Report): ReadonlyMap<string, readonly Point[]> {
  const trends = new Map<string, Point[]>();
  const table = tableOf(report, "trend");
  if (!table) return trends;
  const [job, from, goodput] = ["job", "from", "goodput_ratio"].map((key) => columnAt(table, key)) as [number, number, number];
  for (const row of table.rows) {
    const time = valueAt(table, row, from).number, ratio = valueAt(table, row, goodput).number;
    if (time === null || ratio === null) continue;
    const name = String(row[job] ?? "");
    const points = trends.get(name);
    if (points) points.push([time, ratio]);
    else trends.set(name, [[time, ratio]]);
  }
  return trends;
}

// From 0% to 100%, as all curves beside it.
export function pathOf(points: readonly Point[]): string {
  const first = points[0]?.[0] ?? 0, last = points.at(-1)?.[0] ?? 0;
  return points.map(([time, ratio]) => `${((100 * (time - first)) / (last - first || 1)).toFixed(2)},${(29 - 28 * Math.min(1, Math.max(0, ratio))).toFixed(2)}`).join(" ");
}

function Curve({ points, job }: { points: readonly Point[] | undefined; job: string }) {
  if (!points || points.length < 2) return <span class="faint">–</span>;
  const ratios = points.map(([, ratio]) => ratio);
  const label = t("losses.curve", { job, low: humanNumber(Math.min(...ratios), "ratio"), high: humanNumber(Math.max(...ratios), "ratio") });
  return (
    <svg class="job-curve" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={label}>
      <line x1="0" x2="100" y1="29" y2="29" />
      <line x1="0" x2="100" y1="1" y2="1" />
      <polyline points={pathOf(points)} />
    </svg>
  );
}

const kShown = ["goodput_ratio", "chip_hours", "cost", "lost", "chips", "attempts", "state"] as const;

// Columns in which no job has a value are left out.
const columnsOf = (table: Table, rows: readonly (readonly Cell[])[]): number[] =>
  kShown.map((key) => columnAt(table, key)).filter((at) => at >= 0 && rows.some((row) => row[at] !== null));

export function JobLosses({ report, table }: PictureProps) {
  const ledger = usePlace().path[1] ?? "";
  const rows = table.rows.slice(0, kMost), columns = columnsOf(table, rows), trends = trendsOf(report);
  const name = columnAt(table, "job");
  return (
    <figure class="job-losses">
      <figcaption>{t("losses.title")}</figcaption>
      <div class="scroll" tabIndex={0} role="group" aria-label={t("losses.title")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{visible(table.columns[name]?.title ?? "")}</th>
              <th scope="col">{t("losses.over_time")}</th>
              {columns.map((at) => <th key={at} scope="col" class="number">{visible(table.columns[at]!.title)}</th>)}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const job = String(row[name] ?? "");
              return (
                <tr key={job}>
                  <th scope="row"><a href={jobLink(ledger, job)}>{visible(job)}</a></th>
                  <td><Curve points={trends.get(job)} job={visible(job)} /></td>
                  {columns.map((at) => <td key={at} class="number">{valueAt(table, row, at).text}</td>)}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {table.rows.length > kMost && <p class="faint">{t("losses.more", { shown: kMost, all: table.rows.length })}</p>}
    </figure>
  );
}
