// Draws a heat map: lightness shows the value, a stroke a missing value. Where rows or columns are narrower than a pixel, the largest
// value of those under it shows, so that no outlier disappears.
import { kInk } from "../shell/palette";
import type { Theme } from "../shell/theme";
import type { RowView } from "./canvas";
import { drawText } from "./drawn_text";
import { drawBands } from "./heat_bands";
import { shade, shareOf, type HeatData } from "./heat_scale";
import { largestOf } from "./parts";

// Every how manieth label fits, if each takes `size` pixels and a cell `cell`.
const every = (size: number, cell: number) => Math.max(1, Math.ceil(size / cell));

interface Frame {
  readonly left: number;
  readonly bottom: number;
  readonly height: number;
  readonly view: RowView;
}

const kLabel = 13;  // pixels of a label's height
const kWide = 6;  // pixels of a cell: below it there is no room between cells

export function drawHeat(context: CanvasRenderingContext2D, data: HeatData, frame: Frame, width: number, theme: Theme): void {
  const ink = kInk[theme], high = frame.height - frame.bottom;
  const cellWidth = (width - frame.left) / data.columns.length, cellHeight = high / (frame.view.to - frame.view.from);
  const gap = cellWidth > kWide && cellHeight > kWide;
  context.fillStyle = ink.panel;
  context.fillRect(frame.left, 0, width - frame.left, high);
  const size = { width: Math.floor(width - frame.left), height: Math.floor(high) };
  if (!gap) drawBands(context, data, frame.view, size, frame.left, theme);
  else drawCells(context, data, frame, cellWidth, cellHeight, theme);
  labels(context, data, frame, cellWidth, cellHeight, ink.faint);
  context.save();
  context.beginPath();
  context.rect(frame.left - 1, 0, width - frame.left + 2, high + 1);
  context.clip();
  context.translate(0, -frame.view.from * cellHeight);
  mark(context, data, frame, width, cellWidth, cellHeight, ink.select, ink.text);
  context.restore();
}

// Each cell by itself, with room around it.
function drawCells(context: CanvasRenderingContext2D, data: HeatData, frame: Frame, cellWidth: number, cellHeight: number, theme: Theme): void {
  const columns = data.columns.length;
  for (let row = frame.view.from; row < frame.view.to; ++row) {
    for (let column = 0; column < columns; ++column) {
      const value = data.values[row * columns + column]!, x = frame.left + column * cellWidth, y = (row - frame.view.from) * cellHeight;
      if (Number.isNaN(value)) {
        cross(context, x, y, cellWidth - 1, cellHeight - 1, kInk[theme].faint);
        continue;
      }
      context.fillStyle = shade(shareOf(data, value), theme);
      context.fillRect(x, y, cellWidth - 1, cellHeight - 1);
    }
  }
}

type Stretch = readonly [first: number, last: number];

// Columns that follow one another, as one stretch.
export function stretchesOf(columns: readonly number[]): Stretch[] {
  const stretches: [number, number][] = [];
  for (const column of [...columns].sort((a, b) => a - b)) {
    const last = stretches.at(-1);
    if (last && column <= last[1] + 1) last[1] = column;
    else stretches.push([column, column]);
  }
  return stretches;
}

export const columnsOf = (cells: NonNullable<HeatData["cells"]>, row: number): number[] => cells.filter(([at]) => at === row).map(([, column]) => column);

// A frame around the row, the steps or the cells that a finding names, and a line where it begins.
function mark(context: CanvasRenderingContext2D, data: HeatData, frame: Frame, width: number, cellWidth: number, cellHeight: number, color: string, ink: string): void {
  const from = frame.left + (data.since ?? 0) * cellWidth;
  context.lineWidth = 2;
  if (data.since !== undefined && data.since > 0) {
    context.strokeStyle = ink;
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(from, 0);
    context.lineTo(from, data.rows.length * cellHeight);
    context.stroke();
    context.setLineDash([]);
  }
  context.strokeStyle = color;
  const rows = data.marked === undefined ? data.rows.length : data.tall ?? 1;
  const frameAt = (x: number, row: number, wide: number, high: number) => context.strokeRect(x + 1, row * cellHeight + 1, Math.max(3, wide - 2), Math.max(3, high * cellHeight - 2));
  const frameFrom = (x: number, wide: number) => frameAt(x, data.marked ?? 0, wide, rows);
  const stretch = ([first, last]: Stretch) => [frame.left + first * cellWidth, (last - first + 1) * cellWidth] as const;
  if (data.cells !== undefined) {
    for (const row of new Set(data.cells.map(([at]) => at))) for (const own of stretchesOf(columnsOf(data.cells, row))) frameAt(stretch(own)[0], row, stretch(own)[1], 1);
  } else if (data.steps !== undefined) for (const own of stretchesOf(data.steps)) frameFrom(...stretch(own));
  else if (data.marked !== undefined) frameFrom(from, width - from);
}

// A short stroke in the middle of the cell.
function cross(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, color: string): void {
  const reach = Math.min(width, height, 9) / 2, [middle, center] = [x + width / 2, y + height / 2];
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(middle - reach, center + reach);
  context.lineTo(middle + reach, center - reach);
  context.stroke();
}

// Every how manieth row: a round number, so that labels stay with their rows while these move.
const roundStep = (least: number): number => [1, 2, 5].map((digit) => digit * 10 ** Math.max(0, Math.floor(Math.log10(least)))).concat([10 * 10 ** Math.max(0, Math.floor(Math.log10(least)))]).find((step) => step >= least)!;

function labels(context: CanvasRenderingContext2D, data: HeatData, frame: Frame, cellWidth: number, cellHeight: number, color: string): void {
  const { from, to } = frame.view, high = frame.height - frame.bottom, rowStep = roundStep(every(kLabel, cellHeight));
  const ofRow = { color, align: "right", most: Math.max(1, frame.left - 8) } as const, middle = (row: number) => (row - from + 0.5) * cellHeight;
  const rowLabel = (row: number) => drawText(context, data.rows[row]!, frame.left - 6, Math.min(high - 6, Math.max(7, middle(row))), ofRow);
  rowLabel(from);  // which is the first that is seen, whatever its number
  for (let row = Math.ceil((from + 1) / rowStep) * rowStep; row < to; row += rowStep) if (middle(row) - Math.max(7, middle(from)) >= kLabel) rowLabel(row);
  const longest = largestOf(data.columns.map((column) => column.length)), columnStep = every(longest * 7 + 12, cellWidth), ofColumn = { color, align: "center", most: longest * 14 + 12 } as const;
  for (let column = 0; column < data.columns.length; column += columnStep) drawText(context, data.columns[column]!, frame.left + (column + 0.5) * cellWidth, frame.height - 7, ofColumn);
}
