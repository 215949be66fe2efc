// What stands around a heat map of many ranks: which of them are shown and in which order, a field that goes to one, and what can be
// done with the cell that was chosen.
import { useContext, useMemo, useState } from "preact/hooks";
import type { Cell, ReportSet } from "../data/report";
import { TraceOfRank } from "../shell/rank_trace";
import { Served } from "../shell/served";
import { setQuery } from "../shell/url";
import { t } from "../text";
import { humanCount } from "../report/format";
import { isLive } from "../shell/live";
import { zoomed, type RowView } from "./canvas";
import type { HeatData } from "./heat_scale";
import { columnAt, reportOf, tableOf } from "./parts";

const kNone: ReadonlyMap<Cell, string> = new Map();

function hostsIn(answer: ReportSet | undefined): ReadonlyMap<Cell, string> {
  const table = answer && tableOf(reportOf(answer, "layout"), "ranks"), [rank, host] = table ? [columnAt(table, "rank"), columnAt(table, "host")] : [-1, -1];
  if (!table || rank < 0 || host < 0) return kNone;
  return new Map(table.rows.flatMap((row) => (typeof row[host] === "string" && row[host] !== "" ? [[row[rank] ?? null, row[host] as string] as const] : [])));
}

// The host of each rank, as the layout has it.
export function useHosts(): ReadonlyMap<Cell, string> {
  const answer = useContext(Served)?.answer;
  return useMemo(() => hostsIn(answer), [answer]);
}

const kAround = 40;  // rows around the one that was gone to

// Which rows are in view. Sorted, they are from no rank to another.
const saysRows = ({ rows }: HeatData, { from, to }: RowView, largest: boolean): string => {
  const all = humanCount(rows.length);
  if (largest) return t("heat.shown_largest", { from: humanCount(from + 1), to: humanCount(to), all });
  return t("heat.shown", { from: rows[from] ?? "", to: rows[to - 1] ?? "", shown: humanCount(to - from), all });
};

// `labelOf`: of the row that a rank is in, where rows are not of ranks.
export function RowsShown({ data, view, look, largest, onOrder, labelOf }: {
  data: HeatData; view: RowView; look: (view: RowView) => void; largest: boolean; onOrder: (largest: boolean) => void; labelOf?: ((rank: string) => string | undefined) | undefined;
}) {
  const rows = data.rows.length, middle = (view.from + view.to) / 2;
  const [absent, setAbsent] = useState("");
  const rowOf = (rank: string): number => {
    const label = labelOf?.(rank);
    return data.ranks?.findIndex((one) => String(one) === rank) ?? (label === undefined ? -1 : data.rows.indexOf(label));
  };
  const goTo = (text: string) => {
    const rank = text.trim(), row = rowOf(rank);
    setAbsent(row >= 0 ? "" : rank);
    if (row >= 0) look(zoomed({ from: Math.max(0, row - kAround / 2), to: Math.max(0, row - kAround / 2) + kAround }, row, 1, rows));
  };
  const zoomBy = (times: number) => look(zoomed(view, middle, times, rows));
  return (
    <p class="heat-rows">
      <button type="button" onClick={() => zoomBy(0.5)} aria-label={t("heat.closer")}>+</button>
      <button type="button" disabled={view.to - view.from >= rows} onClick={() => zoomBy(2)} aria-label={t("heat.farther")}>−</button>
      <button type="button" disabled={view.to - view.from >= rows} onClick={() => look({ from: 0, to: rows })}>{t("heat.all")}</button>
      {(data.ranks || labelOf) && <label>{t("heat.go")} <input type="text" inputMode="numeric" size={7} onChange={(event) => goTo(event.currentTarget.value)} /></label>}
      <label><input type="checkbox" checked={largest} onChange={(event) => onOrder(event.currentTarget.checked)} /> {t("heat.largest_first")}</label>
      <span class="faint" role="status">{absent !== "" && `${t("heat.no_rank", { rank: absent })} `}{saysRows(data, view, largest)}</span>
    </p>
  );
}

// `step`: undefined where columns are no steps.
export function ChosenCell({ text, rank, step, onStep }: { text: string; rank: Cell; step: string | undefined; onStep: ((step: string) => void) | undefined }) {
  return (
    <div class="heat-chosen">
      <b>{text}</b>
      {isLive() && rank !== null && <button type="button" onClick={() => setQuery({ ranks: String(rank) })}>{t("heat.only_rank", { rank: String(rank) })}</button>}
      {rank !== null && <TraceOfRank rank={String(rank)} />}
      {onStep && step !== undefined && <button type="button" onClick={() => onStep(step)}>{t("heat.only_step", { step })}</button>}
    </div>
  );
}
