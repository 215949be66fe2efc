// Tests two runs on one axis: whose numbers are whose, and that the second is moved as a whole.
import assert from "node:assert/strict";
import test from "node:test";
import type { Matches, Source } from "../src/data/source";
import { alignOf, moveOf, stepToAlign } from "../src/timeline/align";
import { askedOnce, beginOf, mergedMatches, moveTiles, pairedSource } from "../src/timeline/pair";
import { piecesOf } from "../src/timeline/pieces";
import { TileCache } from "../src/timeline/cache";
import { TileLoader } from "../src/timeline/loader";
import { decodeTiles } from "../src/data/tile";
import { encodeTile, fakeDetails, fakeInfo, fakeMatches, joined, type FakeTrack } from "./fake_timeline";

const tracksFrom = (start: number): FakeTrack[] => [
  { events: [{ start, duration: 50, name: "gemm" }, { start: start + 100, duration: 60, name: "other" }] },
  { rank: 1, events: [{ start: start + 10, duration: 5, name: "gemm" }] },
];
const stepsFrom = (start: number, first: number) => [0, 1].map((at) => ({ rank_index: 0, number: first + at, start: start + 100 * at, end: start + 100 * at + 90 }));

const kTracks = { a: tracksFrom(1000), b: tracksFrom(200) };
const kInfos = { a: fakeInfo(kTracks.a, stepsFrom(1000, 3)), b: fakeInfo(kTracks.b, stepsFrom(200, 7)) };
const asked: string[] = [];

const kSource = {
  live: true,
  timeline: (run: "a" | "b") => Promise.resolve(kInfos[run]),
  tiles: (run: "a" | "b", list) => Promise.resolve(joined(list.map((id) => encodeTile(id, kTracks[run][id.track]!)))),
  event: (run: "a" | "b", ref) => Promise.resolve(fakeDetails(kTracks[run], ref)),
  find: (run: "a" | "b", { q, from }) => {
    const all = fakeMatches(kTracks[run], q), matches = all.filter(({ start }) => start >= from);
    return Promise.resolve({ total: all.length, place: matches.length > 0 ? all.length - matches.length + 1 : 0, matches });
  },
  hits: (run: "a" | "b", { from, to, tracks }) => {
    asked.push(`${run} ${from}..${to}:${tracks.join()}`);
    return Promise.resolve({ rows: [{ rank_index: 0, track: tracks[0] ?? 0, row: 0, stretches: [1, 2] }] });
  },
} as Partial<Source> as Source;

const kPaired = pairedSource(kSource, { id: "a", name: "before" }, { id: "b", name: "after" });

test("the second steps begin together; ranks and tracks of the second run follow", async () => {
  assert.deepEqual([beginOf(kInfos.a), beginOf(kInfos.b)], [{ step: 4, at: 1100 }, { step: 8, at: 300 }]);
  const info = await kPaired.timeline("a");
  assert.deepEqual(info.ranks.map(({ name }) => name), ["before: rank 0", "before: rank 1", "after: rank 0", "after: rank 1"]);
  assert.deepEqual(info.tracks.map(({ id, rank_index, shift }) => [id, rank_index, shift]), [[0, 0, 0], [1, 1, 0], [2, 2, 800], [3, 3, 800]]);
  assert.deepEqual(info.steps.map(({ start }) => start), [1000, 1100, 1000, 1100]);
  assert.deepEqual([info.end, info.pair], [1160, { names: ["before", "after"], steps: [4, 8], ranks: 2 }]);
  assert.equal((await kPaired.event("a", { track: 2, event: 1 })).start, 1100);
});

test("any step that both have begins together where it is asked for; an event says which and how far its run moves", async () => {
  const ids = [{ id: "a", name: "before" }, { id: "c", name: "after" }] as const;
  const infos = { a: fakeInfo(kTracks.a, stepsFrom(1000, 3)), c: fakeInfo(kTracks.b, [stepsFrom(200, 3)[0]!, { rank_index: 0, number: 4, start: 350, end: 400 }]) };
  let timelines = 0;
  const source = askedOnce({ ...kSource, timeline: (run: string) => (++timelines, Promise.resolve(infos[run as "a" | "c"])) });
  const usual = await pairedSource(source, ...ids).timeline("a"), third = await pairedSource(source, ...ids, 3).timeline("a");
  assert.deepEqual([usual.pair?.steps, usual.tracks[2]?.shift, third.pair?.steps, third.tracks[2]?.shift], [[4, 4], 750, [3, 3], 800]);
  assert.deepEqual((await pairedSource(source, ...ids, 9).timeline("a")).pair?.steps, [4, 4], "which neither has");
  assert.equal(timelines, 2);
  const at = (track: number, start: number) => ({ track, event: 0, start });
  assert.deepEqual([stepToAlign(usual, at(2, 950)), stepToAlign(usual, at(2, 1100)), stepToAlign(usual, at(0, 1010)), stepToAlign(usual, at(0, 1095)), stepToAlign(infos.a, at(0, 1010))], [3, null, 3, null, null]);
  assert.deepEqual([moveOf(usual, 3, at(2, 950)), moveOf(usual, 3, at(0, 1010)), moveOf(third, 4, at(3, 0))], [50, 0, -50]);
  assert.deepEqual([{ "show.step": "4..5", align: "2" }, { align: "2" }, { align: "x" }, {}].map((query) => alignOf(query)), [5, 2, undefined, undefined]);
});

test("what a file has of two runs is what it has of both", async () => {
  const source = { ...kSource, timeline: (run: "a" | "b") => Promise.resolve({ ...kInfos[run], least: run === "a" ? { device: 0, other: 50 } : { device: 10, other: 0 } }) } as Source;
  assert.deepEqual((await pairedSource(source, { id: "a", name: "a" }, { id: "b", name: "b" }).timeline("a")).least, { device: 10, other: 50 });
});

test("tiles of the second run have their boxes where its events are, and their spans in moved buckets", async () => {
  const info = await kPaired.timeline("a"), cache = new TileCache(1 << 20);
  const loader = new TileLoader((list) => kPaired.tiles("a", list), cache, { arrived: () => undefined, failed: (why) => assert.fail(String(why)) });
  loader.begin();
  const view = { from: 900, to: 1200 };
  for (const track of [0, 2]) piecesOf(loader, info, track, view, 0);
  loader.end(0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const startsOf = (track: number) => piecesOf(loader, info, track, view, 0).flatMap(({ tile, from, to, shift }) => {
    assert.equal(shift, track === 2 ? 800 : 0);
    return [...tile.boxes.start].filter((start) => start >= from && start < to);
  });
  loader.begin();
  assert.deepEqual([startsOf(0), startsOf(2)], [[1000, 1100], [1000, 1100]]);
  const [tile] = decodeTiles(moveTiles(encodeTile({ track: 1, level: 0, index: 0 }, kTracks.b[1]!), { tracks: 5, shift: 7 }));
  assert.deepEqual([tile!.track, [...tile!.boxes.start], [...tile!.boxes.duration]], [6, [217], [5]]);
});

test("a search goes over both runs in the order of time, and counts the places of all", async () => {
  const all = await kPaired.find("a", { q: "gemm", from: 0, by: 1, limit: 10 });
  assert.deepEqual([all.total, all.place, all.matches.map(({ track, start }) => [track, start])], [4, 1, [[0, 1000], [2, 1000], [1, 1010], [3, 1010]]]);
  const rest = await kPaired.find("a", { q: "gemm", from: 1005, by: 1, limit: 1 });
  assert.deepEqual([rest.place, rest.matches.map(({ track }) => track)], [3, [1]]);
  const match = (start: number) => ({ track: 0, event: 0, start, duration: 1, name: "" });
  const back: Matches[] = [{ total: 9, place: 4, matches: [match(40), match(30)] }, { total: 2, place: 0, matches: [] }];
  assert.deepEqual(mergedMatches(back, -1, 1), { total: 11, place: 4, matches: [match(40)] });
  assert.equal(mergedMatches([{ total: 9, place: 0, matches: [] }, { total: 2, place: 2, matches: [match(5)] }], 1, 9).place, 11);
});

test("what is asked of tracks of one run is asked of it alone, on its own clock", async () => {
  const { rows } = await kPaired.hits("a", { q: "x", from: 900, to: 1200, buckets: 10, tracks: [3] });
  assert.deepEqual(asked.splice(0), ["b 100..400:1"]);
  assert.deepEqual([rows[0]!.track, rows[0]!.rank_index], [3, 2]);
  await kPaired.hits("a", { q: "x", from: 900, to: 1200, buckets: 10, tracks: [] });
  assert.deepEqual(asked.splice(0).sort(), ["a 900..1200:", "b 100..400:"]);
});
