// Shows a histogram, one bar per bucket; in the timeline a press goes to the next event of that length. Counts are on a logarithmic
// axis, so that one event beside thousands is seen.
import { useRef, useState } from "preact/hooks";
import type { Report, Series, Unit } from "../data/report";
import { langOf } from "../data/words";
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

// The share of the height of a bar; on the logarithmic axis one event has some, too.
export function heightOf(count: number, most: number, logarithmic: boolean): number {
  if (count <= 0) return 0;
  return logarithmic ? Math.log10(1 + count) / Math.log10(1 + most) : count / most;
}

// Counts to label the axis at: powers of ten and the most, or the half and the most.
export function countTicks(most: number, logarithmic: boolean): number[] {
  if (!logarithmic) return most > 1 ? [Math.floor(most / 2), most] : [most];
  const powers = Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
  return [...powers.filter((power) => power <= most / 3), most];
}

// The buckets of a report's histogram, whose last point is the end of the last one.
export const closedBuckets = (series: Series): Bucket[] => bucketsOf({ ...series, points: series.points.slice(0, -1) }, series.points.at(-1)?.[0] ?? null);

const kLeast = 0.02;  // of the height, that a bar with an event has
const kLabels = 4;    // below the bars

function Bars({ bars, text, height, onChoose }: {
  bars: readonly Bucket[]; text: (length: number) => string; height: (count: number) => number; onChoose?: ((bar: Bucket, last: boolean) => void) | undefined;
}) {
  const area = useRef<HTMLDivElement>(null), [at, setAt] = useState(0);
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 };
    const next = steps[event.key];
    if (next === undefined || next < 0 || next >= bars.length || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(next);
    (area.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tl-bars" ref={area} onKeyDown={move}>
      {bars.map((bar, i) => {
        const says = t("timeline.histogram_bar", { from: text(bar.from), to: text(bar.to), count: humanCount(bar.count) });
        return (
          <button
            key={i} type="button" class="tl-bar" tabIndex={i === at ? 0 : -1} aria-label={says} title={says} aria-disabled={!onChoose || bar.count === 0}
            onFocus={() => setAt(i)} onClick={() => bar.count > 0 && onChoose?.(bar, i === bars.length - 1)}
          >
            <span style={{ height: `${100 * (bar.count > 0 ? Math.max(kLeast, height(bar.count)) : 0)}%` }} />
          </button>
        );
      })}
    </div>
  );
}

type OnChoose = (bar: Bucket, last: boolean) => void;

// `onChoose`: a bucket, and whether it is the last, which has its upper end.
export function Histogram({ series, report, onChoose }: { series: Series; report: Report; onChoose?: OnChoose }) {
  const metric = report.metrics.find(({ key }) => key === "max");
  return <HistogramBars bars={bucketsOf(series, numberOf(metric?.value, series.x_unit))} unit={series.x_unit} onChoose={onChoose} />;
}

export function HistogramBars({ bars, unit, title, onChoose }: {
  bars: readonly Bucket[]; unit: Unit; title?: string; onChoose?: OnChoose | undefined;
}) {
  const [logarithmic, setLogarithmic] = useState(true);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const first = bars[0], last = bars[bars.length - 1];
  if (!first || !last) return null;
  const text = (length: number): string => humanNumber(length, unit);
  const height = (count: number): number => heightOf(count, most, logarithmic);
  const ends = Array.from({ length: kLabels }, (_, i) => (i === kLabels - 1 ? last.to : bars[Math.floor((i * bars.length) / (kLabels - 1))]?.from ?? last.to));
  const label = t("timeline.histogram", { bars: bars.length, from: text(first.from), to: text(last.to), most: humanCount(most) });
  return (
    <figure class="tl-histogram" role="group" aria-label={title ? `${title}. ${label}` : label}>
      {title && <figcaption lang={langOf(title)}>{title}</figcaption>}
      <div class="tl-plot">
        <div class="tl-counts" aria-hidden="true">
          {countTicks(most, logarithmic).map((count) => <span key={count} style={{ bottom: `${100 * height(count)}%` }}>{humanCount(count)}</span>)}
        </div>
        <Bars bars={bars} text={text} height={height} onChoose={onChoose} />
      </div>
      <div class="tl-ends" aria-hidden="true">{(bars.length >= kLabels ? ends : [first.from, last.to]).map((end, i) => <span key={i}>{text(end)}</span>)}</div>
      <p class="tl-scale">
        <label><input type="checkbox" checked={logarithmic} onChange={(event) => setLogarithmic(event.currentTarget.checked)} /> {t("timeline.logarithmic")}</label>
        {onChoose && <span class="faint">{t("timeline.histogram_hint")}</span>}
      </p>
    </figure>
  );
}
