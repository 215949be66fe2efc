// Draws requested bytes over time as areas above one another, with what was reserved as a line above them and the peak marked.
// A part of the time is chosen by dragging, by keys or with Ctrl and the wheel.
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { kindNamed, type Report } from "../data/report";
import { wordOf } from "../data/words";
import { humanNumber, visible } from "../report/format";
import { colorOf, kCurves, kInk } from "../shell/palette";
import { useTheme, type Theme } from "../shell/theme";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { lastAtMost, layersFrom, momentsBetween, zoomed, type MemoryLayers, type Span } from "./memory_layers";
import { Plot, type Draw } from "./plot";

const kHeight = 300;
const kHead = 1.05;  // room above the highest value

// Categories have the look of their kind; places have none.
function colorsOf({ layers }: MemoryLayers, by: string, theme: Theme): string[] {
  let next = 0;
  return layers.map(({ key }) => {
    if (by === "category") return colorOf(kindNamed(key), theme);
    if (key === "before") return colorOf("idle", theme);
    return key === "other" ? colorOf("other", theme) : kCurves[theme][next++ % kCurves[theme].length]!;
  });
}

interface Scale {
  x(time: number): number;
  y(bytes: number): number;
}

const scaleOf = ({ high }: MemoryLayers, { from, to }: Span, width: number, height: number): Scale => ({
  x: (time) => ((time - from) / Math.max(1, to - from)) * width,
  y: (bytes) => height * (1 - bytes / (high * kHead)),
});

// A value holds until the next moment.
function trace(context: CanvasRenderingContext2D, xs: readonly number[], ys: readonly number[], end: number): void {
  for (let i = 0; i < xs.length; ++i) {
    context.lineTo(xs[i]!, ys[i]!);
    context.lineTo(xs[i + 1] ?? end, ys[i]!);
  }
}

function drawAreas(context: CanvasRenderingContext2D, data: MemoryLayers, moments: readonly number[], { x, y }: Scale, width: number, colors: readonly string[]): void {
  const xs = moments.map((at) => x(data.times[at]!)), sums = moments.map(() => 0);
  let below = sums.map(() => y(0));
  data.layers.forEach(({ values }, which) => {
    moments.forEach((at, i) => { sums[i]! += values[at]!; });
    const above = sums.map(y);
    context.beginPath();
    trace(context, xs, above, width);
    for (let i = xs.length - 1; i >= 0; --i) {
      context.lineTo(xs[i + 1] ?? width, below[i]!);
      context.lineTo(xs[i]!, below[i]!);
    }
    context.fillStyle = colors[which]!;
    context.fill();
    below = above;
  });
}

function drawLine(context: CanvasRenderingContext2D, xs: readonly number[], ys: readonly number[], width: number, color: string): void {
  context.save();
  context.beginPath();
  trace(context, xs, ys, width);
  context.setLineDash([6, 4]);
  context.lineWidth = 1.5;
  context.strokeStyle = color;
  context.stroke();
  context.restore();
}

function drawMark(context: CanvasRenderingContext2D, x: number, height: number, color: string, text: string, width: number): void {
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, height);
  context.lineWidth = 1;
  context.strokeStyle = color;
  context.stroke();
  if (text === "") return;
  const room = context.measureText(text).width + 8, left = x + room > width ? x - room : x + 4;
  context.fillStyle = color;
  context.textBaseline = "top";
  context.fillText(text, Math.max(2, left), 2);
}

function says(data: MemoryLayers, at: number): string {
  const parts = [...data.layers].reverse().filter(({ values }) => values[at]! > 0).map(({ title, values }) => `${visible(wordOf(title))} ${humanNumber(values[at]!, "bytes")}`);
  return `${humanNumber(data.times[at]!, "ns")}: ${humanNumber(data.totals[at]!, "bytes")} (${[...parts, `${t("memory.reserved")} ${humanNumber(data.reserved[at] ?? 0, "bytes")}`].join(", ")})`;
}

const kBy = ["category", "place"] as const;

function Zoom({ set }: { set: (by: number) => void }) {
  return (
    <div class="tabs" role="group" aria-label={t("memory.zoom")}>
      <button type="button" aria-label={t("memory.zoom_in")} onClick={() => set(0.5)}>+</button>
      <button type="button" aria-label={t("memory.zoom_out")} onClick={() => set(2)}>−</button>
      <button type="button" onClick={() => set(Infinity)}>{t("memory.zoom_all")}</button>
    </div>
  );
}

function Chart({ data, by }: { data: MemoryLayers; by: string }) {
  const theme = useTheme(), colors = colorsOf(data, by, theme);
  const whole = useMemo((): Span => ({ from: data.times[0]!, to: Math.max(data.times[0]! + 1000, data.times.at(-1)!) }), [data]);
  const [span, setSpan] = useState<Span>(whole), [at, setAt] = useState<number | null>(null);
  const [chosen, setChosen] = useState<Span | null>(null), began = useRef<number | null>(null);
  const draw = useCallback<Draw>((context, width, height, now) => {
    const scale = scaleOf(data, span, width, height), moments = momentsBetween(data, span.from, span.to, width), ink = kInk[now];
    drawAreas(context, data, moments, scale, width, colorsOf(data, by, now));
    drawLine(context, moments.map((one) => scale.x(data.times[one]!)), moments.map((one) => scale.y(data.reserved[one] ?? 0)), width, ink.text);
    const peak = data.times[data.peak]!;
    if (peak >= span.from && peak <= span.to) drawMark(context, scale.x(peak), height, ink.text, t("memory.peak", { bytes: humanNumber(data.totals[data.peak]!, "bytes") }), width);
    if (chosen) {
      context.fillStyle = `${ink.accent}44`;
      context.fillRect(scale.x(chosen.from), 0, scale.x(chosen.to) - scale.x(chosen.from), height);
    }
    if (at !== null) drawMark(context, scale.x(data.times[at]!), height, ink.select, "", width);
  }, [data, by, span, at, chosen]);
  const timeAt = (event: MouseEvent): number => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return span.from + ((span.to - span.from) * (event.clientX - box.left)) / box.width;
  };
  const middle = at !== null && data.times[at]! >= span.from && data.times[at]! <= span.to ? data.times[at]! : (span.from + span.to) / 2;
  const zoom = (times: number, around = middle) => setSpan((now) => (times === Infinity ? whole : zoomed(now, whole, around, times)));
  const step = (by: number) => setAt((now) => Math.max(0, Math.min(data.times.length - 1, (now ?? lastAtMost(data.times, by > 0 ? span.from : span.to)) + by)));
  const keys: Readonly<Record<string, () => void>> = {
    "+": () => zoom(0.5), "-": () => zoom(2), "0": () => zoom(Infinity), p: () => setAt(data.peak),
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), PageUp: () => step(-20), PageDown: () => step(20),
  };
  return (
    <>
      <div class="heat-head">
        <ul class="legend">
          {data.layers.map(({ key, title }, which) => <li key={key}><span class="swatch" style={{ backgroundColor: colors[which] }} aria-hidden="true" /> {visible(wordOf(title))}</li>).reverse()}
          <li><span class="dashed" aria-hidden="true" /> {t("memory.reserved")}</li>
        </ul>
        <Zoom set={(times) => zoom(times)} />
      </div>
      <div class="memory-area">
        <div class="area-y" aria-hidden="true">{[1, 0.5, 0].map((share) => <span key={share}>{humanNumber(Math.round(data.high * kHead * share), "bytes")}</span>)}</div>
        <Plot
          draw={draw} height={kHeight} tabIndex={0} role="img" class="area-box"
          aria-label={t("memory.label", { peak: humanNumber(data.totals[data.peak]!, "bytes"), time: humanNumber(data.times[data.peak]!, "ns"), layers: data.layers.length })}
          data-peak={data.totals[data.peak]} data-moments={data.times.length}
          onKeyDown={(event) => {
            const act = keys[event.key];
            if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
            event.preventDefault();
            event.stopPropagation();
            act();
          }}
          onWheel={(event) => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            zoom(Math.exp(event.deltaY / 300), timeAt(event));
          }}
          onMouseDown={(event) => { began.current = timeAt(event); }}
          onMouseMove={(event) => {
            const time = timeAt(event);
            setAt(Math.max(0, lastAtMost(data.times, time)));
            if (began.current !== null) setChosen({ from: Math.min(began.current, time), to: Math.max(began.current, time) });
          }}
          onMouseUp={() => {
            if (chosen && (chosen.to - chosen.from) > (span.to - span.from) / 100) setSpan(chosen);
            began.current = null;
            setChosen(null);
          }}
          onMouseLeave={() => { began.current = null; setAt(null); setChosen(null); }}
          onDblClick={() => zoom(Infinity)}
        />
        <div class="axis area-x" aria-hidden="true">{[0, 0.5, 1].map((share) => <span key={share}>{humanNumber(Math.round(span.from + (span.to - span.from) * share), "ns")}</span>)}</div>
      </div>
      <p class="readout" role="status">{at === null ? t("memory.hint") : says(data, at)}</p>
    </>
  );
}

// By category, or by place in the code.
export function MemoryArea({ report }: { report: Report }) {
  const [by, setBy] = useUrlState("memory", "category");
  const known = by === "place" ? "place" : "category";
  const data = useMemo(() => layersFrom(report, known), [report, known]);
  if (!data) return null;
  return (
    <figure class="memory">
      <figcaption>{t("memory.title")}</figcaption>
      <div class="tabs" role="group" aria-label={t("memory.by")}>
        {kBy.map((one) => <button key={one} type="button" aria-pressed={one === known} onClick={() => setBy(one, "replace")}>{t(`memory.by_${one}`)}</button>)}
      </div>
      <Chart key={known} data={data} by={known} />
    </figure>
  );
}
