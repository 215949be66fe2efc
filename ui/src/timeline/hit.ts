// Finds what is under the pointer: a box, or the density of events too short to draw.
import { boxEvent, eventDetails } from "../data/file_events";
import type { EventDetails, SpanQuery, TimelineInfo } from "../data/source";
import { spotAt, type Spot } from "./lanes";
import { levelFor } from "./levels";
import type { TileLoader } from "./loader";
import { piecesOf, type Piece } from "./pieces";
import { timeOf, type BoxHit, type Scene } from "./scene";
import { bucketNs, kBuckets, type Tile } from "../data/tile";

const kReach = 3;  // CSS pixels beside a box that still hit it

export type Hit =
  | { readonly what: "box"; readonly spot: Spot; readonly time: number; readonly at: BoxHit }
  | { readonly what: "span"; readonly spot: Spot; readonly time: number; readonly count: number; readonly cover: number;
      readonly kind: number; readonly query: SpanQuery }
  | { readonly what: "value"; readonly spot: Spot; readonly time: number; readonly low: number; readonly high: number;
      readonly last: number; readonly track: number }
  | { readonly what: "lane"; readonly spot: Spot; readonly time: number };

export function hitAt(scene: Scene, loader: TileLoader, x: number, y: number): Hit | undefined {
  const spot = spotAt(scene.lanes, scene.scroll, y);
  if (!spot) return undefined;
  const time = timeOf(scene, x);
  const reach = ((scene.view.to - scene.view.from) / Math.max(1, scene.width)) * kReach;
  const level = levelFor(scene.view, Math.round(scene.width * scene.dpr));
  const around = { from: time - reach, to: time + reach };
  const pieces = spot.lane.tracks.flatMap((track) => piecesOf(loader, scene.info, track, around, level));
  const row = spot.lane.rows === 1 ? -1 : spot.row;
  if (spot.lane.counter) return valueAt(pieces, spot, time);
  const at = boxAt(pieces, row, time, reach);
  return at ? { what: "box", spot, time, at } : spanAt(pieces, row, spot, time);
}

// The box of the row nearest to the time, none further off than `reach`. Row -1 is any row: then the
// shortest box of those at the time counts, which is the innermost.
export function boxAt(pieces: readonly Piece[], row: number, time: number, reach: number): BoxHit | undefined {
  let best: BoxHit | undefined, bestOff = Infinity, bestLength = Infinity;
  for (const { tile } of pieces) {
    const { boxes } = tile;
    for (let box = 0; box < boxes.size; ++box) {
      if (row >= 0 && boxes.row[box] !== row) continue;
      const start = boxes.start[box]!, length = boxes.duration[box]!;
      const off = Math.max(start - time, time - start - length, 0);
      if (off > reach || off > bestOff || (off === bestOff && length >= bestLength)) continue;
      [best, bestOff, bestLength] = [{ tile, box }, off, length];
    }
  }
  return best;
}

// What a tile says of a box.
export const detailsOf = (info: TimelineInfo, { tile, box }: BoxHit): EventDetails => eventDetails(info, boxEvent(tile, box));

function spanAt(pieces: readonly Piece[], row: number, spot: Spot, time: number): Hit {
  for (const { tile, from, to, shift } of pieces) {
    if (time < from || time >= to) continue;
    const bucket = Math.floor((time - shift) / bucketNs(tile.level)) - tile.index * kBuckets;
    const { spans } = tile;
    for (let i = 0; i < spans.size; ++i) {
      if (spans.bucket[i] !== bucket || (row >= 0 && spans.row[i] !== row)) continue;
      const length = bucketNs(tile.level), start = (tile.index * kBuckets + bucket) * length + shift;
      const query = { track: tile.track, row: spans.row[i]!, from: start, to: start + length };
      return { what: "span", spot, time, count: spans.count[i]!, cover: spans.cover[i]! / 255, kind: spans.kind[i]!, query };
    }
  }
  return { what: "lane", spot, time };
}

// The counter's values in the last bucket before the time that has any.
function valueAt(pieces: readonly Piece[], spot: Spot, time: number): Hit {
  let found: Tile | undefined, at = 0, moved = 0;
  for (const { tile, shift } of pieces) {
    const { points } = tile, first = tile.index * kBuckets, now = (time - shift) / bucketNs(tile.level);
    for (let i = 0; i < points.size && first + points.bucket[i]! <= now; ++i) [found, at, moved] = [tile, i, shift];
  }
  if (!found) return { what: "lane", spot, time };
  const { points } = found, last = points.last[at]!;
  const inside = time - moved < (found.index * kBuckets + points.bucket[at]! + 1) * bucketNs(found.level);
  return {
    what: "value", spot, time, track: found.track, last,
    low: inside ? points.low[at]! : last, high: inside ? points.high[at]! : last,
  };
}
