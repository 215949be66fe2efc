// Shows a heat map of a table by rank and step, one value at a time; also of other pairs of keys, such as waiting and last rank.
import { useMemo } from "preact/hooks";
import type { Cell, Column, Table } from "../data/report";
import { hasJapanese, langOf } from "../data/words";
import { humanNumber, visible } from "../report/format";
import { InTimeline, targetOfCause } from "../report/in_timeline";
import { useTheme } from "../shell/theme";
import { isLive } from "../shell/live";
import { setQuery, useUrlState } from "../shell/url";
import { t, useLanguage } from "../text";
import { CanvasGrid, type Grid } from "./canvas";
import { columnsOf, drawHeat, scaleOf, stretchesOf, type HeatData } from "./heat";
import { strongest } from "./contrast";
import { columnAt, fullLabelOf, labelColumns, largestOf, valueAt, type PictureProps } from "./parts";

type AxisKey = "rank" | "step" | "for_rank" | "device" | "for_device" | "place" | "stage";

interface Axes {
  readonly across: AxisKey;  // the key column that goes to the right: "step"
  readonly left: AxisKey;    // what the row labels are called
  // Both axes are of this kind, and what stands in no row did not happen: a matrix with all of them on both.
  readonly square?: boolean;
}

const acrossTitle = (table: Table, axes: Axes): string => visible(table.columns[columnAt(table, axes.across)]?.title ?? axes.across);

function numericKeys(cells: Iterable<Cell>): Cell[] {
  return [...new Set(cells)].sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))));
}

export function heatData(table: Table, { across, left, square }: Axes, value: number): HeatData {
  const at = columnAt(table, across), own = columnAt(table, left);
  const labels = square ? [own] : labelColumns(table, [across]);
  const columns = numericKeys(table.rows.flatMap((row) => (square ? [row[at] ?? null, row[own] ?? null] : [row[at] ?? null])));
  const columnOf = new Map(columns.map((cell, index) => [cell, index]));
  const rowOf = new Map<string, number>();
  const lines = square ? columns.map((cell) => table.columns.map((_, k) => (k === own ? cell : null))) : table.rows;
  for (const row of lines) {
    const label = fullLabelOf(table, row, labels);
    if (!rowOf.has(label)) rowOf.set(label, rowOf.size);
  }
  const values = new Float64Array(rowOf.size * columns.length).fill(NaN), typical = columnAt(table, "typical");
  const aside = typical < 0 ? undefined : new Uint8Array(values.length);
  for (const row of table.rows) {
    const { number } = valueAt(table, row, value);
    const place = rowOf.get(fullLabelOf(table, row, labels))! * columns.length + columnOf.get(row[at] ?? null)!;
    if (number !== null) values[place] = number;
    if (aside && row[typical] === "no") aside[place] = 1;
  }
  return { rows: [...rowOf.keys()], columns: columns.map(String), values, ...(aside && { aside }), ...scaleOf(values, aside) };
}

// What a finding says of ranks and steps.
export interface Guilty {
  readonly ranks: readonly number[];  // empty: all, or none in particular
  readonly device: number | null;     // of the one rank
  readonly since: number | null;
  readonly steps: readonly number[] | null;  // those it is in, if they are neither all nor all since one
  readonly cells?: readonly { readonly rank: number; readonly step: number }[];  // instead: of several ranks, each in its own steps
  readonly inTurn?: boolean;  // these ranks have them in turn
  readonly kind?: string;  // of the cause: the measure that is told where no rank or step is; "": what a step takes is
}

// Finds the rows of a rank, one for each of its devices or of that device alone. None where these are all rows: that frames nothing.
function rowFinder(data: HeatData, table: Table): (rank: number, device?: number | null) => number[] {
  const labels = labelColumns(table, ["step"]), rowOf = new Map(data.rows.map((label, row) => [label, row])), [ranks, devices] = [columnAt(table, "rank"), columnAt(table, "device")];
  const rowsOf = new Map<Cell, Map<number, Cell>>();  // of each rank, with their devices
  for (const cells of table.rows) {
    const rank = cells[ranks] ?? null, row = rowOf.get(fullLabelOf(table, cells, labels));
    if (!rowsOf.has(rank)) rowsOf.set(rank, new Map());
    if (row !== undefined) rowsOf.get(rank)!.set(row, cells[devices] ?? null);
  }
  return (rank, device = null) => {
    const rows = [...(rowsOf.get(rank) ?? [])].filter(([, of]) => device === null || of === device).map(([row]) => row).sort((a, b) => a - b);
    return rows.length < data.rows.length ? rows : [];
  };
}

export function marked(data: HeatData, table: Table, guilty: Guilty | undefined): HeatData {
  if (!guilty) return data;
  const rowsOf = rowFinder(data, table), columnOf = (step: number): number => data.columns.indexOf(String(step));
  const since = guilty.since === null ? -1 : columnOf(guilty.since), begins = since >= 0 && { since };
  const steps = (guilty.steps ?? []).map(columnOf).filter((at) => at >= 0);
  const [rank, ...others] = guilty.ranks;
  const all = steps.length > 0 ? steps : data.columns.map((_, at) => at).slice(Math.max(0, since));
  const cells = guilty.cells
    ? guilty.cells.flatMap(({ rank: of, step }) => rowsOf(of).map((row) => [row, columnOf(step)] as const)).filter(([, column]) => column >= 0)
    : others.length > 0 ? guilty.ranks.flatMap((of) => rowsOf(of).flatMap((row) => all.map((column) => [row, column] as const))) : [];
  if (cells.length > 0) return { ...data, cells, inTurn: guilty.inTurn ?? false, ...begins };
  const rows = rank === undefined || others.length > 0 ? [] : rowsOf(rank, guilty.device);
  const name = `${visible(table.columns[columnAt(table, "rank")]?.title ?? "rank")} ${rank}`;  // as its label has it
  return { ...data, ...(rows.length > 0 && { marked: rows[0]! }), ...(rows.length > 1 && { tall: rows.length, name }), ...begins, ...(steps.length > 0 && { steps }) };
}

// "2, 4, 6 … 12", as findings have it.
const kSaid = 4;
const listOf = (names: readonly string[]): string => (names.length <= kSaid ? names.join(", ") : `${names.slice(0, kSaid - 1).join(", ")} … ${names.at(-1)}`);

const kLeastRun = 3;  // of columns, told by its ends

// "step 9", "steps 4, 7, 10", "steps 5 to 9".
function sayColumns(columns: readonly string[], at: readonly number[]): string {
  const names = stretchesOf(at).flatMap(([first, last]) => (last - first + 1 >= kLeastRun ? [t("heat.from_to", { first: columns[first]!, last: columns[last]! })] : columns.slice(first, last + 1)));
  return t(at.length === 1 ? "heat.step" : "heat.steps", { steps: listOf(names) });
}

// Rows with cells of their own: those that have all since the same column are told without columns.
function sayCells({ rows, columns, since = 0, inTurn }: HeatData, cells: NonNullable<HeatData["cells"]>): string {
  const named = [...new Set(cells.map(([row]) => row))].sort((a, b) => a - b);
  if (inTurn) return t("heat.in_turn", { rows: listOf(named.map((row) => rows[row]!)) });
  const said = named.map((row) => {
    const own = columnsOf(cells, row);
    return own.length === columns.length - since ? "" : sayColumns(columns, own);
  });
  if (said.every((steps) => steps === said[0])) {
    const all = listOf(named.map((row) => rows[row]!));
    return t("heat.marked", { row: said[0] ? t("heat.of_row", { row: all, steps: said[0] }) : all });
  }
  return t("heat.marked", { row: named.map((row, at) => (said[at] ? t("heat.of_row", { row: rows[row]!, steps: said[at] }) : rows[row]!)).join("; ") });
}

function sayFrame(data: HeatData): string[] {
  const { rows, columns, marked, steps, cells, name } = data;
  if (cells) return [sayCells(data, cells)];
  const row = marked === undefined ? undefined : name ?? rows[marked]!;
  if (steps === undefined) return row === undefined ? [] : [t("heat.marked", { row })];
  const said = sayColumns(columns, steps);
  return [t("heat.marked", { row: row === undefined ? said : t("heat.of_row", { row, steps: said }) })];
}

const sayMarked = (data: HeatData): string => [
  ...sayFrame(data),
  ...(data.since === undefined || data.since === 0 ? [] : [t("heat.since", { step: data.columns[data.since]! })]),
].join(" ");

// About as wide as it is drawn: Japanese letters take twice the room.
const widthOf = (text: string): number => [...text].reduce((sum, letter) => sum + (hasJapanese(letter) ? 13 : 7), 0);

function gridOf(data: HeatData, column: Column, across: string, none: string, enter: ((across: string) => void) | undefined): Grid {
  const left = Math.min(160, 14 + largestOf(data.rows.map(widthOf)));
  const bottom = 18;
  const height = Math.max(60, Math.min(420, data.rows.length * 26)) + bottom;
  return {
    rows: data.rows.length, columns: data.columns.length, height, left, bottom,
    draw: (context, width, theme, cursor) => drawHeat(context, data, { left, bottom, height }, width, theme, cursor),
    describe: ({ row, column: at }) => {
      const place = row * data.columns.length + at, value = data.values[place]!;
      return `${data.rows[row]}, ${across} ${data.columns[at]}: ${Number.isNaN(value) ? none : humanNumber(value, column.unit)}${data.aside?.[place] ? `, ${t("heat.aside")}` : ""}`;
    },
    ...(enter && { enter: ({ column: at }: { column: number }) => enter(data.columns[at]!) }),
  };
}

function Scale({ data, column }: { data: HeatData; column: Column }) {
  useTheme();
  const low = humanNumber(data.low, column.unit), high = humanNumber(data.high, column.unit);
  const beyond = largestOf(data.values, -Infinity), more = beyond > data.high ? ` ${t("heat.beyond", { value: humanNumber(beyond, column.unit) })}` : "";
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
export function HeatMap({ table, axes, onStep, guilty, place }: {
  table: Table; axes: Axes; onStep?: ((step: string) => void) | undefined; guilty?: Guilty | undefined; place?: string;
}) {
  const said = JSON.stringify(guilty);  // the same finding is another object each time
  const choices = table.columns.map((_, at) => at).filter((at) => table.columns[at]!.role === "value" && table.columns[at]!.unit !== "");
  const first = useMemo(() => (axes.square ? choices[0] : strongest(table, choices, (choice) => marked(heatData(table, axes, choice), table, guilty), guilty?.kind)), [table, axes.across, said]);
  const [key, setKey] = useUrlState(`heat.${table.key}`, table.columns[first ?? 0]?.key ?? "");
  const at = choices.find((choice) => table.columns[choice]!.key === key) ?? choices[0];
  const data = useMemo(() => (at === undefined ? null : marked(heatData(table, axes, at), table, guilty)), [table, at, axes.across, said]);
  const column = at === undefined ? undefined : table.columns[at], language = useLanguage();
  const grid = useMemo(() => (data && column ? gridOf(data, column, acrossTitle(table, axes), t(axes.square ? "picture.none" : "picture.unknown"), onStep) : null), [data, column, language]);
  if (!data || !column || !grid) return null;
  const label = t("heat.label", {
    value: visible(column.title), rows: data.rows.length, columns: data.columns.length,
    low: humanNumber(data.low, column.unit), high: humanNumber(data.high, column.unit),
  });
  return (
    <figure class="heat">
      <figcaption>{t("heat.title", { rows: t(`heat.axis.${axes.left}`), columns: t(`heat.axis.${axes.across}`) })}</figcaption>
      <div class="heat-head">
        <div class="tabs" role="group" aria-label={t("heat.choose")}>
          {choices.map((choice) => (
            <button key={choice} type="button" aria-pressed={choice === at} onClick={() => setKey(table.columns[choice]!.key, "replace")} lang={langOf(choiceTitle(table, choice))}>
              {choiceTitle(table, choice)}
            </button>
          ))}
        </div>
        <Scale data={data} column={column} />
      </div>
      {sayMarked(data) !== "" && <p class="heat-mark">{sayMarked(data)}{place !== undefined && guilty && !guilty.cells && <InTimeline target={targetOfCause(guilty.ranks.length === 1 ? guilty.ranks[0]! : null, guilty.steps ?? [], guilty.since)} place={place} />}</p>}
      <CanvasGrid grid={grid} label={label} hint={onStep ? t("heat.hint_step") : t("heat.hint")} />
    </figure>
  );
}

// Only this step counts from here on, on every page; undefined where nobody could answer that.
export const stepChooser = (): ((step: string) => void) | undefined => (isLive() ? (step) => setQuery({ steps: step }) : undefined);

// A table whose keys are a rank, a step, and at most its window and device.
export function isRankByStep(table: Table): boolean {
  const keys = table.columns.filter((column) => column.role === "key").map((column) => column.key);
  return keys.includes("rank") && keys.includes("step") && keys.every((key) => ["rank", "window", "device", "step"].includes(key));
}

export function RankStepPicture({ table }: PictureProps) {
  return <HeatMap table={table} axes={{ across: "step", left: "rank" }} onStep={stepChooser()} />;
}

// Those who wait for one another are ranks, or the devices of one rank. Of devices of several ranks there is no picture.
function squareAxes(table: Table): Axes | null {
  const cells = (key: string) => table.rows.map((row) => row[columnAt(table, key)] ?? null);
  if (columnAt(table, "device") < 0 || cells("device").every((cell) => cell === null)) return { across: "for_rank", left: "rank", square: true };
  const ranks = new Set([...cells("rank"), ...cells("for_rank")]);
  return ranks.size === 1 ? { across: "for_device", left: "device", square: true } : null;
}

export function WaitPicture({ table }: PictureProps) {
  const axes = useMemo(() => squareAxes(table), [table]);
  return axes && <HeatMap table={table} axes={axes} />;
}
