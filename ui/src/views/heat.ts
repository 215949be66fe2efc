// Draws a heat map: lightness shows the value, a stroke a missing value. Where rows or columns are narrower than a pixel, the largest
// value of those under it shows, so that no outlier disappears.
import { kInk } from "../shell/palette";
import type { Theme } from "../shell/theme";
import type { RowView } from "./canvas";
import { drawBands } from "./heat_bands";
import { drawColumnLabels, drawRowLabels, groupsOf, type Group } from "./heat_labels";
import type { Stretch } from "./heat_runs";
import { shade, shareOf, type HeatData } from "./heat_scale";

interface Frame {
  readonly left: number;
  readonly bottom: number;
  readonly height: number;
  readonly view: RowView;
}

const kWide = 6;  // pixels of a cell: below it there is no room between cells

export function drawHeat(context: CanvasRenderingContext2D, data: HeatData, frame: Frame, width: number, theme: Theme): void {
  const ink = kInk[theme], high = frame.height - frame.bottom;
  const cellWidth = (width - frame.left) / data.columns.length, cellHeight = high / (frame.view.to - frame.view.from);
  const gap = cellWidth > kWide && cellHeight > kWide;
  context.fillStyle = ink.panel;
  context.fillRect(frame.left, 0, width - frame.left, high);
  const size = { width: Math.floor(width - frame.left), height: Math.floor(high) };
  drawBands(context, data, frame.view, size, frame.left, theme);
  if (gap) {
    drawGaps(context, data, frame, cellWidth, cellHeight, ink.panel);
    drawCrosses(context, data, frame, cellWidth, cellHeight, ink.faint);
  }
  drawRowLabels(context, data, frame, ink);
  drawColumnLabels(context, data, frame, cellWidth, ink.faint);
  context.save();
  context.beginPath();
  context.rect(frame.left - 1, 0, width - frame.left + 2, high + 1);
  context.clip();
  line(context, data, frame, cellWidth, high, ink.text);
  frames(context, data, frame, cellWidth, cellHeight, theme);
  context.restore();
}

// Room between cells, which are drawn as one picture: filling each by itself takes thousands of calls for a frame.
function drawGaps(context: CanvasRenderingContext2D, data: HeatData, { left, view }: Frame, cellWidth: number, cellHeight: number, color: string): void {
  const columns = data.columns.length, rows = view.to - view.from, right = left + columns * cellWidth, high = rows * cellHeight;
  context.fillStyle = color;
  for (let column = 1; column <= columns; ++column) context.fillRect(Math.round(left + column * cellWidth) - 1, 0, 1, high);
  for (let row = 1; row <= rows; ++row) context.fillRect(left, Math.round(row * cellHeight) - 1, right - left, 1);
}

// Strokes where values are missing.
function drawCrosses(context: CanvasRenderingContext2D, data: HeatData, { left, view }: Frame, cellWidth: number, cellHeight: number, color: string): void {
  const columns = data.columns.length;
  for (let at = view.from * columns; at < view.to * columns; ++at) {
    if (!Number.isNaN(data.values[at]!)) continue;
    cross(context, left + (at % columns) * cellWidth, (Math.floor(at / columns) - view.from) * cellHeight, cellWidth - 1, cellHeight - 1, color);
  }
}

// Where what a finding names begins.
function line(context: CanvasRenderingContext2D, { since = 0 }: HeatData, frame: Frame, cellWidth: number, high: number, color: string): void {
  if (since === 0) return;
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(frame.left + since * cellWidth, 0);
  context.lineTo(frame.left + since * cellWidth, high);
  context.stroke();
  context.setLineDash([]);
}

const kFrame = 8;  // pixels of a frame's height at least: what is framed is drawn as high, so that its color is seen

// Around the rows, the steps or the cells that a finding names.
function frames(context: CanvasRenderingContext2D, data: HeatData, { left, bottom, height, view }: Frame, cellWidth: number, cellHeight: number, theme: Theme): void {
  for (const group of groupsOf(data, cellHeight)) {
    if (group.first >= view.to || group.last < view.from) continue;
    const own = (group.last - group.first + 1) * cellHeight, y = (group.first - view.from) * cellHeight;
    const high = Math.max(kFrame, own), top = high === own ? y : Math.max(0, Math.min(height - bottom - high, y - (high - own) / 2));
    for (const [from, to] of group.runs[0]!.columns) {
      const box = { x: left + from * cellWidth, y: top, width: (to - from + 1) * cellWidth, height: high };
      if (high !== own) enlarged(context, data, group, [from, to], box, theme);
      context.strokeStyle = kInk[theme].select;
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, box.y + 1, Math.max(3, box.width - 2), Math.max(3, box.height - 2));
    }
  }
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

// The largest value of these rows in each of the columns.
function enlarged(context: CanvasRenderingContext2D, data: HeatData, { first, last }: Group, [from, to]: Stretch, { x, y, width, height }: Box, theme: Theme): void {
  const columns = to - from + 1, bands = Math.min(columns, Math.max(1, Math.floor(width)));
  for (let band = 0; band < bands; ++band) {
    const value = largestIn(data, first, last, from + Math.floor((band * columns) / bands), from + Math.floor(((band + 1) * columns) / bands));
    context.fillStyle = Number.isNaN(value) ? kInk[theme].panel : shade(shareOf(data, value), theme);
    context.fillRect(x + (band * width) / bands, y, width / bands, height);
  }
}

function largestIn({ values, columns }: HeatData, first: number, last: number, from: number, to: number): number {
  let largest = NaN;
  for (let row = first; row <= last; ++row) {
    for (let at = row * columns.length + from; at < row * columns.length + to; ++at) if (!(values[at]! <= largest) && !Number.isNaN(values[at]!)) largest = values[at]!;
  }
  return largest;
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
