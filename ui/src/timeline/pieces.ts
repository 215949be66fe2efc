// Selects the tiles that cover a range of a track: the right level, or, until it is loaded, coarser or finer ones. Every ns is
// covered once.
import type { TileId, TimelineInfo } from "../data/source";
import { tileKey, type TileLoader } from "./loader";
import { lowestLevel, tilesIn, topLevel, type View } from "./levels";
import { type Tile, tileNs } from "../data/tile";

// A tile and the part of it to draw.
export interface Piece {
  readonly tile: Tile;
  readonly from: number;
  readonly to: number;
  readonly shift: number;  // ns that the tile's buckets are moved by on the axis
}

const kFinerLevels = 2;

export function piecesOf(loader: TileLoader, info: TimelineInfo, track: number, view: View, level: number): Piece[] {
  const { end } = info, top = topLevel(end);
  const shift = info.tracks[track]?.shift ?? 0;
  const wanted = Math.max(lowestLevel(end), Math.min(level, top), info.tracks[track]?.finest ?? 0);
  const { first, last } = tilesIn({ from: view.from - shift, to: view.to - shift }, wanted, end);
  const pieces: Piece[] = [];
  for (let index = first; index <= last; ++index) {
    const id = { track, level: wanted, index };
    const held = loader.want(id);
    if (held !== undefined && held !== "absent") pieces.push(pieceOf(held, id));
    else pieces.push(...standIns(loader, id, top));
  }
  return shift === 0 ? pieces : pieces.map((piece) => ({ ...piece, from: piece.from + shift, to: piece.to + shift, shift }));
}

// The whole of `tile`, as far as it lies in the stretch of `id`.
const pieceOf = (tile: Tile, id: TileId): Piece =>
  ({ tile, from: id.index * tileNs(id.level), to: (id.index + 1) * tileNs(id.level), shift: 0 });

function standIns(loader: TileLoader, id: TileId, top: number): Piece[] {
  const near = coarser(loader, id, Math.min(top, id.level + 3));
  if (near) return [pieceOf(near, id)];
  const fine = finer(loader, id, kFinerLevels);
  if (fine.length > 0) return fine;
  const far = coarser(loader, id, top);
  return far ? [pieceOf(far, id)] : [];
}

function coarser(loader: TileLoader, id: TileId, top: number): Tile | undefined {
  for (let level = id.level + 1; level <= top; ++level) {
    const index = Math.floor(id.index / 2 ** (level - id.level));
    const held = loader.cache.get(tileKey({ track: id.track, level, index }));
    if (held !== undefined && held !== "absent") return held;
  }
  return undefined;
}

function finer(loader: TileLoader, id: TileId, deep: number): Piece[] {
  if (deep === 0 || id.level === 0) return [];
  return [0, 1].flatMap((half) => {
    const child = { track: id.track, level: id.level - 1, index: id.index * 2 + half };
    const held = loader.cache.get(tileKey(child));
    return held !== undefined && held !== "absent" ? [pieceOf(held, child)] : finer(loader, child, deep - 1);
  });
}
