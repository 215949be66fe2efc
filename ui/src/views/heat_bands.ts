// Draws the cells of a heat map as one picture: a pixel for each cell, or where there is no room for each band of rows and columns, in the
// color of the largest value under it. The picture is kept until something else is to be seen, so that a cursor over a million cells costs nothing.
import { kRamp } from "../shell/palette";
import type { Theme } from "../shell/theme";
import type { RowView } from "./canvas";
import { channels, shareOf, type HeatData } from "./heat_scale";

interface Size {
  readonly width: number;
  readonly height: number;
}

// Where a band begins.
const edge = (band: number, bands: number, cells: number): number => Math.floor((band * cells) / bands);

const kStep = 8;  // rows that are one of the next level

// The values, then the largest of each kStep rows of a column, of each kStep of these, and so on; NaN where all are unknown.
type Levels = readonly Float64Array[];

const levelsOf = new WeakMap<Float64Array, Levels>();

// Puts the larger of both into `to`, column by column.
function raise(to: Float64Array, at: number, from: Float64Array, first: number, columns: number): void {
  for (let end = at + columns; at < end; ++at, ++first) {
    const value = from[first]!, most = to[at]!;
    if (!(value <= most) && value === value) to[at] = value;
  }
}

function levels(values: Float64Array, columns: number): Levels {
  const known = levelsOf.get(values);
  if (known) return known;
  const all = [values];
  for (let below = values; below.length > kStep * columns; below = all.at(-1)!) {
    const rows = below.length / columns, level = new Float64Array(Math.floor(rows / kStep) * columns).fill(NaN);
    for (let row = 0; row < level.length / columns * kStep; ++row) raise(level, Math.floor(row / kStep) * columns, below, row * columns, columns);
    all.push(level);
  }
  levelsOf.set(values, all);
  return all;
}

// Raises a row to the largest of these rows of a level: whole groups by the level above.
function raiseBy(to: Float64Array, at: number, all: Levels, level: number, from: number, until: number, columns: number): void {
  const first = Math.ceil(from / kStep), last = Math.floor(until / kStep), above = level + 1 < all.length && first < last;
  for (let row = from; row < (above ? first * kStep : until); ++row) raise(to, at, all[level]!, row * columns, columns);
  if (!above) return;
  raiseBy(to, at, all, level + 1, first, last, columns);
  for (let row = last * kStep; row < until; ++row) raise(to, at, all[level]!, row * columns, columns);
}

// The largest of each band of columns of a row.
function narrowed(row: Float64Array, width: number, to: Float64Array, at: number): void {
  for (let across = 0; across < width; ++across) {
    for (let column = edge(across, width, row.length), last = edge(across + 1, width, row.length); column < last; ++column) raise(to, at + across, row, column, 1);
  }
}

// The largest value of each band of rows and columns, row after row; NaN where all are unknown.
export function largestOfBands(data: HeatData, { from, to }: RowView, { width, height }: Size): Float64Array {
  const columns = data.columns.length, largest = new Float64Array(width * height).fill(NaN), all = levels(data.values, columns), row = new Float64Array(columns);
  for (let down = 0; down < height; ++down) {
    const [first, end] = [from + edge(down, height, to - from), from + edge(down + 1, height, to - from)];
    if (width === columns) raiseBy(largest, down * width, all, 0, first, end, columns);
    else {
      raiseBy(row.fill(NaN), 0, all, 0, first, end, columns);
      narrowed(row, width, largest, down * width);
    }
  }
  return largest;
}

const kShades = 1024;

// Colors of the ramp as the pixels of a picture, and none for what is unknown.
function shadesOf(theme: Theme): Uint32Array {
  const [low, high] = kRamp[theme].map(channels) as [[number, number, number], [number, number, number]], bytes = new Uint8ClampedArray(4 * kShades);
  for (let shade = 0; shade < kShades; ++shade) bytes.set([...low.map((from, channel) => Math.round(from + (high[channel]! - from) * shade / (kShades - 1))), 255], 4 * shade);
  return new Uint32Array(bytes.buffer);
}

const kAll = { light: shadesOf("light"), dark: shadesOf("dark") };

function paint(canvas: HTMLCanvasElement, largest: Float64Array, data: HeatData, { width, height }: Size, theme: Theme): void {
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer), shades = kAll[theme];
  for (let at = 0; at < largest.length; ++at) if (!Number.isNaN(largest[at]!)) pixels[at] = shades[Math.round(shareOf(data, largest[at]!) * (kShades - 1))]!;  // behind the others is what is there
  canvas.getContext("2d")!.putImageData(image, 0, 0);
}

const kLine = 2;  // pixels of a band at least: one rank of 10,000 must be seen

interface Painted {
  readonly key: string;
  readonly picture: HTMLCanvasElement;
}

const painted = new WeakMap<HeatData, Painted>();

export function drawBands(context: CanvasRenderingContext2D, data: HeatData, view: RowView, room: Size, left: number, theme: Theme): void {
  const size = { width: Math.max(1, Math.min(data.columns.length, room.width)), height: Math.max(1, Math.min(view.to - view.from, Math.floor(room.height / kLine))) };
  const key = `${view.from} ${view.to} ${size.width} ${size.height} ${theme}`, before = painted.get(data), picture = before?.picture ?? document.createElement("canvas");
  if (before?.key !== key) paint(picture, largestOfBands(data, view, size), data, size, theme);
  painted.set(data, { key, picture });
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, 0, room.width, room.height);
}
