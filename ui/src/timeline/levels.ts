// Selects the level of detail of a view and the tiles it needs.
import { tileNs, kBuckets } from "../data/tile";

// The part of the run that is shown, in ns. Always from < to.
export interface View {
  readonly from: number;
  readonly to: number;
}

// The level whose buckets are at most a pixel and more than half of one: nothing finer can be seen.
// 0 where pixels are below a nanosecond.
export function levelFor(view: View, pixels: number): number {
  const perPixel = (view.to - view.from) / Math.max(1, pixels);
  return perPixel <= 1 ? 0 : Math.floor(Math.log2(perPixel));
}

// The lowest level at which one tile holds the whole run.
export function topLevel(end: number): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, end + 1) / kBuckets)));
}

// The finest level of a run: a tile's index has 32 bits. 0 for the first 36 minutes; events longer than a
// bucket are exact on any level.
export function lowestLevel(end: number): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, end + 1) / kBuckets / (2 ** 32 - 1))));
}

export interface TileRange {
  readonly first: number;
  readonly last: number;  // included; first - 1 when there is none
}

// The tiles of a level that meet the view, within a run that ends at `end`.
export function tilesIn(view: View, level: number, end: number): TileRange {
  const length = tileNs(level);
  const first = Math.max(0, Math.floor(view.from / length));
  return { first, last: Math.floor(Math.min(end, Math.max(0, view.to)) / length) };
}
