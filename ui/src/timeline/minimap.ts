// The whole run in a strip: for each rank a line of what its devices do, and the view as a window.
import type { Controller } from "./controller";
import { paintOf, type Colours } from "./colours";
import { levelFor } from "./levels";
import { piecesOf, type Piece } from "./pieces";
import { Pixels, Strips } from "./raster";
import { bucketNs, kBuckets, type Tile } from "./tile";
import { whole } from "./view";

const kMostRanks = 48;         // lines; of more ranks every second, third...
const kTracksOfRank = 3;       // the busiest streams; of a rank without any, the busiest threads

export const kMinimapHeight = 48;  // CSS pixels

// The tracks of each line.
export function minimapTracks(info: Controller["info"]): readonly (readonly number[])[] {
  const every = Math.max(1, Math.ceil(info.ranks.length / kMostRanks));
  const byRank: Controller["info"]["tracks"][number][][] = info.ranks.map(() => []);
  for (const track of info.tracks) byRank[track.rank_index]?.push(track);
  return byRank.filter((_, rank) => rank % every === 0).map((tracks) => {
    const streams = tracks.filter((track) => track.kind === "stream");
    const drawn = streams.length > 0 ? streams : tracks.filter((track) => track.kind === "thread");
    return drawn.sort((a, b) => b.events - a.events).slice(0, kTracksOfRank).map((track) => track.id);
  });
}

export class Minimap {
  private readonly strips = new Strips();
  private painted = "";
  private readonly lines: readonly (readonly number[])[];

  constructor(private readonly controller: Controller) {
    this.lines = minimapTracks(controller.info);
  }

  // Paints when something came or changed; else only keeps its tiles in the cache, which are also what
  // stands in for others.
  paint(canvas: HTMLCanvasElement, colours: Colours): void {
    const { width, height } = canvas, { loader } = this.controller;
    const now = `${width} ${height} ${colours.theme} ${loader.arrivals}`;
    const pieces = this.lines.map((tracks) => tracks.flatMap((track) => this.piecesOf(track, width)));
    const ctx = canvas.getContext("2d");
    if (!ctx || width === 0 || now === this.painted) return;
    this.painted = now;
    const pixels = new Pixels(width, height), line = new Uint32Array(width);
    pixels.fill(colours.page, 0, height);
    pieces.forEach((some, i) => {
      this.strips.start(1, width);
      for (const { tile } of some) this.addTile(tile, width, colours);
      line.fill(colours.page);
      this.strips.emit(0, line, colours.lut);
      const y0 = Math.round((i * height) / this.lines.length), y1 = Math.round(((i + 1) * height) / this.lines.length);
      pixels.copyLine(line, y0, y1 - y0 > 3 ? y1 - 1 : y1);
    });
    ctx.putImageData(pixels.image, 0, 0);
  }

  private piecesOf(track: number, width: number): Piece[] {
    const { loader, info } = this.controller, all = whole(info.end);
    return piecesOf(loader, info, track, all, levelFor(all, width));
  }

  private addTile(tile: Tile, width: number, colours: Colours): void {
    const all = whole(this.controller.info.end), scale = width / (all.to - all.from), other = colours.kinds - 1;
    const length = bucketNs(tile.level), start = tile.index * kBuckets * length, end = start + kBuckets * length;
    const { boxes, spans } = tile;
    const put = (from: number, to: number, share: number, kind: number): void => {
      const paint = paintOf(Math.min(kind, other), 0);
      this.strips.add(0, (from - all.from) * scale, (to - all.from) * scale, share, paint, paint);
    };
    for (let i = 0; i < spans.size; ++i) {
      const from = start + spans.bucket[i]! * length;
      put(from, from + length, spans.cover[i]! / 255, spans.kind[i]!);
    }
    for (let i = 0; i < boxes.size; ++i) {
      const from = boxes.start[i]!;
      put(Math.max(from, start), Math.min(from + boxes.duration[i]!, end), 1, boxes.kind[i]!);
    }
  }
}
