// Draws the overview strip: one line of device activity per rank, and the view as a window. The window is painted, because
// moving an element would lay out the page every frame.
import type { Controller } from "./controller";
import type { Colors } from "./colors";
import { stretchesOf, type HitRows } from "./hits";
import { busyTracks } from "./lanes";
import { levelFor } from "./levels";
import { piecesOf, type Piece } from "./pieces";
import { Pixels, Strips } from "./raster";
import { bucketNs, kBuckets } from "../data/tile";
import { working } from "./view";

const kMostRanks = 48;         // lines; of more ranks every second, third...
const kTracksOfRank = 3;       // the busiest

export const kMinimapHeight = 48;  // CSS pixels

const everyRank = ({ ranks }: Controller["info"]): number => Math.max(1, Math.ceil(ranks.length / kMostRanks));

// The tracks of each line.
export function minimapTracks(info: Controller["info"]): readonly (readonly number[])[] {
  const every = everyRank(info);
  const byRank: Controller["info"]["tracks"][number][][] = info.ranks.map(() => []);
  for (const track of info.tracks) byRank[track.rank_index]?.push(track);
  return byRank.filter((_, rank) => rank % every === 0).map((tracks) => {
    return busyTracks(tracks).sort((a, b) => b.events - a.events).slice(0, kTracksOfRank).map((track) => track.id);
  });
}

export class Minimap {
  private readonly strips = new Strips();
  private painted = "";      // what the strip shows
  private framed = "";       // and which part of it the window has
  private pixels = new Pixels(1, 1);
  private hits: HitRows | null = null;
  private readonly lines: readonly (readonly number[])[];
  private readonly every: number;  // of the ranks each so-manieth has a line

  constructor(private readonly controller: Controller) {
    this.lines = minimapTracks(controller.info);
    this.every = everyRank(controller.info);
  }

  // Paints when something came or changed; else only keeps its tiles in the cache, which are also what
  // stands in for others.
  paint(canvas: HTMLCanvasElement, colors: Colors, dpr: number): void {
    const { width, height } = canvas, { loader } = this.controller;
    const now = `${width} ${height} ${colors.theme} ${loader.arrivals}`;
    const pieces = this.lines.map((tracks) => tracks.flatMap((track) => this.piecesOf(track, width)));
    const ctx = canvas.getContext("2d");
    if (!ctx || width === 0) return;
    if (now !== this.painted) this.paintStrip(pieces, width, height, colors);
    const { view, hits: { byRank } } = this.controller, shown = `${now} ${view.from} ${view.to}`;
    if (this.framed === shown && this.hits === byRank) return;
    this.hits = byRank;
    [this.painted, this.framed] = [now, shown];
    ctx.putImageData(this.pixels.image, 0, 0);
    if (byRank) this.drawHits(ctx, byRank, width, height, colors, dpr);
    this.drawWindow(ctx, width, height, colors, dpr);
  }

  // On each rank's line where matches of the search are.
  private drawHits(ctx: CanvasRenderingContext2D, hits: HitRows, width: number, height: number, { ink }: Colors, dpr: number): void {
    const all = working(this.controller.info), scale = width / (all.to - all.from), line = height / this.lines.length;
    const thick = Math.min(line, 3 * dpr), { every } = this;
    ctx.fillStyle = ink.select;
    for (let i = 0; i < this.lines.length; ++i) {
      for (const [from, to] of stretchesOf(hits, String(i * every))) {
        ctx.fillRect((from - all.from) * scale, (i + 1) * line - thick, Math.max(dpr, (to - from) * scale), thick);
      }
    }
  }

  // Wants its tiles.
  want({ width }: HTMLCanvasElement): void {
    for (const tracks of this.lines) for (const track of tracks) this.piecesOf(track, width);
  }

  private drawWindow(ctx: CanvasRenderingContext2D, width: number, height: number, { ink }: Colors, dpr: number): void {
    const { view, info } = this.controller, all = working(info), scale = width / (all.to - all.from);
    const least = 3 * dpr, left = Math.min(width - least, Math.max(0, (view.from - all.from) * scale));
    const right = Math.max(left + least, Math.min(width, (view.to - all.from) * scale));
    ctx.fillStyle = ink.page;
    ctx.globalAlpha = 0.6;
    ctx.fillRect(0, 0, left, height);
    ctx.fillRect(right, 0, width - right, height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = ink.accent;
    const line = (ctx.lineWidth = 2 * dpr);
    ctx.strokeRect(left + line / 2, line / 2, right - left - line, height - line);
  }

  private paintStrip(pieces: readonly (readonly Piece[])[], width: number, height: number, colors: Colors): void {
    if (this.pixels.width !== width || this.pixels.height !== height) this.pixels = new Pixels(width, height);
    const { pixels } = this, line = new Uint32Array(width);
    pixels.fill(colors.page, 0, height);
    pieces.forEach((some, i) => {
      this.strips.start(1, width);
      for (const piece of some) this.addTile(piece, width, colors);
      line.fill(colors.page);
      this.strips.emit(0, line, colors.lut);
      const y0 = Math.round((i * height) / this.lines.length), y1 = Math.round(((i + 1) * height) / this.lines.length);
      pixels.copyLine(line, y0, y1 - y0 > 3 ? y1 - 1 : y1);
    });
  }

  private piecesOf(track: number, width: number): Piece[] {
    const { loader, info } = this.controller, all = working(info);
    return piecesOf(loader, info, track, all, levelFor(all, width));
  }

  private addTile({ tile, shift }: Piece, width: number, colors: Colors): void {
    const all = working(this.controller.info), scale = width / (all.to - all.from);
    const length = bucketNs(tile.level), start = tile.index * kBuckets * length + shift, end = start + kBuckets * length;
    const { boxes, spans } = tile;
    this.strips.addSpans(spans, colors.plain, {
      x: (start - all.from) * scale, step: length * scale, from: 0, to: kBuckets, merged: true, rows: [0, 0],
    });
    for (let i = 0; i < boxes.size; ++i) {
      const from = Math.max(boxes.start[i]!, start), to = Math.min(boxes.start[i]! + boxes.duration[i]!, end);
      const paint = colors.plain[boxes.kind[i]!]!;
      this.strips.add(0, (from - all.from) * scale, (to - all.from) * scale, 1, paint, paint);
    }
  }
}
