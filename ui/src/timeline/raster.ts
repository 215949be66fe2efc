// Draws rows of events as pixels. Boxes and spans first add up per row and pixel: the covered share and the dominant kind.
// Each row becomes a line of colors that is copied down its height. So a frame costs as much as its pixels, whatever the
// number of events, and events shorter than a pixel still show.

import type { Spans } from "../data/tile";

// Left edges of boxes are drawn darker from this width on, so that equal neighbors stay apart.
const kEdgeFrom = 4;

// Where the spans of a tile go.
export interface SpanPlace {
  readonly x: number;
  readonly step: number;
  readonly from: number;  // buckets
  readonly to: number;
  readonly merged: boolean;
  readonly rows: readonly [number, number];
}

export class Strips {
  private cover = new Uint8Array(0);
  private most = new Uint8Array(0);
  private paint = new Uint16Array(0);
  private width = 0;
  private owners = new Uint32Array(0);  // of the pixels of the first row: what is seen there
  private owned = false;
  owner = 0;  // what is added next; 0: nobody

  // Empties `rows` strips of `width` pixels; `owned`: it is to be known who is seen in the only one.
  start(rows: number, width: number, owned = false): void {
    this.width = width;
    this.owned = owned;
    this.owner = 0;
    if (owned && this.owners.length < width) this.owners = new Uint32Array(width);
    if (owned) this.owners.fill(0, 0, width);
    const size = rows * width;
    if (this.cover.length < size) {
      this.cover = new Uint8Array(size);
      this.most = new Uint8Array(size);
      this.paint = new Uint16Array(size);
      return;
    }
    this.cover.fill(0, 0, size);
    this.most.fill(0, 0, size);
  }

  // Something from x0 to x1 in pixels, of which `share` (0..1] is covered. `edge` is its paint's
  // darker sister for the first pixel, or the same.
  add(row: number, x0: number, x1: number, share: number, paint: number, edge: number): void {
    const from = Math.max(0, x0), to = Math.min(this.width, x1);
    if (!(to >= from) || x0 >= this.width || x1 < 0) return;
    const base = row * this.width;
    const first = Math.min(this.width - 1, Math.floor(from));
    const last = Math.min(this.width - 1, Math.floor(to));
    if (first === last) {
      this.touch(base + first, Math.round((to - from) * share * 255), paint);
      return;
    }
    this.touch(base + first, Math.round((first + 1 - from) * share * 255), paint);
    if (last > first + 1) this.fill(base + first + 1, base + last, share, paint);
    if (to > last) this.touch(base + last, Math.round((to - last) * share * 255), paint);
    if (edge !== paint && x1 - x0 >= kEdgeFrom && x0 >= 0) this.paint[base + first] = edge;
  }

  // The spans of a tile, in rows `rows[0]..rows[1]`, or all in one. Bucket b begins at x + b * step pixels; of the
  // tile only the buckets from..to count. What calls with fractions would leave as garbage for each span adds up to
  // most of the page's, so that those below a pixel are drawn here.
  addSpans(spans: Spans, paints: Uint16Array, place: SpanPlace): void {
    const { x, step, from, to, merged, rows: [firstRow, lastRow] } = place;
    for (let i = 0; i < spans.size; ++i) {
      const bucket = spans.bucket[i]!, row = merged ? 0 : spans.row[i]!;
      if (bucket + 1 <= from || bucket >= to || row < firstRow || row > lastRow) continue;
      const paint = paints[spans.kind[i]!]!, cover = spans.cover[i]!;
      const x0 = x + Math.max(bucket, from) * step, x1 = x + Math.min(bucket + 1, to) * step;
      const first = Math.floor(x0), last = Math.floor(x1);
      if (last - first > 1) {
        this.add(row - firstRow, x0, x1, cover / 255, paint, paint);
        continue;
      }
      const base = (row - firstRow) * this.width, middle = Math.min(x1, first + 1);
      if (first >= 0 && first < this.width) this.touch(base + first, Math.round((middle - x0) * cover), paint);
      if (x1 > middle && last >= 0 && last < this.width) this.touch(base + last, Math.round((x1 - middle) * cover), paint);
    }
  }

  // Writes row `row` over `line`, which holds the background. lut[paint * kShades + cover / 8].
  emit(row: number, line: Uint32Array, lut: Uint32Array): void {
    const base = row * this.width;
    const { cover, paint } = this;
    for (let x = 0; x < this.width; ++x) {
      const covered = cover[base + x]!;
      if (covered > 0) line[x] = lut[paint[base + x]! * kShades + (covered >> 3)]!;
    }
  }

  // Of the pixels x0..x1 the longest stretch that shows what was added as `owner`, as [from, to).
  longestRun(owner: number, x0: number, x1: number): readonly [number, number] {
    const end = Math.min(this.width, Math.floor(x1));
    let best: readonly [number, number] = [0, 0];
    for (let from = Math.max(0, Math.ceil(x0)); from < end; ) {
      let to = from;
      while (to < end && this.owners[to] === owner) ++to;
      if (to - from > best[1] - best[0]) best = [from, to];
      from = to + 1;
    }
    return best;
  }

  // `covered`: of 255.
  private touch(at: number, covered: number, paint: number): void {
    const part = Math.min(255, Math.max(1, covered));
    this.cover[at] = Math.min(255, this.cover[at]! + part);
    if (part >= this.most[at]!) {
      this.most[at] = part;
      this.paint[at] = paint;
      if (this.owned) this.owners[at] = this.owner;
    }
  }

  private fill(from: number, to: number, share: number, paint: number): void {
    if (share < 1) {
      for (let at = from; at < to; ++at) this.touch(at, Math.round(share * 255), paint);
      return;
    }
    this.cover.fill(255, from, to);
    this.most.fill(255, from, to);
    this.paint.fill(paint, from, to);
    if (this.owned) this.owners.fill(this.owner, from, to);
  }
}

// Levels of cover that the eye tells apart.
export const kShades = 32;

// The colors of every paint at every cover, over one background; all as ABGR words.
export function makeLut(paints: readonly number[], background: number): Uint32Array {
  const lut = new Uint32Array(paints.length * kShades);
  paints.forEach((paint, i) => {
    for (let shade = 0; shade < kShades; ++shade) {
      // The thinnest density still stands out: at a third of full.
      const share = shade === kShades - 1 ? 1 : 0.32 + 0.6 * (shade / (kShades - 1));
      lut[i * kShades + shade] = mix(background, paint, share);
    }
  });
  return lut;
}

// `share` of `top` over `bottom`.
export function mix(bottom: number, top: number, share: number): number {
  const part = (shift: number): number => {
    const a = (bottom >>> shift) & 255, b = (top >>> shift) & 255;
    return Math.round(a + (b - a) * share) << shift;
  };
  return (part(0) | part(8) | part(16) | 0xff000000) >>> 0;
}

// "#rrggbb" or "#rgb" as an ABGR word.
export function abgr(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/[^#]/g, "$&$&") : hex;
  const rgb = Number.parseInt(full.slice(1, 7), 16);
  return (0xff000000 | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >>> 16)) >>> 0;
}

// The buffer of a picture.
export class Pixels {
  image: ImageData;
  words: Uint32Array;

  constructor(readonly width: number, readonly height: number) {
    this.image = new ImageData(width, height);
    this.words = new Uint32Array(this.image.data.buffer);
  }

  // A line of colors copied into rows y0..y1, those that exist.
  copyLine(line: Uint32Array, y0: number, y1: number): void {
    for (let y = Math.max(0, y0); y < Math.min(this.height, y1); ++y) this.words.set(line, y * this.width);
  }

  fill(color: number, y0: number, y1: number): void {
    this.words.fill(color, Math.max(0, y0) * this.width, Math.max(0, Math.min(this.height, y1)) * this.width);
  }

  rect(x0: number, y0: number, x1: number, y1: number, color: number): void {
    const left = Math.max(0, x0), right = Math.min(this.width, x1);
    if (right <= left) return;
    for (let y = Math.max(0, y0); y < Math.min(this.height, y1); ++y) {
      this.words.fill(color, y * this.width + left, y * this.width + right);
    }
  }
}
