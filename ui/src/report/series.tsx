// Draws a report's series as charts (uPlot), with the values as a table. Charts of one page share a crosshair.
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Series, Table, Unit } from "../data/report";
import { langOf } from "../data/words";
import { kCurves, kInk } from "../shell/palette";
import { useTheme, type Theme } from "../shell/theme";
import { useUrlState } from "../shell/url";
import { t, useLanguage } from "../text";
import { closedBuckets, HistogramBars } from "../timeline/histogram";
import { chartsOf, chartTitle, curveNames, drawnPoints, isCounted, kCountSteps, placesOf, type Chart } from "./curves";
import { Exported } from "./exports";
import { humanNumber, kTimeSteps } from "./format";
import { DataTable } from "./table";

function aligned(chart: Chart): uPlot.AlignedData {
  const tables = chart.series.map((series): uPlot.AlignedData => {
    const points = drawnPoints(series, chart);
    return [points.map(([x]) => x), points.map(([, y]) => y)];
  });
  return tables.length === 1 ? tables[0]! : uPlot.join(tables);
}

const kDashes: readonly number[][] = [[], [6, 4], [2, 3], [10, 3, 2, 3]];

// From zero, so that a curve looks as large as what it tells; and with room where all is zero.
function fromZero(_: uPlot, low: number, high: number): uPlot.Range.MinMax {
  if (!(high > low) && !(Math.abs(high) > 0)) return [0, 1];
  return uPlot.rangeNum(Math.min(low, 0), Math.max(high, 0), { min: { pad: 0, soft: 0, mode: 1 }, max: { pad: 0.08, soft: 0, mode: 1 } });
}

function optionsOf(chart: Chart, across: string, theme: Theme, width: number): uPlot.Options {
  const ink = kInk[theme];
  const curves = kCurves[theme];
  const names = curveNames(chart.series);
  const axis = (unit: Unit): uPlot.Axis => ({
    stroke: ink.faint, grid: { stroke: ink.line, width: 1 }, ticks: { stroke: ink.line, width: 1 },
    font: "12px system-ui, sans-serif", ...(unit === "ns" && { incrs: [...kTimeSteps] }), values: (_, ticks) => ticks.map((tick) => (unit === "" ? String(tick) : humanNumber(tick, unit))),
  });
  // What changes in time holds until the next point; what is told by step does not.
  const stepped = chart.x === "ns" ? uPlot.paths.stepped!({ align: 1 }) : undefined;
  return {
    width, height: 220, legend: { show: true, live: true },
    scales: { x: { time: false }, y: { range: fromZero } },
    cursor: { sync: { key: `x-${chart.x}` }, drag: { x: true, y: false } },
    axes: [{ ...axis(chart.x), space: 70, ...(isCounted(chart) && { incrs: [...kCountSteps] }) }, { ...axis(chart.y), size: 76 }],
    series: [
      { label: across, value: (_, x) => (x === null ? "-" : humanNumber(x, chart.x)) },
      ...chart.series.map((series, at): uPlot.Series => ({
        label: names[at]!, stroke: curves[at % curves.length]!, width: 1.5, spanGaps: true,
        dash: kDashes[at % kDashes.length]!,
        points: { show: !stepped && series.points.length <= 60 },
        value: (_, y) => (y === null ? "-" : humanNumber(y, chart.y)),
        ...(stepped && { paths: stepped }),
      })),
    ],
  };
}

export function ChartView({ chart, across, title }: { chart: Chart; across: string; title: string }) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme(), language = useLanguage();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const plot = new uPlot(optionsOf(chart, across, theme, element.clientWidth || 600), aligned(chart), element);
    const resize = new ResizeObserver(() => {
      if (element.clientWidth > 0 && element.clientWidth !== plot.width) plot.setSize({ width: element.clientWidth, height: 220 });
    });
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [chart, across, theme, language]);
  return <div ref={box} class={chart.series.length > 1 ? "plot" : "plot single"} role="img" aria-label={t("series.label", { title, curves: chart.series.length })} />;
}

function tableOf(chart: Chart, across: string): Table {
  return {
    key: `series-${chart.key}`, title: chart.series.length === 1 ? chart.series[0]!.title : t("series.numbers"),
    columns: [
      { key: "series", title: t("series.curve"), unit: "", role: "key" },
      { key: "x", title: across, unit: chart.x, role: "key" },
      { key: "y", title: "y", unit: chart.y, role: "value" },
    ],
    rows: chart.series.flatMap((series) => series.points.map(([x, y]) => [series.key, x, y])),
  };
}

const kAtOnce = 8;

// So many curves as can be told apart; the reader turns to the next ones.
function ChartFigure({ chart, across, name, open, setOpen }: {
  chart: Chart; across: string; name: string; open: boolean; setOpen: (key: string) => void;
}) {
  const [fromText, setFrom] = useUrlState(`curves.${chart.key}`, "1");
  const most = Math.max(0, chart.series.length - 1);
  const from = Math.min(most - (most % kAtOnce), Math.max(0, (Number.parseInt(fromText, 10) || 1) - 1));
  const shown = useMemo(() => ({ ...chart, series: chart.series.slice(from, from + kAtOnce) }), [chart, from]);
  const title = chartTitle(chart);
  return (
    <figure>
      <figcaption lang={langOf(title)}>{title}</figcaption>
      {chart.series.length > kAtOnce && (
        <div class="pager" role="group" aria-label={t("series.choose", { title })}>
          <button type="button" disabled={from === 0} aria-label={t("table.previous")} onClick={() => setFrom(String(from + 1 - kAtOnce), "replace")}>‹</button>
          <span role="status">{t("series.some", { from: from + 1, to: from + shown.series.length, all: chart.series.length })}</span>
          <button type="button" disabled={from + kAtOnce > most} aria-label={t("table.next")} onClick={() => setFrom(String(from + 1 + kAtOnce), "replace")}>›</button>
        </div>
      )}
      <Exported name={`${name}.${chart.key}`} title={title} table={tableOf(chart, across)}>{chart.key.endsWith("histogram")
        ? shown.series.map((series) => <HistogramBars key={series.key} bars={closedBuckets(series)} unit={series.x_unit} />)
        : <ChartView chart={shown} across={across} title={title} />}</Exported>
      <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(open ? "" : chart.key)}>{t("series.as_table")}</button>
      {open && <DataTable table={tableOf(chart, across)} name={name} />}
    </figure>
  );
}

// `tables`: those of the same report.
export function SeriesSection({ series, tables, name }: { series: readonly Series[]; tables: readonly Table[]; name: string }) {
  const charts = useMemo(() => chartsOf(series), [series]);
  const [open, setOpen] = useUrlState("series", "");
  if (charts.length === 0) return null;
  const across = (chart: Chart): string => (chart.x === "ns" ? t("series.time") : placesOf(chart.series, tables) ?? t("series.x"));
  return (
    <section aria-labelledby="series-title">
      <h2 id="series-title">{t("report.series")}</h2>
      {charts.some(({ key }) => !key.endsWith("histogram")) && <p class="faint hint">{t("series.zoom")}</p>}
      <div class={charts.length > 1 ? "chart-grid" : ""}>
        {charts.map((chart) => <ChartFigure key={`${chart.key} ${chart.y}`} chart={chart} across={across(chart)} name={name} open={open === chart.key} setOpen={setOpen} />)}
      </div>
    </section>
  );
}
