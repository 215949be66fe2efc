// Chooses the measure that a heat map opens on. Of a table that was cut the grid has all ranks: its columns are read for that where a
// finding names ranks, for those may be far behind the rows that are here.
import { useContext, useMemo } from "preact/hooks";
import type { Table } from "../data/report";
import { useLoad } from "../shell/load";
import { Served } from "../shell/served";
import { isOfWaiting, likely, strongest } from "./contrast";
import { gridData, heatData, marked, type Axes, type Guilty } from "./heat_data";
import { scaleOf, type HeatData } from "./heat_scale";
import { columnAt } from "./parts";

export interface Asked {
  readonly table: Table;
  readonly axes: Axes;
  readonly guilty?: Guilty | undefined;
}

const kSearched = 20_000;       // cells of a table: of more the measure is not searched for
const kSearchedGrid = 300_000;  // of a grid

const namesRanks = (guilty: Guilty | undefined): guilty is Guilty => guilty !== undefined && guilty.ranks.length + (guilty.cells?.length ?? 0) > 0;

// Without a search. What others wait for is a cause, but the ranks at fault wait least.
const guessed = ({ table, guilty }: Asked, choices: readonly number[]): number | undefined =>
  likely(table, choices, namesRanks(guilty) && guilty.kind === "wait" ? undefined : guilty?.kind);

function ofTable(asked: Asked, choices: readonly number[]): number | undefined {
  const { table, axes, guilty } = asked;
  if (axes.square) return choices[0];
  if (table.grid !== undefined || table.rows.length > kSearched) return guessed(asked, choices);
  return strongest(table, choices, (choice) => marked(heatData(table, axes, choice), table, guilty), guilty?.kind);
}

// The columns in which ranks at fault may stand out, and what a step takes, which says what is noise.
function searchedIn(table: Table, choices: readonly number[]): number[] {
  const times = choices.filter((at) => table.columns[at]!.unit === "ns"), step = columnAt(table, "step_time"), whole = step < 0 ? times[0] : step;
  return times.filter((at) => at === whole || !isOfWaiting(table.columns[at]!));
}

type Read = (column: string) => Promise<Float64Array>;

async function ofGrid({ table, guilty }: Asked, choices: readonly number[], head: Parameters<typeof gridData>[1], read: Read): Promise<number | undefined> {
  const among = searchedIn(table, choices).filter((at) => head.columns.includes(table.columns[at]!.key));
  const values = new Map(await Promise.all(among.map(async (at) => [at, await read(table.columns[at]!.key)] as const)));
  const typical = head.columns.includes("typical") ? await read("typical") : undefined, [first] = values.values();
  if (!first) return undefined;
  const base = marked(gridData(table, head, first, typical), table, guilty);
  const dataOf = (at: number): HeatData => ({ ...base, values: values.get(at)!, ...scaleOf(values.get(at)!, base.aside) });
  return strongest(table, among, dataOf);
}

// Undefined while a grid is read for it. `chosen`: the reader has chosen one, so that none is looked for.
export function useFirst(asked: Asked, choices: readonly number[], chosen: boolean): number | undefined {
  const { table, axes, guilty } = asked, served = useContext(Served), said = JSON.stringify(guilty);
  const guess = useMemo(() => ofTable(asked, choices) ?? choices[0] ?? 0, [table, axes.across, said]);
  const reads = !chosen && served !== null && table.grid !== undefined && (table.all ?? 0) <= kSearchedGrid && namesRanks(guilty);
  const { steps = "", ranks = "" } = served?.selection ?? {};
  const found = useLoad(`first ${served?.run.id} ${served?.run.revision ?? 0} ${table.grid} ${steps} ${ranks}`, reads ? said : null, async (signal) => {
    const { source, run } = served!, name = table.grid!, selection = { steps, ranks };
    const head = await source.gridHead(run.id, name, selection, signal);
    return (await ofGrid(asked, choices, head, (column) => source.gridColumn(run.id, name, column, selection, signal))) ?? guess;
  });
  return !reads || found.problem ? guess : found.value;
}
