// Shows the summary's key metrics, each with its values per step, or over the job.
import type { Cell, Report, ReportSet, Series } from "../data/report";
import { cellText, humanNumber, visible } from "../report/format";
import { jobLink, jobOfRun } from "../shell/job";
import { linkTo } from "../shell/url";
import { t, type TextKey } from "../text";
import { largestOf, reportOf, seriesOf } from "./parts";

interface TileSpec {
  readonly title: TextKey;
  readonly analysis: string;
  readonly metric: string;
  readonly trend: string;
  readonly mean?: string;      // of the steps that the mean step time is of, a metric of `steps`
  readonly ledger?: boolean;   // of the goodput report, not of the run's
}

const kTiles: readonly TileSpec[] = [
  { title: "tile.step_time", analysis: "breakdown", metric: "step_time", trend: "step_time" },
  { title: "tile.goodput", analysis: "goodput", metric: "goodput_ratio", trend: "goodput", ledger: true },
  { title: "tile.exposed", analysis: "comm_overlap", metric: "exposed_ratio", trend: "exposed_communication", mean: "exposed_ratio" },
  { title: "tile.idle", analysis: "temporal_breakdown", metric: "idle_ratio", trend: "idle", mean: "idle_ratio" },
  { title: "tile.input", analysis: "input_pipeline", metric: "input_ratio", trend: "input_wait", mean: "input_ratio" },
  { title: "tile.mfu", analysis: "flops", metric: "mfu", trend: "mfu", mean: "mfu" },
];

// A course without axes: its lowest and highest value are said below it, and of what they are: what
// lies between steps is in the figure above and in none of them.
function Trend({ series, title }: { series: Series; title: string }) {
  const points = series.points.filter((point): point is readonly [number, number] => point[0] !== null && point[1] !== null);
  if (points.length < 2) return null;
  const ys = points.map(([, y]) => y);
  const high = largestOf(ys, -Infinity);
  const low = -largestOf(ys.map((y) => -y), -Infinity);
  const span = Math.max(high - low, Math.abs(high) / 10, Number.MIN_VALUE); // noise stays flat
  const [first, last] = [points[0]![0], points.at(-1)![0]];
  const path = points.map(([x, y]) => `${((100 * (x - first)) / (last - first || 1)).toFixed(2)},${(27 - (25 * (y - low)) / span).toFixed(2)}`);
  const [lowText, highText] = [humanNumber(low, series.y_unit), humanNumber(high, series.y_unit)];
  return (
    <span class="trend">
      <svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={t(series.x_unit === "ns" ? "tile.trend_time" : "tile.trend", { title, low: lowText, high: highText })}>
        <polyline points={path.join(" ")} />
      </svg>
      <span class="faint">{t(series.x_unit === "ns" ? "tile.range_time" : "tile.range", { range: lowText === highText ? lowText : `${lowText} – ${highText}` })}</span>
    </span>
  );
}

const metricOf = (report: Report | undefined, key: string | undefined) => report?.metrics.find((one) => one.key === key && one.value !== null);

// `since`: from which step on steps are as they are now, where that changed.
function Tile({ spec, report, trendOf, href, where, since }: {
  spec: TileSpec; report: Report | undefined; trendOf: Report | undefined; href: string; where: string; since: Cell;
}) {
  const mean = metricOf(trendOf, spec.mean), metric = mean ?? metricOf(report, spec.metric);
  const title = t(spec.title), ofSteps = mean !== undefined || spec.metric === "step_time";
  if (!report || !metric) return null;
  const series = seriesOf(trendOf, spec.trend);
  return (
    <li class="tile">
      <a href={href} title={visible(report.title)}>
        <span class="tile-title">{title}</span>
        <span class="tile-value" data-metric={mean ? `steps.${mean.key}` : `${spec.analysis}.${spec.metric}`} data-value={String(metric.value)}>{cellText(metric.value, metric.unit)}</span>
        {ofSteps && since !== null && <span class="tile-since">{t("tile.since", { step: String(since) })}</span>}
      </a>
      {series ? <Trend series={series} title={title} /> : <span class="faint">{spec.ledger ? where : t("tile.no_trend")}</span>}
    </li>
  );
}

// `goodput`: of the job that the run is of, if it is of one.
export function Tiles({ run, answer, goodput }: { run: string; answer: ReportSet; goodput: ReportSet | undefined }) {
  const steps = reportOf(answer, "steps"), job = jobOfRun(goodput);
  const since = metricOf(reportOf(answer, "breakdown"), "since_step")?.value ?? null;
  const of = (spec: TileSpec) => reportOf(spec.ledger && goodput ? goodput : answer, spec.analysis);
  const isKnown = (spec: TileSpec) => of(spec)?.metrics.some(({ key, value }) => key === spec.metric && value !== null) ?? false;
  const known = kTiles.filter(isKnown), missing = kTiles.filter((spec) => !isKnown(spec) && !spec.ledger);
  return (
    <>
      {known.length > 0 && (
        <ul class="tiles" aria-label={t("tile.all")}>
          {known.map((spec) => {
            const href = spec.ledger && job ? jobLink(job.ledger, job.name) : linkTo(["run", run, "report", spec.analysis]);
            return <Tile key={spec.title} spec={spec} report={of(spec)} trendOf={spec.ledger ? of(spec) : steps} href={href} where={visible(goodput?.run.name ?? "")} since={since} />;
          })}
        </ul>
      )}
      {missing.length > 0 && <p class="faint tiles-missing">{t("tile.not_recorded", { list: missing.map(({ title }) => t(title)).join(", ") })}</p>}
    </>
  );
}
