// Chooses the measure of a heat map that tells most: of what ranks do themselves the part in which they differ most in a
// step, so that the one at fault is dark and not those that wait for it; or else the one in which steps differ.
import type { Column, Table } from "../data/report";
import { columnAt } from "./parts";
import type { HeatData } from "./heat_scale";

type Cell = readonly [row: number, column: number];

const kLeast = 0.05;  // of step time: less is noise
const kExplains = 0.5;  // of what a step takes longer, if ranks differ by that: else it is slow on all
const kMany = 1.5;    // times the largest part: then several parts of a rank's own time tell together

// What those who wait have more of, in tables whose columns have no kind.
const kOfWaiting = new Set(["step_time", "time", "span", "exposed", "exposed_communication", "device_collectives"]);

export const isOfWaiting = ({ key, kind }: Column): boolean => kOfWaiting.has(key) || kind === "wait" || kind === "communication";

function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort();  // NaN last
  let count = sorted.length;
  while (count > 0 && Number.isNaN(sorted[count - 1]!)) --count;
  return sorted[(count - 1) >> 1] ?? NaN;
}

const known = (values: readonly number[]): number[] => values.filter((value) => !Number.isNaN(value));
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);
const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length);

const at = ({ values, columns }: HeatData, row: number, column: number): number => values[row * columns.length + column]!;

// A step's values of all ranks; of no rank that leaves it out of its means.
const step = (data: HeatData, column: number): number[] =>
  data.rows.map((_, row) => (data.aside?.[row * data.columns.length + column] ? NaN : at(data, row, column)));

// How far the largest of a step is beyond its median, in the mean step.
function overRanks(data: HeatData): number {
  const steps = data.columns.map((_, column) => known(step(data, column))).filter((values) => values.length > 1);
  return mean(steps.map((values) => most(values) - median(values)));
}

// Of medians, so that one rank makes no difference.
function overSteps(data: HeatData): number {
  const steps = known(data.columns.map((_, column) => median(step(data, column))));
  return steps.length === 0 ? 0 : most(steps) - least(steps);
}

// How far each marked cell is beyond what is not marked: of other ranks in this step, or of other steps of this rank.
function beyond(data: HeatData, cells: readonly Cell[], of: "ranks" | "steps"): number[] {
  const marked = new Set(cells.map(([row, column]) => row * data.columns.length + column)), medians = new Map<number, number>();
  const free = (row: number, column: number) => (marked.has(row * data.columns.length + column) ? NaN : at(data, row, column));
  const others = ([row, column]: Cell) => (of === "ranks" ? data.rows.map((_, other) => free(other, column)) : data.columns.map((_, other) => free(row, other)));
  return cells.map((cell) => {
    const line = of === "ranks" ? cell[1] : cell[0], typical = medians.get(line) ?? median(others(cell));
    medians.set(line, typical);
    return at(data, ...cell) - typical;
  });
}

const overMarked = (data: HeatData, cells: readonly Cell[], of: "ranks" | "steps"): number => mean(known(beyond(data, cells, of)));

// Of the marked rank that is least beyond the others: all of them have more of such a measure.
function overEach(data: HeatData, cells: readonly Cell[]): number {
  const rows = new Map<number, number[]>(), by = beyond(data, cells, "ranks");
  cells.forEach(([row], place) => rows.set(row, [...(rows.get(row) ?? []), by[place]!]));
  return rows.size === 0 ? 0 : least([...rows.values()].map((own) => mean(known(own))));
}

// The cells that a finding names. None: it names no rank and no step.
export function markedCells(data: HeatData): Cell[] {
  const { marked, tall = 1, since = 0, steps, cells } = data;
  if (cells) return [...cells];
  if (marked === undefined && steps === undefined) return [];
  const rows = marked === undefined ? data.rows.map((_, row) => row) : Array.from({ length: tall }, (_, row) => marked + row);
  const columns = steps ?? data.columns.map((_, column) => column).slice(since);
  return rows.flatMap((row) => columns.map((column) => [row, column] as const));
}

interface Measure {
  readonly at: number;
  readonly data: HeatData;
}

interface Differs {
  readonly at: number;
  readonly by: number;
}

// The one that differs most, by more than `floor`: a part, where one part explains it.
function largest(all: readonly Measure[], floor: number, own: number, by: (data: HeatData) => number): Differs | undefined {
  const found = all.map((one) => ({ at: one.at, by: by(one.data) }));
  const parts = found.filter((one) => one.at !== own).sort((a, b) => b.by - a.by), whole = found.find((one) => one.at === own);
  const part = parts[0];
  const best = whole && (!part || whole.by > kMany * part.by) ? whole : part;
  return best && best.by > floor ? best : undefined;
}

// The parts that a finding without a rank or a step can be about, by the kind of its cause; of several, the largest.
const kOfCause: Readonly<Record<string, readonly string[]>> = {
  communication: ["exposed_communication", "device_collectives", "exposed"], wait: ["wait", "exposed_communication", "device_collectives", "exposed"],
  host: ["all_others", "host_compute", "kernel_launch", "idle"], launch: ["kernel_launch", "idle"], sync: ["output"], input: ["input"], compilation: ["compilation"], one_time: ["one-time_work"],
  copies: ["device_to_device", "input", "output"], compute: ["device_compute", "compute"], precision: ["device_compute", "compute"],
};

// Of a table too long to search: the part that such a cause is about, or what ranks do themselves, or the first. Without ranks at
// fault: those have less of waiting than others.
export function likely(table: Table, choices: readonly number[], kind: string | undefined): number | undefined {
  const named = (keys: readonly string[]) => choices.find((choice) => keys.includes(table.columns[choice]!.key));
  return named(kOfCause[kind ?? ""] ?? []) ?? named(["own"]) ?? named(["step_time", "time"]) ?? choices[0];
}

const typicalMean = ({ values, aside }: HeatData): number => mean(known([...values].filter((_, at) => !aside?.[at])));

function partOf(table: Table, all: readonly Measure[], kind: string): number | undefined {
  const parts = all.filter((one) => kOfCause[kind]?.includes(table.columns[one.at]!.key));
  return parts.sort((a, b) => typicalMean(b.data) - typicalMean(a.data))[0]?.at;
}

// One of `choices`, which are columns of times; the first where nothing differs. `dataOf`: with the marks of a finding, whose
// cause is of the `kind`: where it names no rank and no step, its part is told, or else what a step takes.
export function strongest(table: Table, choices: readonly number[], dataOf: (column: number) => HeatData, kind?: string): number | undefined {
  const all = choices.filter((choice) => table.columns[choice]!.unit === "ns").map((choice) => ({ at: choice, data: dataOf(choice) }));
  const whole = all.find((one) => one.at === columnAt(table, "step_time")) ?? all[0];
  if (!whole) return choices[0];
  const floor = kLeast * median(whole.data.values), own = columnAt(table, "own");
  const causes = all.filter((one) => !isOfWaiting(table.columns[one.at]!)), waiting = all.filter((one) => !causes.includes(one) && one !== whole);
  const parts = [whole, ...causes.filter((one) => one.at !== own)];
  const cells = markedCells(whole.data);
  const ofRanks = largest(causes, floor, own, (data) => overEach(data, cells)) ?? largest(causes, floor, own, (data) => overMarked(data, cells, "ranks"));
  const ofSteps = whole.data.steps && largest(parts, floor, own, (data) => overMarked(data, cells, "steps"));
  const marked = ofSteps && (!ofRanks || kExplains * ofSteps.by > ofRanks.by) ? ofSteps : ofRanks;
  if (kind !== undefined && !marked) return partOf(table, all, kind) ?? whole.at;
  const best = marked ?? largest(causes, floor, own, overRanks) ?? largest(waiting, floor, own, overRanks) ?? largest(parts, floor, own, overSteps);
  return best?.at ?? choices[0];
}
