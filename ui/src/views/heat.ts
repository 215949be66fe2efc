// Draws a heat map: lightness shows the value, a stroke a missing value. Where columns are narrower than a pixel, the largest
// value shows, so that no outlier disappears.
import { kInk, kRamp } from "../shell/palette";
import type { Theme } from "../shell/theme";
import type { Cursor } from "./canvas";
import { largestOf } from "./parts";

export interface HeatData {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly values: Float64Array;  // row after row; NaN: not known
  readonly aside?: Uint8Array;  // 1: of a step that means leave out, which no scale is stretched for
  readonly low: number;   // of the values, without those
  readonly high: number;
  readonly alike: boolean;
  readonly marked?: number;  // the row that a finding names
  readonly tall?: number;    // or the first of so many, the devices of a rank
  readonly name?: string;    // the rank
  readonly since?: number;   // the column from which on it does
  readonly steps?: readonly number[];  // the columns that it names; of the row, if it names one
  readonly cells?: readonly (readonly [row: number, column: number])[];  // instead: rows that it names, each in its own columns
  readonly inTurn?: boolean;  // these rows have them in turn
}

const kNoise = 0.01;

// From the least to the most there is, but for what is `aside`, if not all is. What differs by less than a hundredth is noise, and must not look like a
// difference: then all values are alike.
export function scaleOf(values: Float64Array, aside?: Uint8Array): Pick<HeatData, "low" | "high" | "alike"> {
  let low = Infinity;
  let high = -Infinity;
  values.forEach((value, at) => {
    if (aside?.[at]) return;
    if (value < low) low = value;
    if (value > high) high = value;
  });
  if (low > high) return aside ? scaleOf(values) : { low: 0, high: 1, alike: false };
  return { low, high, alike: high - low <= kNoise * Math.max(Math.abs(low), Math.abs(high)) };
}

const kAlike = 0.12;  // of the ramp: quiet, for there is nothing to see

// What is beyond the scale has the color of its end.
export const shareOf = ({ low, high, alike }: Pick<HeatData, "low" | "high" | "alike">, value: number): number =>
  (alike ? (value > high + kNoise * Math.abs(high) ? 1 : kAlike) : Math.max(0, Math.min(1, (value - low) / (high - low))));

function channels(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function shade(share: number, theme: Theme): string {
  const [from, to] = kRamp[theme].map(channels) as [[number, number, number], [number, number, number]];
  const part = Math.max(0, Math.min(1, share));
  return `rgb(${from.map((channel, at) => Math.round(channel + (to[at]! - channel) * part)).join(",")})`;
}

function largest(data: HeatData, row: number, from: number, to: number): number {
  let value = NaN;
  for (let column = from; column < to; ++column) {
    const next = data.values[row * data.columns.length + column]!;
    if (Number.isNaN(value) || next > value) value = next;
  }
  return value;
}

// Every how manieth label fits, if each takes `size` pixels and a cell `cell`.
const every = (size: number, cell: number) => Math.max(1, Math.ceil(size / cell));

interface Frame {
  readonly left: number;
  readonly bottom: number;
  readonly height: number;
}

export function drawHeat(context: CanvasRenderingContext2D, data: HeatData, frame: Frame, width: number, theme: Theme, cursor: Cursor | null): void {
  const ink = kInk[theme];
  const rows = data.rows.length;
  const columns = data.columns.length;
  const cellWidth = (width - frame.left) / columns;
  const cellHeight = (frame.height - frame.bottom) / rows;
  const bands = Math.min(columns, Math.max(1, Math.floor(width - frame.left)));
  const gap = cellWidth > 6 && cellHeight > 6 ? 1 : 0;
  context.fillStyle = ink.panel;
  context.fillRect(frame.left, 0, width - frame.left, frame.height - frame.bottom);
  for (let row = 0; row < rows; ++row) {
    for (let band = 0; band < bands; ++band) {
      const from = Math.floor((band * columns) / bands);
      const to = Math.max(from + 1, Math.floor(((band + 1) * columns) / bands));
      const value = largest(data, row, from, to);
      const x = frame.left + from * cellWidth;
      const y = row * cellHeight;
      if (Number.isNaN(value)) {
        if (cellWidth > 6) cross(context, x, y, cellWidth - gap, cellHeight - gap, ink.faint);
        continue;
      }
      context.fillStyle = shade(shareOf(data, value), theme);
      context.fillRect(x, y, Math.max(1, (to - from) * cellWidth - gap), Math.max(1, cellHeight - gap));
    }
  }
  labels(context, data, frame, cellWidth, cellHeight, ink.faint);
  mark(context, data, frame, width, cellWidth, cellHeight, ink.select, ink.text);
  if (!cursor) return;
  context.strokeStyle = ink.select;
  context.lineWidth = 2;
  context.strokeRect(frame.left + cursor.column * cellWidth, cursor.row * cellHeight, Math.max(2, cellWidth - gap), Math.max(2, cellHeight - gap));
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
    context.lineTo(from, frame.height - frame.bottom);
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

function labels(context: CanvasRenderingContext2D, data: HeatData, frame: Frame, cellWidth: number, cellHeight: number, color: string): void {
  context.fillStyle = color;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const rowStep = every(13, cellHeight);
  for (let row = 0; row < data.rows.length; row += rowStep) {
    context.fillText(data.rows[row]!, frame.left - 6, (row + 0.5) * cellHeight, frame.left - 8);
  }
  context.textAlign = "center";
  context.textBaseline = "bottom";
  const longest = largestOf(data.columns.map((column) => column.length));
  const columnStep = every(longest * 7 + 12, cellWidth);
  for (let column = 0; column < data.columns.length; column += columnStep) {
    context.fillText(data.columns[column]!, frame.left + (column + 0.5) * cellWidth, frame.height);
  }
}
