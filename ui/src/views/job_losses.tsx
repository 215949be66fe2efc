// Lists the jobs of a ledger by what they lost, each with its goodput over time and a link to its page.
import { useMemo } from "preact/hooks";
import type { Cell, Report, Table } from "../data/report";
import { humanNumber, visible } from "../report/format";
import { DataTable, type Beside } from "../report/table";
import { jobLink } from "../shell/job";
import { usePlace } from "../shell/url";
import { t, useLanguage } from "../text";
import { columnAt, tableOf, valueAt, type PictureProps } from "./parts";

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

// Columns in which no job has a value are left out.
function known(table: Table): Table {
  const columns = table.columns.map((_, at) => at).filter((at) => table.rows.some((row) => row[at] !== null));
  return { ...table, columns: columns.map((at) => table.columns[at]!), rows: table.rows.map((row) => columns.map((at) => row[at] ?? null)) };
}

// In place of the table itself: the same rows.
export function JobLosses({ report, table }: PictureProps) {
  const ledger = usePlace().path[1] ?? "", language = useLanguage();
  const shown = useMemo(() => known(table), [table]), trends = useMemo(() => trendsOf(report), [report]);
  const beside = useMemo((): Beside => {
    const jobOf = (row: readonly Cell[]): string => String(row[columnAt(shown, "job")] ?? "");
    return {
      title: t("losses.over_time"), href: (row) => jobLink(ledger, jobOf(row)),
      picture: (row) => <Curve points={trends.get(jobOf(row))} job={visible(jobOf(row))} />,
    };
  }, [shown, trends, ledger, language]);
  return <div class="job-losses"><DataTable table={shown} name={report.analysis} level={2} beside={beside} /></div>;
}
