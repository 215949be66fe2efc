// Draws a heat map whose cells are smaller than a few pixels: one pixel for each band of rows and columns, in the color of the largest
// value under it. The picture is kept until something else is to be seen, so that a cursor over a million cells costs nothing.
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

// The largest value of each band of rows and columns, row after row; NaN where all are unknown.
export function largestOfBands(data: HeatData, { from, to }: RowView, { width, height }: Size): Float64Array {
  const columns = data.columns.length, largest = new Float64Array(width * height).fill(NaN), first = Uint32Array.from({ length: width + 1 }, (_, band) => edge(band, width, columns));
  for (let down = 0; down < height; ++down) {
    const end = from + edge(down + 1, height, to - from);
    for (let row = from + edge(down, height, to - from); row < end; ++row) {
      if (width === columns) {  // the most frequent: a million cells in a few ms
        for (let across = 0, at = row * columns, to = down * width; across < width; ++across, ++at, ++to) {
          const value = data.values[at]!, most = largest[to]!;
          if (!(value <= most) && value === value) largest[to] = value;
        }
        continue;
      }
      for (let across = 0; across < width; ++across) {
        let most = largest[down * width + across]!;
        for (let at = row * columns + first[across]!, last = row * columns + first[across + 1]!; at < last; ++at) {
          const value = data.values[at]!;
          if (!(value <= most) && value === value) most = value;
        }
        largest[down * width + across] = most;
      }
    }
  }
  return largest;
}

function paint(largest: Float64Array, data: HeatData, { width, height }: Size, theme: Theme): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d")!, image = context.createImageData(width, height);
  const [low, high] = kRamp[theme].map(channels) as [[number, number, number], [number, number, number]];
  largest.forEach((value, at) => {
    if (Number.isNaN(value)) return;  // what is behind it shows
    const share = shareOf(data, value);
    for (let channel = 0; channel < 3; ++channel) image.data[4 * at + channel] = Math.round(low[channel]! + (high[channel]! - low[channel]!) * share);
    image.data[4 * at + 3] = 255;
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

const kLine = 2;  // pixels of a band at least: one rank of 10,000 must be seen

interface Painted {
  readonly key: string;
  readonly picture: HTMLCanvasElement;
}

const painted = new WeakMap<HeatData, Painted>();

export function drawBands(context: CanvasRenderingContext2D, data: HeatData, view: RowView, room: Size, left: number, theme: Theme): void {
  const size = { width: Math.max(1, Math.min(data.columns.length, room.width)), height: Math.max(1, Math.min(view.to - view.from, Math.floor(room.height / kLine))) };
  const key = `${view.from} ${view.to} ${size.width} ${size.height} ${theme}`, before = painted.get(data);
  const picture = before?.key === key ? before.picture : paint(largestOfBands(data, view, size), data, size, theme);
  painted.set(data, { key, picture });
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, 0, room.width, room.height);
}
