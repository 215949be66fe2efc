// Reads tiles: the server's picture of a range of one track (docs/formats/tiles.md).
//
// A tile owns its bytes: they are cut out of the answer once, so that the cache can let go of one
// tile without the rest of its answer, and its arrays are views on them. Level L has buckets of 2^L
// ns, a tile kBuckets of them.

export const kBuckets = 512;
const kMagic = 0x31544c53;
const kHeader = 40;

export interface Tile {
  readonly track: number;
  readonly level: number;
  readonly index: number;
  readonly bytes: number;
  readonly boxes: Boxes;
  readonly spans: Spans;
  readonly points: Points;
  readonly names: Names;
}

// Events that meet the tile and last a bucket at least, whole, by row and then start.
export interface Boxes {
  readonly size: number;
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly event: Uint32Array;
  readonly name: Uint32Array;
  readonly row: Uint16Array;
  readonly kind: Uint8Array;
}

// What is too short to be a box, summed up for each row and bucket that has any. `cover` 1..255 is the
// share of the bucket that is covered.
export interface Spans {
  readonly size: number;
  readonly bucket: Uint16Array;
  readonly row: Uint16Array;
  readonly count: Uint32Array;
  readonly cover: Uint8Array;
  readonly kind: Uint8Array;
}

// A counter's values; a bucket without a point keeps the last value before.
export interface Points {
  readonly size: number;
  readonly bucket: Uint16Array;
  readonly low: Float32Array;
  readonly high: Float32Array;
  readonly last: Float32Array;
}

// The names of a tile's boxes, made into strings when one is first drawn.
export interface Names {
  readonly size: number;
  at(name: number): string;
  // A number 0..3 that is the same for equal names wherever they are: neighbors get shades by it.
  shade(name: number): number;
}

export class TileError extends Error {}

// How many ns a bucket and a tile of this level last. Not by shifts: those end at 2^31.
export const bucketNs = (level: number): number => 2 ** level;
export const tileNs = (level: number): number => kBuckets * 2 ** level;

// All tiles of an answer. Throws TileError when the bytes are not what they say.
export function decodeTiles(answer: ArrayBuffer): Tile[] {
  const tiles: Tile[] = [];
  const view = new DataView(answer);
  for (let at = 0; at < answer.byteLength; ) {
    if (answer.byteLength - at < kHeader || view.getUint32(at, true) !== kMagic) {
      throw new TileError(`no tile at byte ${at}`);
    }
    const bytes = view.getUint32(at + 4, true);
    if (bytes < kHeader || bytes % 8 !== 0 || bytes > answer.byteLength - at) {
      throw new TileError(`a tile of ${bytes} bytes at byte ${at} of ${answer.byteLength}`);
    }
    tiles.push(decodeTile(answer.slice(at, at + bytes)));
    at += bytes;
  }
  return tiles;
}

function decodeTile(bytes: ArrayBuffer): Tile {
  const head = new Uint32Array(bytes, 0, kHeader / 4);
  const word = (at: number): number => head[at] ?? 0;
  const cut = new Cutter(bytes);
  const boxes = cutBoxes(cut, word(5));
  const spans = cutSpans(cut, word(6));
  const points = cutPoints(cut, word(8));
  const names = cutNames(cut, word(7));
  return {
    track: word(2), level: word(3), index: word(4) + word(9) * 2 ** 32, bytes: bytes.byteLength,
    boxes, spans, points, names,
  };
}

function cutBoxes(cut: Cutter, size: number): Boxes {
  const start = cut.f64(size), duration = cut.f64(size);
  const event = cut.u32(size), name = cut.u32(size);
  const row = cut.u16(size), kind = cut.u8(size);
  cut.u8(size);  // flags, none of which is drawn
  return { size, start, duration, event, name, row, kind };
}

function cutSpans(cut: Cutter, size: number): Spans {
  const bucket = cut.u16(size), row = cut.u16(size);
  return { size, bucket, row, count: cut.u32(size), cover: cut.u8(size), kind: cut.u8(size) };
}

function cutPoints(cut: Cutter, size: number): Points {
  return { size, bucket: cut.u16(size), low: cut.f32(size), high: cut.f32(size), last: cut.f32(size) };
}

function cutNames(cut: Cutter, size: number): Names {
  const ends = cut.u32(size);
  const text = cut.u8((size > 0 && ends[size - 1]) || 0);
  const made: (string | undefined)[] = [];
  const shades = new Uint8Array(size);  // plus one; 0 where not yet known
  const part = (name: number): Uint8Array => text.subarray(name > 0 ? ends[name - 1] : 0, ends[name] ?? 0);
  return {
    size,
    at: (name) => (name < size ? (made[name] ??= kUtf8.decode(part(name))) : ""),
    shade: (name) => (name < size ? (shades[name] ||= 1 + (hash(part(name)) & 3)) - 1 : 0),
  };
}

// FNV-1a, its upper half folded in: the low bits alone change little.
function hash(bytes: Uint8Array): number {
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return (sum ^ (sum >>> 16)) & 0xffff;
}

const kUtf8 = new TextDecoder();

// Takes one array after another, each padded to 8 bytes, and refuses to read past the end.
class Cutter {
  private at = kHeader;
  constructor(private readonly bytes: ArrayBuffer) {}

  f64(size: number): Float64Array { return new Float64Array(this.bytes, this.take(size, 8), size); }
  f32(size: number): Float32Array { return new Float32Array(this.bytes, this.take(size, 4), size); }
  u32(size: number): Uint32Array { return new Uint32Array(this.bytes, this.take(size, 4), size); }
  u16(size: number): Uint16Array { return new Uint16Array(this.bytes, this.take(size, 2), size); }
  u8(size: number): Uint8Array { return new Uint8Array(this.bytes, this.take(size, 1), size); }

  private take(size: number, each: number): number {
    const at = this.at;
    this.at += Math.ceil((size * each) / 8) * 8;
    if (this.at > this.bytes.byteLength) throw new TileError(`a tile that ends within its arrays`);
    return at;
  }
}
