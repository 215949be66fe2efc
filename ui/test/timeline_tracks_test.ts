// Tests the cache, substitutes for tiles that are loading, rows as pixels, and lanes.
import assert from "node:assert/strict";
import test from "node:test";
import { TileCache } from "../src/timeline/cache";
import { CurveRows, curvesOf } from "../src/timeline/curves";
import { boxAt } from "../src/timeline/hit";
import { kAxisHeight, kOpen, kShut, busyTracks, layOut, lanesBetween, passes, spotAt, wrongRanks } from "../src/timeline/lanes";
import { TileLoader, tileKey } from "../src/timeline/loader";
import { cutToFit } from "../src/timeline/overlay";
import { piecesOf } from "../src/timeline/pieces";
import { Strips, abgr, kShades, makeLut } from "../src/timeline/raster";
import { decodeTiles } from "../src/data/tile";
import type { TileId } from "../src/data/source";
import { encodeTile, fakeInfo, joined, type FakeTrack } from "./fake_timeline";

const tileOf = (id: TileId, track: FakeTrack) => decodeTiles(encodeTile(id, track))[0]!;
const kEvents = [{ start: 100, duration: 50, name: "a" }, { start: 900, duration: 600, name: "b" }];

test("the cache drops what was used longest ago", () => {
  const tile = tileOf({ track: 0, level: 0, index: 0 }, { events: kEvents });
  const cache = new TileCache(3 * (tile.bytes + 1500));
  for (const key of ["a", "b", "c"]) cache.set(key, tile);
  cache.get("a");
  cache.set("d", tile);
  assert.deepEqual(["a", "b", "c", "d"].map((key) => cache.has(key)), [true, false, true, true]);
  assert.equal(cache.bytes, 3 * (tile.bytes + 1500));
});

// A loader whose requests are answered by hand.
function loaderOf(track: FakeTrack) {
  const asked: { list: readonly TileId[]; signal: AbortSignal; answer: (leaveOut?: number) => void }[] = [];
  let arrived = 0;
  const fetch = (list: readonly TileId[], signal: AbortSignal) => new Promise<ArrayBuffer>((resolve) => {
    const answer = (leaveOut = -1) => resolve(joined(list.filter((_, i) => i !== leaveOut).map((id) => encodeTile(id, track))));
    asked.push({ list, signal, answer });
  });
  const loader = new TileLoader(fetch, new TileCache(1 << 20), { arrived: () => ++arrived, failed: () => undefined });
  return { loader, asked, arrived: () => arrived };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("what a frame misses is one request; what the next does not want is aborted", async () => {
  const { loader, asked, arrived } = loaderOf({ events: kEvents });
  const frame = (...indices: number[]) => {
    loader.begin();
    const held = indices.map((index) => loader.want({ track: 0, level: 0, index }));
    loader.end(0);
    return held;
  };
  assert.deepEqual(frame(0, 1), [undefined, undefined]);
  assert.deepEqual(asked.map(({ list }) => list.length), [2]);
  frame(0, 1);
  assert.equal(asked.length, 1, "not asked for twice");
  frame(2);
  assert.equal(asked[0]!.signal.aborted, true);
  asked[1]!.answer();
  await settled();
  assert.equal(arrived(), 1);
  assert.equal((frame(2)[0] as { index: number }).index, 2);
});

test("a failure is told, and tried again a second later, not at once", async () => {
  let asked = 0;
  const told: unknown[] = [];
  const fetch = () => Promise.reject(new Error(`no ${++asked}`));
  const loader = new TileLoader(fetch, new TileCache(1), { arrived: () => undefined, failed: (why) => told.push(why) });
  const frame = (now: number) => {
    loader.begin();
    loader.want({ track: 0, level: 0, index: 0 });
    loader.end(now);
  };
  frame(performance.now());
  await settled();
  frame(performance.now());
  assert.deepEqual([asked, told.length], [1, 1]);
  frame(performance.now() + 1100);
  assert.equal(asked, 2);
});

test("a tile that the source leaves out is not asked for again", async () => {
  const { loader, asked } = loaderOf({ events: kEvents });
  loader.begin();
  loader.want({ track: 0, level: 0, index: 0 });
  loader.want({ track: 0, level: 0, index: 1 });
  loader.end(0);
  asked[0]!.answer(1);
  await settled();
  loader.begin();
  assert.equal(loader.want({ track: 0, level: 0, index: 1 }), "absent");
  loader.end(0);
  assert.equal(asked.length, 1);
});

const kInfo = fakeInfo([{ events: kEvents }]);

test("a coarse tile stands in until the fine one comes, every ns once", () => {
  const { loader } = loaderOf({ events: kEvents });
  const keep = (id: TileId) => loader.cache.set(tileKey(id), tileOf(id, { events: kEvents }));
  const stretches = () => piecesOf(loader, { ...kInfo, end: 1500 }, 0, { from: 0, to: 1500 }, 0).map(({ tile, from, to }) => [tile.level, from, to]);
  loader.begin();
  assert.deepEqual(stretches(), []);
  keep({ track: 0, level: 2, index: 0 });
  assert.deepEqual(stretches(), [[2, 0, 512], [2, 512, 1024], [2, 1024, 1536]]);
  keep({ track: 0, level: 0, index: 1 });
  assert.deepEqual(stretches(), [[2, 0, 512], [0, 512, 1024], [2, 1024, 1536]]);
});

test("fine tiles stand in for a coarse one", () => {
  const { loader } = loaderOf({ events: kEvents });
  for (const index of [0, 2]) loader.cache.set(tileKey({ track: 0, level: 0, index }), tileOf({ track: 0, level: 0, index }, { events: kEvents }));
  loader.begin();
  const pieces = piecesOf(loader, { ...kInfo, end: 2000 }, 0, { from: 0, to: 2000 }, 2);
  assert.deepEqual(pieces.map(({ from, to }) => [from, to]), [[0, 512], [1024, 1536]]);
});

test("no tile is asked for that is finer than the source has", () => {
  const { loader, asked } = loaderOf({ events: kEvents });
  loader.begin();
  piecesOf(loader, { ...kInfo, end: 100_000, tracks: [{ ...kInfo.tracks[0]!, finest: 3 }] }, 0, { from: 0, to: 900 }, 0);
  loader.end(0);
  assert.deepEqual(asked[0]!.list, [{ track: 0, level: 3, index: 0 }]);
});

test("a pixel shows what covers it most, as strongly as it is covered", () => {
  const strips = new Strips();
  strips.start(1, 4);
  strips.add(0, 0, 0.25, 1, 0, 0);
  strips.add(0, 0.25, 1, 1, 1, 1);
  strips.add(0, 2.5, 2.5, 0.001, 0, 0);  // too short to have a width: still there
  const paints = [abgr("#ff0000"), abgr("#0000ff")], page = abgr("#ffffff");
  const lut = makeLut(paints, page), line = new Uint32Array(4).fill(page);
  strips.emit(0, line, lut);
  assert.deepEqual([...line], [abgr("#0000ff"), page, lut[0], page]);
  assert.notEqual(lut[0], page);
  assert.equal(lut[kShades - 1], abgr("#ff0000"));
});

test("a counter keeps its last value between points, and shows how far it went within a pixel", () => {
  const points = [{ time: 0, value: 4 }, { time: 10, value: 9 }, { time: 11, value: 1 }, { time: 30, value: 6 }];
  const tile = tileOf({ track: 0, level: 0, index: 0 }, { points });
  const { low, high, last } = curvesOf([{ tile, from: 0, to: 512, shift: 0 }], 0, 0.1, new CurveRows().of(5));
  assert.deepEqual([...last], [4, 1, 1, 6, 6]);
  assert.deepEqual([low[1], high[1]], [1, 9]);
});

test("the box under the pointer, or the nearest in reach", () => {
  const tile = tileOf({ track: 0, level: 0, index: 0 }, { events: [{ start: 10, duration: 5 }, { start: 30, duration: 2, row: 1 }] });
  const at = (row: number, time: number) => boxAt([{ tile, from: 0, to: 512, shift: 0 }], row, time, 3)?.box;
  assert.deepEqual([at(0, 12), at(0, 17), at(0, 19), at(1, 12), at(1, 28), at(-1, 31)], [0, 0, undefined, undefined, 1, 1]);
});

const kTracks: readonly FakeTrack[] = [0, 1].flatMap((rank) => [
  { rank, kind: "steps" as const, group: "steps", name: "steps", events: kEvents },
  { rank, kind: "stream" as const, group: "GPU 0", name: "stream 7", events: kEvents },
  { rank, kind: "thread" as const, group: "CPU", name: "main", events: [{ row: 2, start: 0, duration: 9 }] },
]);
const kChoice = { flipped: new Set<string>(), pins: [], filter: "", ranks: "" };

test("lanes stand under their rank and group; hosts of several ranks begin folded", () => {
  const { lanes } = layOut(fakeInfo(kTracks), kChoice);
  assert.deepEqual(lanes.slice(0, 5).map(({ key, tracks, folded }) => [key, tracks, folded]), [
    ["r0", [], false], ["t0", [0], false], ["g0/GPU 0", [], false], ["t1", [1], false], ["g0/CPU", [2], true],
  ]);
  lanes.slice(1).forEach((lane, i) => assert.equal(lane.y, lanes[i]!.y + lanes[i]!.height));
});

test("unfolding shows every row, a folded rank all its streams in one", () => {
  const { lanes } = layOut(fakeInfo(kTracks), { ...kChoice, flipped: new Set(["g0/CPU", "r1"]) });
  assert.equal(lanes.find(({ key }) => key === "t2")?.rows, 3);
  assert.deepEqual(lanes.at(-1)?.tracks, [4]);
});

test("in one line stand streams, or what threads ran: neither waits, Python frames, nor the profiler's records", () => {
  const track = (kind: "steps" | "stream" | "thread", group: string, name: string) => ({ kind, group, name, events: kEvents });
  const steps = track("steps", "steps", "steps"), main = track("thread", "CPU 1", "thread 1"), python = track("thread", "CPU 1", "thread 1: Python");
  const profiler = track("thread", "profiler", "thread PyTorch Profiler"), waits = track("stream", "GPU 0", "stream 7: synchronization");
  const names = (...tracks: FakeTrack[]) => busyTracks(fakeInfo(tracks).tracks).map(({ name }) => name);
  assert.deepEqual(names(steps, track("stream", "GPU 0", "stream 7"), waits, main), ["stream 7"]);
  assert.deepEqual(names(steps, main, python, profiler), ["thread 1"]);
  assert.deepEqual(names(python, profiler), ["thread 1: Python"]);
  assert.deepEqual(names(profiler), ["thread PyTorch Profiler"], "folded alone");
});

test("the header's choice of ranks governs the lanes; what is no choice does not", () => {
  const info = fakeInfo([0, 1, 2, 3].map((rank) => ({ rank, events: kEvents })));
  const shown = (ranks: string) => layOut(info, { ...kChoice, ranks }).lanes.filter(({ kind }) => kind === "rank").map(({ rankIndex }) => rankIndex);
  assert.deepEqual([shown("2"), shown("0,2..3"), shown("banana"), shown("9")], [[2], [0, 2, 3], [0, 1, 2, 3], []]);
});

test("pinned tracks go to the top, and filtered ones are not shown", () => {
  const { pinned, lanes } = layOut(fakeInfo(kTracks), { ...kChoice, pins: [4], filter: "RANK 1 stream" });
  assert.deepEqual(pinned.map(({ key }) => key), ["t4"]);
  assert.deepEqual(lanes.map(({ key, tracks }) => [key, tracks]), [["r1", []], ["g1/GPU 0", []]], "where it was taken from");
});

test("a folded rank shows all its streams, pinned ones too", () => {
  const { pinned, lanes } = layOut(fakeInfo(kTracks), { ...kChoice, pins: [4], flipped: new Set(["r1"]) });
  assert.deepEqual([pinned.length, lanes.at(-1)?.key, lanes.at(-1)?.tracks], [1, "r1", [4]]);
});

test("a number in the filter belongs to the word before it", () => {
  const info = fakeInfo([0, 1, 12].map((rank) => ({ rank, name: "stream 1", events: kEvents })));
  const shown = (filter: string) => info.tracks.filter((track) => passes(info, track, filter)).map((track) => track.rank_index);
  assert.deepEqual([shown("rank 1"), shown("stream  1 RANK"), shown("1 stream"), shown("rank 2")], [[1], [0, 1, 12], [0, 1, 12], []]);
});

test("the lane and row at a height of the screen", () => {
  const laid = layOut(fakeInfo(kTracks), { ...kChoice, flipped: new Set(["g0/CPU"]) });
  const main = laid.lanes.find(({ key }) => key === "t2")!;
  const spot = spotAt(laid, 10, kAxisHeight + main.y - 10 + 25);
  assert.deepEqual([spot?.lane.key, spot?.row], ["t2", 1]);
  assert.equal(spotAt(laid, 0, 5), undefined);
  assert.deepEqual(lanesBetween(laid.lanes, main.y + 1, main.y + 2).map(({ key }) => key), ["t2"]);
});

test("names are cut to their box", () => {
  const width = (text: string) => text.length * 10;
  assert.equal(cutToFit("gemm", 40, width), "gemm");
  assert.equal(cutToFit("nccl_all_reduce", 60, width), "nccl_…");
  assert.equal(cutToFit("nccl", 20, width), "");
});

test("of more than four ranks each is one line; all are folded and unfolded at once", () => {
  const info = fakeInfo([0, 1, 2, 3, 4].flatMap((rank) => [{ rank, events: kEvents }, { rank, kind: "thread" as const, group: "CPU", name: "main", events: kEvents }]));
  const shown = (...flipped: string[]) => layOut(info, { ...kChoice, flipped: new Set(flipped) }).lanes.map(({ key, folded }) => `${key}${folded ? " folded" : ""}`);
  assert.deepEqual(shown(), [0, 1, 2, 3, 4].map((rank) => `r${rank} folded`));
  assert.deepEqual(shown("r1").slice(0, 5), ["r0 folded", "r1", "g1/GPU 0", "t2", "g1/CPU folded"]);
  assert.deepEqual(shown(kOpen).slice(0, 5), ["r0", "g0/GPU 0", "t0", "g0/CPU", "t1"]);
  assert.deepEqual(shown(kOpen, "r0").slice(0, 2), ["r0 folded", "r1"]);
  const few = fakeInfo([0, 1].map((rank) => ({ rank, events: kEvents })));
  assert.deepEqual(layOut(few, { ...kChoice, flipped: new Set([kShut]) }).lanes.map(({ folded }) => folded), [true, true]);
  const one = layOut(fakeInfo(kTracks.slice(0, 3)), { ...kChoice, flipped: new Set([kShut]) }).lanes;
  assert.deepEqual(one.map(({ key, folded }) => [key, folded]), [["r0", false], ["t0", false], ["g0/GPU 0", true], ["g0/CPU", true]], "of one rank its groups");
});

test("a choice of ranks that is none, or of none, is said", () => {
  const info = fakeInfo([0, 1, 2].map((rank) => ({ rank, events: kEvents })));
  assert.deepEqual(["", "1", "2..9", "9", "3..5,7", "banana", "0-2", "1,,2"].map((ranks) => wrongRanks(info, ranks)),
    [null, null, null, "absent", "absent", "odd", "odd", "odd"]);
});
