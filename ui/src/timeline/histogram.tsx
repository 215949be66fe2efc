// Shows a histogram of durations, one bar per bucket.
import type { Report, Series } from "../data/report";
import { humanCount, humanNumber, numberOf } from "../report/format";
import { t } from "../text";

export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

// A point of the series is the lower end of a bucket and what is in it; the last bucket ends with the longest event.
export function bucketsOf({ points }: Series, longest: number | null): Bucket[] {
  return points.map(([from, count], at) => {
    const next = points[at + 1]?.[0] ?? Math.max(longest ?? 0, from ?? 0);
    return { from: from ?? 0, to: next, count: count ?? 0 };
  });
}

export function Histogram({ series, report }: { series: Series; report: Report }) {
  const metric = report.metrics.find(({ key }) => key === "max");
  const bars = bucketsOf(series, numberOf(metric?.value, series.x_unit));
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const first = bars[0], last = bars[bars.length - 1];
  if (!first || !last) return null;
  const text = (length: number): string => humanNumber(length, series.x_unit);
  const from = text(first.from), to = text(last.to), width = 100 / bars.length;
  return (
    <figure class="tl-histogram">
      <svg
        viewBox="0 0 100 40" preserveAspectRatio="none" role="img"
        aria-label={t("timeline.histogram", { bars: bars.length, from, to, most: humanCount(most) })}
      >
        {bars.map((bar, i) => {
          const height = bar.count > 0 ? Math.max(0.7, (bar.count / most) * 40) : 0;
          return (
            <rect key={i} x={i * width} y={40 - height} width={width * 0.9} height={height}>
              <title>{t("timeline.histogram_bar", { from: text(bar.from), to: text(bar.to), count: humanCount(bar.count) })}</title>
            </rect>
          );
        })}
      </svg>
      <div class="tl-ends" aria-hidden="true"><span>{from}</span><span>{to}</span></div>
    </figure>
  );
}
