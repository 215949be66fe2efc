// Says what is framed in a heat map, as findings say it.
import { t } from "../text";
import { columnsOf, stretchesOf } from "./heat";
import type { HeatData } from "./heat_scale";

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

export const sayMarked = (data: HeatData): string => [
  ...sayFrame(data),
  ...(data.since === undefined || data.since === 0 ? [] : [t("heat.since", { step: data.columns[data.since]! })]),
].join(" ");
