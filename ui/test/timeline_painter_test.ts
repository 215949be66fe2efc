// Tests which boxes get names: in a folded lane, where tracks and rows overlap, the topmost.
import assert from "node:assert/strict";
import test from "node:test";
import { TileCache } from "../src/timeline/cache";
import { makeColors } from "../src/timeline/colors";
import { layOut } from "../src/timeline/lanes";
import { levelFor } from "../src/timeline/levels";
import { TileLoader, tileKey } from "../src/timeline/loader";
import { Painter } from "../src/timeline/painter";
import { decodeTiles } from "../src/data/tile";
import { encodeTile, fakeInfo, type FakeTrack } from "./fake_timeline";

// The one thing of a browser that a painter needs.
class Image {
  readonly data: Uint8ClampedArray;
  constructor(readonly width: number, readonly height: number) { this.data = new Uint8ClampedArray(4 * width * height); }
}
Object.assign(globalThis, { ImageData: Image });

// The names on a picture 512 pixels wide of 512 ns, and where they stand.
function labelsOf(tracks: readonly FakeTrack[], flipped: readonly string[]): string[] {
  const info = fakeInfo(tracks), view = { from: 0, to: 512 }, cache = new TileCache(1 << 20);
  tracks.forEach((track, id) => {
    const tile = decodeTiles(encodeTile({ track: id, level: levelFor(view, 512), index: 0 }, track))[0]!;
    cache.set(tileKey(tile), tile);
  });
  const painter = new Painter(new TileLoader(() => new Promise(() => undefined), cache, { arrived: () => undefined, failed: () => undefined }));
  const lanes = layOut(info, { flipped: new Set(flipped), pins: [], filter: "", ranks: "" });
  const { labels } = painter.paint({
    info, view, lanes, width: 512, height: 400, dpr: 1, scroll: 0, colors: makeColors(info.column_kinds, "light"),
    selected: null, measure: null, area: null, draft: null, marks: [], chain: [], hits: null, hover: null,
  });
  return labels.map(({ tile, box, x0, x1 }) => `${tile.names.at(tile.boxes.name[box]!)} ${Math.round(x0)}..${Math.round(x1)}`);
}

const kOuter = { start: 0, duration: 500, name: "outer", kind: 3 };
const kInner = { start: 200, duration: 100, name: "inner", kind: 0, row: 1 };

test("a lane of its own has the names of all its boxes", () => {
  assert.deepEqual(labelsOf([{ events: [kOuter, kInner] }], []), ["outer 0..500", "inner 200..300"]);
});

test("folded, a name stands where its box is on top", () => {
  assert.deepEqual(labelsOf([{ events: [kOuter, kInner] }], ["t0"]), ["outer 0..200", "inner 200..300"]);
});

test("boxes that look alike keep their names apart", () => {
  const alike = [{ ...kOuter, name: "same" }, { ...kInner, kind: 3, name: "same" }];
  assert.deepEqual(labelsOf([{ events: alike }], ["t0"]), ["same 0..200", "same 200..300"]);
});

test("tracks folded into their rank share its line; what another hides has no name", () => {
  const streams = [{ events: [{ start: 0, duration: 400, name: "gemm", kind: 0 }] }, { events: [{ start: 0, duration: 400, name: "nccl", kind: 1 }, { start: 410, duration: 90, name: "late", kind: 1 }] }];
  assert.deepEqual(labelsOf(streams, ["r0"]), ["nccl 0..400", "late 410..500"]);
});

test("what is too narrow for a name has none", () => {
  assert.deepEqual(labelsOf([{ events: [{ start: 0, duration: 20, name: "short" }] }], ["r0"]), []);
});
