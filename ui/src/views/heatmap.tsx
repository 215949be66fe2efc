// Shows a heat map of a table by rank and step, one value at a time; also of other pairs of keys, such as waiting and last rank.
// Many rows are zoomed: from all, where each line of pixels shows the largest of the ranks under it, to single ranks.
import { useContext, useMemo, useState } from "preact/hooks";
import type { Column, Table } from "../data/report";
import { hasJapanese, langOf } from "../data/words";
import { humanNumber, visible } from "../report/format";
import { InTimeline, targetOfCause } from "../report/in_timeline";
import { useLoad } from "../shell/load";
import { Served } from "../shell/served";
import { Busy, ProblemPanel } from "../shell/status";
import { useTheme } from "../shell/theme";
import { isLive } from "../shell/live";
import { setQuery, usePlace, useUrlState } from "../shell/url";
import { t, useLanguage } from "../text";
import { CanvasGrid, showing, zoomed, type Cursor, type Grid, type RowView } from "./canvas";
import { drawHeat } from "./heat";
import { guiltyOn } from "./guilty";
import { acrossTitle, gridData, heatData, largestFirst, marked, type Axes, type Guilty } from "./heat_data";
import { useFirst } from "./heat_first";
import { ChosenCell, RowsShown, useHosts } from "./heat_rows";
import type { HeatData } from "./heat_scale";
import { runsOf } from "./heat_runs";
import { sayMarked } from "./heat_words";
import { columnAt, largestOf, type PictureProps } from "./parts";

export type { Guilty } from "./heat_data";

// About as wide as it is drawn: Japanese letters take twice the room.
const widthOf = (text: string): number => [...text].reduce((sum, letter) => sum + (hasJapanese(letter) ? 13 : 7), 0);

const widths = new WeakMap<HeatData, number>();  // of the labels, which stay while rows are zoomed

function leftOf(data: HeatData): number {
  const left = widths.get(data) ?? Math.min(160, 14 + largestOf([...data.rows, ...runsOf(data).map(({ name }) => name)].map(widthOf)));
  widths.set(data, left);
  return left;
}

// Rows are zoomed where they are many.
export interface Zoom {
  readonly view: RowView;
  look(view: RowView): void;
  enter(cursor: Cursor): void;
}

const kHigh = 420, kHighest = 520;  // pixels

function gridOf(data: HeatData, column: Column, across: string, none: string, enter: ((across: string) => void) | undefined, zoom: Zoom | undefined, hostOf: (row: number) => string): Grid {
  const left = leftOf(data);
  const bottom = 18;
  const height = Math.max(60, Math.min(zoom ? kHighest : kHigh, data.rows.length * 26)) + bottom, view = zoom?.view ?? { from: 0, to: data.rows.length };
  return {
    rows: data.rows.length, columns: data.columns.length, height, left, bottom,
    draw: (context, width, theme) => drawHeat(context, data, { left, bottom, height, view }, width, theme), framed: true,
    describe: ({ row, column: at }) => {
      const place = row * data.columns.length + at, value = data.values[place]!;
      return `${data.rows[row]}${hostOf(row)}, ${across} ${data.columns[at]}: ${Number.isNaN(value) ? none : humanNumber(value, column.unit)}${data.aside?.[place] ? `, ${t("heat.aside")}` : ""}`;
    },
    ...(enter && { enter: ({ column: at }: { column: number }) => enter(data.columns[at]!) }),
    ...zoom,
  };
}

const mosts = new WeakMap<Float64Array, number>();

function mostOf(values: Float64Array): number {
  const most = mosts.get(values) ?? largestOf(values, -Infinity);
  mosts.set(values, most);
  return most;
}

function Scale({ data, column }: { data: HeatData; column: Column }) {
  useTheme();
  const low = humanNumber(data.low, column.unit), high = humanNumber(data.high, column.unit);
  const beyond = mostOf(data.values), more = beyond > data.high ? ` ${t("heat.beyond", { value: humanNumber(beyond, column.unit) })}` : "";
  if (data.alike) return <p class="scale">{t("heat.alike", { value: low === high ? low : `${low} – ${high}` })}{more}</p>;
  return (
    <p class="scale">
      <span>{low}</span><span class="ramp" aria-hidden="true" /><span>{high}{more}</span>
    </p>
  );
}

// The same title twice, as a time and as a share: the unit tells them apart.
function choiceTitle(table: Table, at: number): string {
  const column = table.columns[at]!;
  const twice = table.columns.filter(({ title }) => title === column.title).length > 1;
  return `${visible(column.title)}${twice && column.unit === "ratio" ? " %" : ""}`;
}

// `place`: of the table, as links to the timeline have it.
export interface HeatProps {
  readonly table: Table;
  readonly axes: Axes;
  readonly onStep?: ((step: string) => void) | undefined;
  readonly guilty?: Guilty | undefined;
  readonly place?: string | undefined;  // of the table, as links to the timeline have it
  readonly first?: string | undefined;  // the column that it opens on; else the one that tells most
  readonly labelOf?: (rank: string) => string | undefined;  // of the row that a rank is in, where rows are not of ranks
}

interface FigureProps extends HeatProps {
  readonly choices: readonly number[];
  readonly at: number;
  readonly choose: (column: number) => void;
  readonly data: HeatData;  // without marks
}

const kMany = 64;  // rows: more are zoomed

function Measures({ table, choices, at, choose }: FigureProps) {
  return (
    <div class="tabs" role="group" aria-label={t("heat.choose")}>
      {choices.map((choice) => (
        <button key={choice} type="button" aria-pressed={choice === at} onClick={() => choose(choice)} lang={langOf(choiceTitle(table, choice))}>
          {choiceTitle(table, choice)}
        </button>
      ))}
    </div>
  );
}

function HeatFigure(props: FigureProps) {
  const { table, axes, at, data: given, onStep, guilty, place } = props, column = table.columns[at]!, language = useLanguage(), hosts = useHosts();
  const many = given.rows.length > kMany && !axes.square, said = JSON.stringify(guilty);  // the same finding is another object each time
  const [order, setOrder] = useUrlState(`order.${table.key}`, ""), largest = many && order === "largest";
  const data = useMemo(() => marked(largest ? largestFirst(given) : given, table, guilty), [given, largest, said]);
  const saidMarks = useMemo(() => sayMarked(marked(given, table, guilty)), [given, said, language]);  // in the order of ranks
  const [seen, look] = useState<RowView>({ from: 0, to: Infinity }), [chosen, setChosen] = useState<Cursor | null>(null);
  const view = useMemo(() => showing({ from: 0, to: data.rows.length }, 0, data.rows.length) && zoomed({ from: seen.from, to: Math.min(seen.to, data.rows.length) }, seen.from, 1, data.rows.length), [seen, data.rows.length]);
  const hostOf = (row: number): string => { const host = hosts.get(data.ranks?.[row] ?? null); return host === undefined ? "" : `, ${visible(host)}`; };
  const zoom = many ? { view, look, enter: setChosen } : undefined;
  const grid = useMemo(() => gridOf(data, column, acrossTitle(table, axes), t(axes.square ? "picture.none" : "picture.unknown"), onStep, zoom, hostOf), [data, column, language, view, many, hosts]);
  // What zooming does not change is not drawn again.
  const head = useMemo(() => (
    <div class="heat-head">
      <Measures {...props} />
      <Scale data={data} column={column} />
    </div>
  ), [data, table, at, props.choices, language]);
  const label = t("heat.label", {
    value: visible(column.title), rows: data.rows.length, columns: data.columns.length,
    low: humanNumber(data.low, column.unit), high: humanNumber(data.high, column.unit),
  });
  return (
    <figure class="heat">
      <figcaption>{t("heat.title", { rows: t(`heat.axis.${axes.left}`), columns: t(`heat.axis.${axes.across}`) })}</figcaption>
      {head}
      {saidMarks !== "" && <p class="heat-mark">{saidMarks}{place !== undefined && guilty && !guilty.cells && <InTimeline target={targetOfCause(guilty.ranks.length === 1 ? guilty.ranks[0]! : null, guilty.steps ?? [], guilty.since)} place={place} />}</p>}
      {many && <RowsShown data={data} view={view} look={look} largest={largest} labelOf={props.labelOf} onOrder={(next) => { setOrder(next ? "largest" : "", "replace"); look({ from: 0, to: Infinity }); }} />}
      <CanvasGrid grid={grid} label={label} hint={t(many ? "heat.hint_zoom" : onStep ? "heat.hint_step" : "heat.hint")} />
      {many && chosen && <ChosenCell text={grid.describe(chosen)} rank={data.ranks?.[chosen.row] ?? null} step={axes.across === "step" ? data.columns[chosen.column] : undefined} onStep={onStep} />}
    </figure>
  );
}

function TableHeat(props: FigureProps | Omit<FigureProps, "data">) {
  const data = useMemo(() => heatData(props.table, props.axes, props.at), [props.table, props.at, props.axes.across]);
  return <HeatFigure {...props} data={data} />;
}

// Of a table that was cut: its grid has all of it.
function GridHeat(props: Omit<FigureProps, "data">) {
  const { table, at } = props, served = useContext(Served)!;
  const name = table.grid!, selection = served.selection ?? {};
  const scope = `grid ${served.run.id} ${served.run.revision ?? 0} ${name} ${selection.steps ?? ""} ${selection.ranks ?? ""}`, column = table.columns[at]!.key;
  const head = useLoad(scope, "", (signal) => served.source.gridHead(served.run.id, name, selection, signal));
  const values = useLoad(`${scope} ${column}`, "", (signal) => served.source.gridColumn(served.run.id, name, column, selection, signal));
  const counts = head.value?.columns.includes("typical") ? "" : null;
  const typical = useLoad(`${scope} typical`, counts, (signal) => served.source.gridColumn(served.run.id, name, "typical", selection, signal));
  const ready = head.value && values.value && (counts === null || typical.value);
  const data = useMemo(() => (ready ? gridData(table, head.value!, values.value!, typical.value) : null), [table, head.value, values.value, typical.value]);
  const problem = head.problem ?? values.problem ?? typical.problem;
  if (problem) return <ProblemPanel problem={problem} />;
  return data ? <HeatFigure {...props} data={data} /> : <Busy />;
}

export function HeatMap(props: HeatProps) {
  const { table } = props, served = useContext(Served), name = `heat.${table.key}`, chosen = usePlace().query[name];
  const choices = useMemo(() => table.columns.map((_, at) => at).filter((at) => table.columns[at]!.role === "value" && table.columns[at]!.unit !== ""), [table]);
  const told = choices.find((choice) => table.columns[choice]!.key === props.first), found = useFirst(props, choices, chosen !== undefined || told !== undefined), first = told ?? found;
  if (choices.length === 0) return null;
  if (first === undefined) return <Busy />;
  const at = choices.find((choice) => table.columns[choice]!.key === chosen) ?? (choices.includes(first) ? first : choices[0]!);
  const parts = { ...props, choices, at, choose: (choice: number) => setQuery({ [name]: table.columns[choice]!.key }, "replace") };
  return table.grid !== undefined && served ? <GridHeat {...parts} /> : <TableHeat {...parts} />;
}

// Only this step counts from here on, on every page; undefined where nobody could answer that.
export const stepChooser = (): ((step: string) => void) | undefined => (isLive() ? (step) => setQuery({ steps: step }) : undefined);

// A table whose keys are a rank, a step, and at most its window and device.
export function isRankByStep(table: Table): boolean {
  const keys = table.columns.filter((column) => column.role === "key").map((column) => column.key);
  return keys.includes("rank") && keys.includes("step") && keys.every((key) => ["rank", "window", "device", "step"].includes(key));
}

export function RankStepPicture({ report, table }: PictureProps) {
  const answer = useContext(Served)?.answer, guilty = useMemo(() => guiltyOn(report, answer), [report, answer]);
  return <HeatMap table={table} axes={{ across: "step", left: "rank" }} onStep={stepChooser()} guilty={guilty} place={`${report.analysis}.${table.key}`} />;
}

// How far a replay without changes is from what was recorded, which says how far one with changes can be relied on. What a rank at
// fault takes longer shows in none of its measures: others wait for it, so that steps take as long on all.
export function ReplayPicture({ report, table }: PictureProps) {
  return <HeatMap table={table} axes={{ across: "step", left: "rank" }} onStep={stepChooser()} first="error_ratio" place={`${report.analysis}.${table.key}`} />;
}

// Those who wait for one another are ranks, or the devices of one rank. Of devices of several ranks there is no picture.
function squareAxes(table: Table): Axes | null {
  const cells = (key: string) => table.rows.map((row) => row[columnAt(table, key)] ?? null);
  if (columnAt(table, "device") < 0 || cells("device").every((cell) => cell === null)) return { across: "for_rank", left: "rank", square: true };
  const ranks = new Set([...cells("rank"), ...cells("for_rank")]);
  return ranks.size === 1 ? { across: "for_device", left: "device", square: true } : null;
}

const kMostSquare = 1000;  // ranks on both sides: of more those that others waited for go to the right alone

export function WaitPicture({ table }: PictureProps) {
  const axes = useMemo((): Axes | null => {
    const axes = squareAxes(table), at = columnAt(table, axes?.left ?? "rank");
    return axes && new Set(table.rows.map((row) => row[at])).size > kMostSquare ? { across: axes.across, left: axes.left } : axes;
  }, [table]);
  return axes && <HeatMap table={table} axes={axes} />;
}
