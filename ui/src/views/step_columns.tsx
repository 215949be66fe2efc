// Draws the breakdown of each step as a stacked column.
import { useMemo } from "preact/hooks";
import type { Kind, Table } from "../data/report";
import { humanNumber, visible } from "../report/format";
import { kInk } from "../shell/palette";
import type { Theme } from "../shell/theme";
import { useUrlState } from "../shell/url";
import { t, useLanguage } from "../text";
import { CanvasGrid, type Cursor, type Grid } from "./canvas";
import { stepChooser } from "./heatmap";
import { Legend } from "./legend";
import { columnAt, fullLabelOf, groupRows, kindOfColumn, labelColumns, largestOf, valueAt, type PictureProps } from "./parts";
import { fillOf } from "./patterns";

interface Steps {
  readonly steps: readonly string[];
  readonly parts: readonly { readonly title: string; readonly kind: Kind; readonly values: readonly number[]; readonly texts: readonly string[] }[];
  readonly totals: readonly number[];
  readonly high: number;
}

function stepsOf(table: Table, rows: Table["rows"]): Steps {
  const step = columnAt(table, "step");
  const parts = table.columns.flatMap((column, at) => {
    if (!column.kind || column.unit !== "ns") return [];
    const cells = rows.map((row) => valueAt(table, row, at));
    if (!cells.some(({ number }) => (number ?? 0) > 0)) return [];
    return [{ title: visible(column.title), kind: kindOfColumn(table, at), values: cells.map(({ number }) => Math.max(0, number ?? 0)), texts: cells.map(({ text }) => text) }];
  });
  const totals = rows.map((_, at) => parts.reduce((sum, part) => sum + part.values[at]!, 0));
  return { steps: rows.map((row) => String(row[step] ?? "")), parts, totals, high: largestOf(totals, 1) };
}

const kLeft = 64;
const kBottom = 18;
const kTop = 4;
const kHeight = 220;
const kSeen = 0.003;  // of a step: what is shorter in all of them is told where one points, but not seen

// More steps than pixels: a pixel shows the longest of its steps.
function tallest(totals: readonly number[], from: number, to: number): number {
  let best = from;
  for (let at = from + 1; at < to; ++at) if (totals[at]! > totals[best]!) best = at;
  return best;
}

function draw(context: CanvasRenderingContext2D, data: Steps, width: number, theme: Theme, cursor: Cursor | null): void {
  const ink = kInk[theme];
  const room = kHeight - kBottom - kTop;
  const cell = (width - kLeft) / data.steps.length;
  context.strokeStyle = ink.line;
  context.fillStyle = ink.faint;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const share of [0, 0.5, 1]) {
    const y = kTop + room * (1 - share);
    context.beginPath();
    context.moveTo(kLeft, y);
    context.lineTo(width, y);
    context.stroke();
    context.fillText(humanNumber(Math.round(data.high * share), "ns"), kLeft - 6, Math.max(8, y));
  }
  const bands = Math.min(data.steps.length, Math.max(1, Math.floor(width - kLeft)));
  for (let band = 0; band < bands; ++band) {
    const at = tallest(data.totals, Math.floor((band * data.steps.length) / bands), Math.floor(((band + 1) * data.steps.length) / bands));
    let y = kTop + room;
    for (const part of data.parts) {
      const tall = (part.values[at]! / data.high) * room;
      context.fillStyle = fillOf(context, part.kind, theme);
      context.fillRect(kLeft + at * cell, y - tall, Math.max(1, cell - (cell > 5 ? 2 : 0)), tall);
      y -= tall;
    }
  }
  context.fillStyle = ink.faint;
  context.textAlign = "center";
  context.textBaseline = "bottom";
  const step = Math.max(1, Math.ceil((largestOf(data.steps.map((one) => one.length)) * 7 + 12) / cell));
  for (let at = 0; at < data.steps.length; at += step) context.fillText(data.steps[at]!, kLeft + (at + 0.5) * cell, kHeight);
  if (!cursor) return;
  context.strokeStyle = ink.select;
  context.lineWidth = 2;
  context.strokeRect(kLeft + cursor.column * cell, kTop, Math.max(2, cell - 2), room);
}

function gridOf(data: Steps, choose: ((step: string) => void) | undefined): Grid {
  return {
    rows: 1, columns: data.steps.length, height: kHeight, left: kLeft, bottom: kBottom,
    draw: (context, width, theme, cursor) => draw(context, data, width, theme, cursor),
    describe: ({ column }) => `${t("columns.step", { step: data.steps[column]! })}: ${data.parts.filter((part) => part.values[column]! > 0).map((part) => `${part.title} ${part.texts[column]}`).join(", ")}`,
    ...(choose && { enter: ({ column }: Cursor) => choose(data.steps[column]!) }),
  };
}

// The parts of a step are the columns that have a kind. A table by rank shows one rank, chosen above.
const kMostListed = 200;  // of more ranks one is typed

// `caption`: what it is, where that is not the breakdown of a step.
export function StepColumns({ table, caption }: { table: Table; caption?: string }) {
  const labels = labelColumns(table, ["step"]);
  const byRank = table.columns.some((column) => column.key === "rank");
  const groups = useMemo(() => (byRank ? groupRows(table, labels) : new Map([["", [...table.rows]]])), [table]);
  const [chosen, setChosen] = useUrlState("row", [...groups.keys()][0] ?? "");
  const shown = groups.has(chosen) ? chosen : [...groups.keys()][0] ?? "", rows = groups.get(shown) ?? [];
  const nameOf = (typed: string): string => [typed.trim(), `rank ${typed.trim()}`].find((name) => groups.has(name)) ?? shown;
  const data = useMemo(() => stepsOf(table, rows), [table, rows]);
  const choose = stepChooser(), language = useLanguage();
  const grid = useMemo(() => gridOf(data, choose), [data, language]);
  if (data.parts.length === 0) return null;
  return (
    <figure class="columns">
      <figcaption>{caption ?? t("columns.title")}</figcaption>
      {groups.size > 1 && (
        <label class="choose">
          <span>{t("columns.rank")}</span>
          {groups.size > kMostListed ? <input type="text" value={shown} onChange={(event) => { event.currentTarget.value = nameOf(event.currentTarget.value); setChosen(event.currentTarget.value); }} /> : (
            <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
              {[...groups].map(([label, of]) => <option key={label} value={label}>{fullLabelOf(table, of[0]!, labels)}</option>)}
            </select>
          )}
        </label>
      )}
      <Legend entries={data.parts.filter(({ values }) => values.some((value, at) => value >= kSeen * data.totals[at]!)).map(({ kind, title }) => ({ kind, title }))} />
      <CanvasGrid grid={grid} label={t("columns.label", { steps: data.steps.length })} hint={t(choose ? "heat.hint_step" : "heat.hint")} />
    </figure>
  );
}

export function OverviewSteps({ table }: PictureProps) {
  return <StepColumns table={table} />;
}

export function HostSteps({ table }: PictureProps) {
  return <StepColumns table={table} caption={t("columns.host")} />;
}
