// Sets the labels of a heat map's rows and columns: first those of rows that are framed, none over another, then round numbers where
// there is room.
import type { RowView } from "./canvas";
import { drawText } from "./drawn_text";
import { runsOf, type Run } from "./heat_runs";
import type { HeatData } from "./heat_scale";
import { largestOf } from "./parts";
import { t } from "../text";

export const kLabel = 13;  // pixels of a label's height

// Framed rows that are so near that they share a frame and a label.
export interface Group {
  readonly runs: readonly Run[];
  readonly first: number;
  readonly last: number;
}

// Those next to one another where they are lower than a label.
export function groupsOf(data: HeatData, cellHeight: number): Group[] {
  const groups: { runs: Run[]; first: number; last: number }[] = [];
  for (const run of runsOf(data)) {
    const group = groups.at(-1);
    const joins = group && group.last + 1 === run.first && (run.last - group.first + 1) * cellHeight < kLabel && String(group.runs[0]!.columns) === String(run.columns);
    if (joins) {
      group.runs.push(run);
      group.last = run.last;
    } else groups.push({ runs: [run], first: run.first, last: run.last });
  }
  return groups;
}

const nameOf = ({ runs, first, last }: Group): string => (runs.length === 1 ? runs[0]!.name : t("heat.framed", { rows: last - first + 1 }));

export interface Label {
  readonly text: string;
  readonly of: number;  // pixels: the middle of what it names
  readonly y: number;   // where it stands
}

// Moved apart, as little as needed; of too many the first.
export function apart(labels: readonly Omit<Label, "y">[], high: number): Label[] {
  const placed = labels.slice(0, Math.max(1, Math.floor(high / kLabel))).map((label) => ({ ...label, y: Math.max(kLabel / 2, label.of) }));
  placed.forEach((label, at) => { if (at > 0) label.y = Math.max(label.y, placed[at - 1]!.y + kLabel); });
  for (let at = placed.length - 1, most = high - kLabel / 2; at >= 0; --at, most -= kLabel) {
    placed[at]!.y = Math.min(placed[at]!.y, most);
    most = placed[at]!.y;
  }
  return placed;
}

// The labels of what is framed, as far as it is in view.
export function framedLabels(data: HeatData, { from, to }: RowView, high: number): Label[] {
  const cell = high / (to - from), seen = groupsOf(data, cell).filter((group) => group.first < to && group.last >= from && group.runs[0]!.name !== "");
  return apart(seen.map((group) => ({ text: nameOf(group), of: ((Math.max(from, group.first) + Math.min(to, group.last + 1)) / 2 - from) * cell })), high);
}

// Every how manieth label fits, if each takes `size` pixels and a cell `cell`.
const every = (size: number, cell: number) => Math.max(1, Math.ceil(size / cell));

// Every how manieth row: a round number, so that labels stay with their rows while these move.
const roundStep = (least: number): number => [1, 2, 5].map((digit) => digit * 10 ** Math.max(0, Math.floor(Math.log10(least)))).concat([10 * 10 ** Math.max(0, Math.floor(Math.log10(least)))]).find((step) => step >= least)!;

// The rows whose labels have room: the first that is seen, whatever its number, then round ones.
export function labelledRows({ from, to }: RowView, high: number, framed: readonly Label[]): number[] {
  const cell = high / (to - from), middle = (row: number) => (row - from + 0.5) * cell, step = roundStep(every(kLabel, cell)), rows: number[] = [];
  const room = cell < kLabel ? kLabel + 3 : kLabel - 0.5;  // between a round number and a name, which would read as one
  const free = (row: number) => framed.every(({ y }) => Math.abs(y - middle(row)) >= room);
  const round = Math.ceil((from + 1) / step) * step;
  for (let row = from; row < to; row = row === from ? round : row + step) {
    const before = rows.at(-1);
    if (free(row) && (before === undefined || middle(row) - Math.max(kLabel / 2, middle(before)) >= kLabel - 0.5)) rows.push(row);
  }
  return rows;
}

interface Room {
  readonly left: number;
  readonly height: number;
  readonly bottom: number;
  readonly view: RowView;
}

interface Ink {
  readonly faint: string;
  readonly text: string;
  readonly select: string;
}

// From a label to what it names, where that is not beside it.
function leader(context: CanvasRenderingContext2D, left: number, { y, of }: Label, color: string): void {
  if (Math.abs(y - of) < 3) return;
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(left - 5, y);
  context.lineTo(left, of);
  context.stroke();
}

export function drawRowLabels(context: CanvasRenderingContext2D, data: HeatData, { left, height, bottom, view }: Room, ink: Ink): void {
  const high = height - bottom, framed = framedLabels(data, view, high), cell = high / (view.to - view.from);
  const line = { align: "right", most: Math.max(1, left - 8) } as const;
  const inside = (y: number) => Math.min(high - kLabel / 2, Math.max(kLabel / 2, y));
  for (const label of framed) {
    drawText(context, label.text, left - 6, label.y, { ...line, color: ink.select });
    leader(context, left, label, ink.select);
  }
  for (const row of labelledRows(view, high, framed)) drawText(context, data.rows[row]!, left - 6, inside((row - view.from + 0.5) * cell), { ...line, color: ink.faint });
}

export function drawColumnLabels(context: CanvasRenderingContext2D, { columns }: HeatData, { left, height }: Room, cellWidth: number, color: string): void {
  const longest = largestOf(columns.map((column) => column.length)), step = every(longest * 7 + 12, cellWidth);
  for (let column = 0; column < columns.length; column += step) drawText(context, columns[column]!, left + (column + 0.5) * cellWidth, height - 7, { color, align: "center", most: longest * 14 + 12 });
}
