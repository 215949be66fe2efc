// Draws counter tracks: an area below the last value, and a band from minimum to maximum where a pixel has several values.
import type { Colors } from "./colors";
import type { Piece } from "./pieces";
import type { Pixels } from "./raster";
import { bucketNs } from "../data/tile";

// For each pixel; NaN before the first value that is known.
export interface Curves {
  readonly low: Float32Array;
  readonly high: Float32Array;
  readonly last: Float32Array;
}

// Room for curves, used again and again.
export class CurveRows {
  private rows: Curves = { low: new Float32Array(0), high: new Float32Array(0), last: new Float32Array(0) };

  // Empty ones; what was given before is no more.
  of(width: number): Curves {
    if (this.rows.last.length !== width) {
      this.rows = { low: new Float32Array(width), high: new Float32Array(width), last: new Float32Array(width) };
    }
    for (const row of [this.rows.low, this.rows.high, this.rows.last]) row.fill(NaN);
    return this.rows;
  }
}

// Fills empty curves.
export function curvesOf(pieces: readonly Piece[], viewFrom: number, scale: number, curves: Curves): Curves {
  const width = curves.last.length;
  let value = NaN;  // before the pixels
  for (const piece of pieces) value = addPoints(curves, piece, viewFrom, scale, value);
  for (let x = 0; x < width; ++x) {
    if (Number.isNaN(curves.last[x])) curves.last[x] = curves.low[x] = curves.high[x] = x > 0 ? curves.last[x - 1]! : value;
  }
  return curves;
}

function addPoints(curves: Curves, { tile, from, to, shift }: Piece, viewFrom: number, scale: number, before: number): number {
  const { points } = tile, length = bucketNs(tile.level), start = tile.index * length * 512 + shift;
  let value = before;
  for (let i = 0; i < points.size; ++i) {
    const time = start + points.bucket[i]! * length;
    if (time >= to) break;
    const x = Math.floor((time - viewFrom) * scale);
    if (time + length <= from || x < 0) value = points.last[i]!;
    else put(curves, x, points.low[i]!, points.high[i]!, points.last[i]!);
  }
  return value;
}

function put(curves: Curves, x: number, low: number, high: number, last: number): void {
  if (x >= curves.last.length) return;
  curves.low[x] = Number.isNaN(curves.low[x]) ? low : Math.min(curves.low[x]!, low);
  curves.high[x] = Number.isNaN(curves.high[x]) ? high : Math.max(curves.high[x]!, high);
  curves.last[x] = last;
}

export interface CurvePlace {
  readonly top: number;
  readonly height: number;
  readonly clip: number;
  readonly max: number;
  readonly end: number;  // the pixel at which the run ends
  readonly colors: Colors;
}

export function drawCurves(pixels: Pixels, curves: Curves, place: CurvePlace): void {
  const base = place.top + place.height - 1, room = place.height - 3;
  const yOf = (value: number): number =>
    base - Math.round(Math.min(1, Math.max(0, value / (place.max || 1))) * room);
  const column = (x: number, y0: number, y1: number, color: number): void => {
    const end = Math.min(pixels.height, y1 + 1);
    for (let y = Math.max(place.clip, y0, 0); y < end; ++y) pixels.words[y * pixels.width + x] = color;
  };
  for (let x = 0; x < Math.min(pixels.width, place.end); ++x) {
    const last = curves.last[x]!;
    if (Number.isNaN(last)) continue;
    const before = x > 0 && !Number.isNaN(curves.last[x - 1]!) ? curves.last[x - 1]! : last;
    if (last > 0) column(x, yOf(last), base, place.colors.under);
    // The line is drawn up or down to where the pixel before ended, so that it has no holes.
    column(x, yOf(Math.max(curves.high[x]!, before)), yOf(Math.min(curves.low[x]!, before)), place.colors.curve);
  }
}
