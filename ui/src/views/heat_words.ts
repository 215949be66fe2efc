// Says what is framed in a heat map, as findings say it.
import { t } from "../text";
import { runsOf, type Stretch } from "./heat_runs";
import type { HeatData } from "./heat_scale";

// "2, 4, 6 … 12", as findings have it.
const kSaid = 4;
const listOf = (names: readonly string[]): string => (names.length <= kSaid ? names.join(", ") : `${names.slice(0, kSaid - 1).join(", ")} … ${names.at(-1)}`);

const kLeastRun = 3;  // of columns, told by its ends

// "step 9", "steps 4, 7, 10", "steps 5 to 9".
function sayColumns(columns: readonly string[], stretches: readonly Stretch[]): string {
  const names = stretches.flatMap(([first, last]) => (last - first + 1 >= kLeastRun ? [t("heat.from_to", { first: columns[first]!, last: columns[last]! })] : columns.slice(first, last + 1)));
  return t(countOf(stretches) === 1 ? "heat.step" : "heat.steps", { steps: listOf(names) });
}

const countOf = (stretches: readonly Stretch[]): number => stretches.reduce((sum, [first, last]) => sum + last - first + 1, 0);

// Rows that have all columns since the same one are told without columns.
function sayFrame(data: HeatData): string[] {
  const { columns, since = 0, inTurn } = data, runs = runsOf(data), names = listOf(runs.map(({ name }) => name));
  if (runs.length === 0) return [];
  if (inTurn) return [t("heat.in_turn", { rows: names })];
  const said = runs.map((run) => (countOf(run.columns) === columns.length - since ? "" : sayColumns(columns, run.columns)));
  const of = (row: string, steps: string) => (row === "" ? steps : steps === "" ? row : t("heat.of_row", { row, steps }));
  if (said.every((steps) => steps === said[0])) return [t("heat.marked", { row: of(names, said[0]!) })];
  return [t("heat.marked", { row: runs.map(({ name }, at) => of(name, said[at]!)).join("; ") })];
}

export const sayMarked = (data: HeatData): string => [
  ...sayFrame(data),
  ...(data.since === undefined || data.since === 0 ? [] : [t("heat.since", { step: data.columns[data.since]! })]),
].join(" ");
