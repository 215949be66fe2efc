// Tests reading tiles as the server writes them, and bytes that are not tiles.
import assert from "node:assert/strict";
import test from "node:test";
import { decodeTiles, TileError } from "../src/data/tile";
import { encodeTile, joined } from "./fake_timeline";

const kGemm = { start: 1000, duration: 600, name: "gemm", kind: 0 };
const kReduce = { start: 1700, duration: 900, name: "すべて reduce", kind: 1, row: 1 };
const kTiny = { start: 1601, duration: 3, name: "tiny", kind: 2 };

test("boxes, spans and names of a tile", () => {
  const [tile] = decodeTiles(encodeTile({ track: 3, level: 4, index: 0 }, { events: [kGemm, kReduce, kTiny] }));
  assert.ok(tile);
  assert.deepEqual([tile.track, tile.level, tile.index], [3, 4, 0]);
  assert.deepEqual([...tile.boxes.start], [1000, 1700]);
  assert.deepEqual([...tile.boxes.duration], [600, 900]);
  assert.deepEqual([...tile.boxes.event], [0, 1]);
  assert.deepEqual([...tile.boxes.row], [0, 1]);
  assert.deepEqual([...tile.boxes.name].map((name) => tile.names.at(name)), ["gemm", "すべて reduce"]);
  // tiny begins in bucket 100 of 16 ns and covers 3 of them: 48 of 255, rounded up
  assert.deepEqual([[...tile.spans.bucket], [...tile.spans.count], [...tile.spans.cover]], [[100], [1], [48]]);
});

test("the points of a counter", () => {
  const points = [{ time: 0, value: 5 }, { time: 600, value: 7 }, { time: 601, value: 2 }];
  const [tile] = decodeTiles(encodeTile({ track: 0, level: 0, index: 1 }, { points }));
  // 5 holds at the tile's begin, 512 ns; 600 and 601 are its buckets 88 and 89
  assert.deepEqual([...tile!.points.bucket], [0, 88, 89]);
  assert.deepEqual([...tile!.points.last], [5, 7, 2]);
});

test("several tiles lie one after another, and own their bytes", () => {
  const ids = [{ track: 0, level: 0, index: 1 }, { track: 0, level: 4, index: 0 }];
  const tiles = decodeTiles(joined(ids.map((id) => encodeTile(id, { events: [kGemm] }))));
  assert.deepEqual(tiles.map(({ level, index }) => [level, index]), [[0, 1], [4, 0]]);
  assert.notEqual(tiles[0]!.boxes.start.buffer, tiles[1]!.boxes.start.buffer);
  assert.equal(tiles[1]!.bytes, tiles[1]!.boxes.start.buffer.byteLength);
});

test("equal names have equal shades in every tile", () => {
  const shadeOf = (level: number) => decodeTiles(encodeTile({ track: 0, level, index: 0 }, { events: [kReduce, kGemm] }))
    .map(({ boxes, names }) => names.shade(boxes.name[0]!))[0];
  assert.equal(shadeOf(2), shadeOf(5));
});

test("an index above 2^32 has its upper half in the last word of the header", () => {
  const bytes = encodeTile({ track: 0, level: 0, index: 1 }, {});
  new Uint32Array(bytes)[9] = 2;
  assert.equal(decodeTiles(bytes)[0]!.index, 2 * 2 ** 32 + 1);
});

test("bytes that are no tiles are refused", () => {
  const good = encodeTile({ track: 0, level: 0, index: 1 }, { events: [kGemm] });
  const change = (word: number, value: number) => {
    const bad = good.slice(0);
    new Uint32Array(bad)[word] = value;
    return bad;
  };
  for (const [bad, why] of [
    [good.slice(0, 24), "cut off"], [change(0, 1), "magic"], [change(1, 1 << 20), "longer than the answer"],
    [change(1, 32), "shorter than a header"], [change(5, 0xffffffff), "more boxes than bytes"], [change(6, 1 << 16), "spans"],
  ] as const) {
    assert.throws(() => decodeTiles(bad), TileError, why);
  }
});

test("a name past the names of its tile is empty", () => {
  const [tile] = decodeTiles(encodeTile({ track: 0, level: 0, index: 1 }, { events: [kGemm] }));
  assert.equal(tile!.names.at(7), "");
  assert.equal(tile!.names.shade(7), 0);
});
