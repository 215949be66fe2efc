// Draws series of one rank above one another: memory by use over time. What holds until its next point is drawn as steps.
import { useMemo, useState } from "preact/hooks";
import type { Report, Series, Table } from "../data/report";
import { langOf, wordOf } from "../data/words";
import { humanNumber, visible } from "../report/format";
import { kCurves } from "../shell/palette";
import { useTheme } from "../shell/theme";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { columnAt, type PictureProps } from "./parts";

interface Layer {
  readonly title: string;
  readonly values: readonly number[];  // at each place
}

export interface Layers {
  readonly places: readonly number[];
  readonly layers: readonly Layer[];  // the lowest first
  readonly high: number;
}

// The value of a curve at ascending places: it holds until the next point, and there is none before the first.
function valuesAt({ points }: Series, places: readonly number[]): number[] {
  let at = -1;
  return places.map((place) => {
    while (at + 1 < points.length && (points[at + 1]![0] ?? 0) <= place) ++at;
    return at < 0 ? 0 : Math.max(0, points[at]![1] ?? 0);
  });
}

export function layersOf(named: readonly (readonly [title: string, series: Series])[]): Layers {
  const places = [...new Set(named.flatMap(([, series]) => series.points.map(([x]) => x ?? 0)))].sort((a, b) => a - b);
  const layers = named.map(([title, series]): Layer => ({ title, values: valuesAt(series, places) }));
  let high = 1;
  places.forEach((_, at) => { high = Math.max(high, layers.reduce((sum, { values }) => sum + values[at]!, 0)); });
  return { places, layers, high };
}

// The outlines of the layers in a box of 1 by 1, from its upper left.
export function outlines({ places, layers, high }: Layers): string[] {
  const first = places[0] ?? 0, whole = Math.max(1, (places.at(-1) ?? 0) - first);
  const below = places.map(() => 0);
  return layers.map(({ values }) => {
    const edge = (levels: readonly number[]): (readonly [number, number])[] => levels.flatMap((level, at) =>
      [[(places[at]! - first) / whole, 1 - level / high], [((places[at + 1] ?? places[at]!) - first) / whole, 1 - level / high]] as const);
    const under = edge(below);
    values.forEach((value, at) => { below[at]! += value; });
    return `M${[...edge(below), ...under.reverse()].map(([x, y]) => `${x.toFixed(5)} ${y.toFixed(5)}`).join("L")}Z`;
  });
}

interface Group {
  readonly label: string;  // in the language that is shown
  readonly series: (readonly [string, Series])[];
}

// The rows' series of the same report, by the group they are shown in: a rank's timeline.
function groupsOf(report: Report, table: Table): Map<string, Group> {
  const [rank, timeline, use] = ["rank", "timeline", "use"].map((key) => columnAt(table, key)) as [number, number, number];
  const groups = new Map<string, Group>();
  for (const row of table.rows) {
    const name = String(row[use] ?? ""), key = `${name.replaceAll(" ", "_")}.rank${row[rank]}.timeline${row[timeline]}`;
    const series = report.series.find((one) => one.key === key && one.points.length > 0);
    if (!series) continue;
    const which = `${row[rank]}${Number(row[timeline]) > 0 ? `, ${row[timeline]}` : ""}`, id = `rank ${which}`;
    const group = groups.get(id) ?? { label: `${visible(table.columns[rank]!.title)} ${which}`, series: [] };
    group.series.push([name, series]);
    groups.set(id, group);
  }
  return groups;
}

const kSteps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e9, End: 1e9 };

function Chart({ data, label, unitX, unitY }: { data: Layers; label: string; unitX: Series["x_unit"]; unitY: Series["y_unit"] }) {
  const theme = useTheme(), paths = useMemo(() => outlines(data), [data]);
  const [at, setAt] = useState<number | null>(null);
  const { places, layers, high } = data, first = places[0]!, last = places.at(-1)!, whole = Math.max(1, last - first);
  const color = (which: number): string => kCurves[theme][which % kCurves[theme].length]!;
  const point = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect(), place = first + (whole * (event.clientX - box.left)) / box.width;
    let next = 0;
    while (next + 1 < places.length && places[next + 1]! <= place) ++next;
    setAt(next);
  };
  const move = (event: KeyboardEvent) => {
    const by = kSteps[event.key];
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(Math.max(0, Math.min(places.length - 1, (at ?? (by > 0 ? -1 : places.length)) + by)));
  };
  const says = at === null ? t("area.hint") : `${humanNumber(places[at]!, unitX)}: ${[...layers].reverse().map(({ title, values }) => `${visible(wordOf(title))} ${humanNumber(values[at]!, unitY)}`).join(", ")}`;
  return (
    <>
      <ul class="legend">
        {layers.map(({ title }, which) => <li key={title}><span class="swatch" style={{ backgroundColor: color(which) }} aria-hidden="true" /> {visible(wordOf(title))}</li>).reverse()}
      </ul>
      <div class="area">
        <div class="area-y" aria-hidden="true">{[1, 0.5, 0].map((share) => <span key={share}>{humanNumber(Math.round(high * share), unitY)}</span>)}</div>
        <div class="area-box" tabIndex={0} role="application" aria-label={`${label}. ${t("area.hint")}`} aria-describedby="area-says" onKeyDown={move} onMouseMove={point} onMouseLeave={() => setAt(null)}>
          <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
            {paths.map((path, which) => <path key={layers[which]!.title} d={path} data-use={layers[which]!.title} fill={color(which)} />)}
            {at !== null && <line x1={(places[at]! - first) / whole} x2={(places[at]! - first) / whole} y1="0" y2="1" class="area-cursor" />}
          </svg>
        </div>
        <div class="axis area-x" aria-hidden="true">{[0, 0.5, 1].map((share) => <span key={share}>{humanNumber(Math.round(first + whole * share), unitX)}</span>)}</div>
      </div>
      <p class="readout" id="area-says" role="status">{says}</p>
    </>
  );
}

// Of table `uses`: the largest at the peak is the lowest layer.
export function UsesOverTime({ report, table }: PictureProps) {
  const groups = useMemo(() => groupsOf(report, table), [report, table]);
  const labels = [...groups.keys()];
  const [chosen, setChosen] = useUrlState("uses", labels[0] ?? "");
  const named = (groups.get(chosen) ?? groups.get(labels[0] ?? ""))?.series;
  const data = useMemo(() => named && layersOf(named), [named]);
  if (!named || !data || data.places.length === 0) return null;
  const title = visible(table.title), { x_unit: unitX, y_unit: unitY } = named[0]![1];
  return (
    <figure class="uses">
      <figcaption lang={langOf(title)}>{t("area.title", { title })}</figcaption>
      {labels.length > 1 && (
        <label class="choose">
          <span>{t("columns.rank")}</span>
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            {[...groups].map(([id, { label }]) => <option key={id} value={id}>{label}</option>)}
          </select>
        </label>
      )}
      <Chart data={data} label={title} unitX={unitX} unitY={unitY} />
    </figure>
  );
}
