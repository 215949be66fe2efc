// Tests what is found in the tiles of a report.html.
import assert from "node:assert/strict";
import test from "node:test";
import { FileEvents, labelOfFrame } from "../src/data/file_events";
import { SourceError } from "../src/data/source";
import { decodeTiles } from "../src/data/tile";
import { encodeTile, fakeInfo, joined, type FakeTrack } from "./fake_timeline";

const kLevel = 4;  // of 16 ns

const kTracks: FakeTrack[] = [
  { kind: "steps", events: [{ start: 0, duration: 20_000, name: "gemm step" }] },
  { kind: "stream", events: [{ start: 100, duration: 50, name: "gemm_a" }, { start: 8_150, duration: 100, name: "Relu", kind: 1 }, { start: 9_000, duration: 5, name: "gemm_short" }, { start: 12_000, duration: 400, name: "gemm_b" }] },
  { kind: "thread", rank: 1, events: [{ start: 100, duration: 60, name: "gemm_a" }] },
];

function events(): FileEvents {
  const tiles = kTracks.flatMap((track, id) => [0, 1, 2].map((index) => encodeTile({ track: id, level: kLevel, index }, track)));
  return new FileEvents(fakeInfo(kTracks), decodeTiles(joined(tiles)));
}

const ask = (q: string, from: number, by: 1 | -1, limit = 9, regex?: 1) => events().find({ q, from, by, limit, regex });

test("names are found in the order of time, with their place among all, forwards and back", () => {
  const forth = ask("GEMM", 0, 1);
  assert.deepEqual(forth.matches.map(({ track, event }) => [track, event]), [[1, 0], [2, 0], [1, 3]], "once each, though in two tiles; none that is too short, and no step");
  assert.deepEqual([forth.total, forth.place], [3, 1]);
  assert.deepEqual([ask("gemm", 101, 1).place, ask("gemm", 101, 1).matches[0]?.name], [3, "gemm_b"]);
  const back = ask("gemm", 12_000, -1, 1);
  assert.deepEqual([back.place, back.matches.map(({ track }) => track)], [2, [2]]);
  assert.deepEqual([ask("none", 0, 1).total, ask("none", 0, 1).place], [0, 0]);
});

test("a regular expression is one, and what is none is said", () => {
  assert.equal(ask("^relu$", 0, 1, 9, 1).total, 1);
  assert.throws(() => ask("(", 0, 1, 9, 1), (problem) => problem instanceof SourceError && problem.status === 400);
});

test("matches have their places, by row and by rank", () => {
  const hits = (tracks: number[]) => events().hits({ q: "gemm", from: 0, to: 16_000, buckets: 16, tracks }).rows;
  assert.deepEqual(hits([1]), [{ rank_index: 0, track: 1, row: 0, stretches: [0, 0, 12, 12] }]);
  assert.deepEqual(hits([]).map(({ rank_index, stretches }) => [rank_index, stretches]), [[0, [0, 0, 12, 12]], [1, [0, 0]]]);
});

test("the longest of a name, of a kind and of a row; the next on a track; and what a tile says of an event", () => {
  const of = events(), all = { from: 0, to: 20_000, tracks: [] };
  assert.equal(of.named({ ...all, name: "gemm_a", kind: "" })?.track, 2);
  assert.equal(of.named({ ...all, name: "", kind: "communication" })?.name, "Relu");
  assert.equal(of.named({ ...all, name: "gemm", kind: "" }), null, "whole names alone");
  assert.equal(of.named({ ...all, to: 100, name: "gemm_a", kind: "" }), null);
  assert.equal(of.longest({ track: 1, row: 0, from: 0, to: 9_000 })?.name, "Relu");
  assert.equal(of.longest({ track: 1, row: 0, from: 9_000, to: 9_016 }), null, "too short to be known");
  assert.equal(of.next({ track: 1, event: 1 }, 1)?.name, "gemm_b");
  assert.equal(of.next({ track: 1, event: 3 }, 1), null);
  assert.deepEqual(of.details({ track: 2, event: 0 }), { track: 2, event: 0, name: "gemm_a", kind: "compute", row: 0, start: 100, duration: 60, rank: 1, fields: [], stack: [], links: [] });
  assert.equal(of.details({ track: 1, event: 2 }), undefined);
});

test("a function is found by what findings call it, whatever profiler wrote its name", () => {
  assert.equal(labelOfFrame("jobs/data.py(7): load"), "load (data.py:7)");
  assert.equal(labelOfFrame("C:\\jobs\\data.py(7): load"), "load (data.py:7)");
  assert.equal(labelOfFrame("$data.py:7 load"), "load (data.py:7)");
  for (const name of ["gemm_a", "<built-in function len>", "nn.Module: Linear_0", "$builtins len", "void f<int>(int)"]) assert.equal(labelOfFrame(name), undefined, name);
  const tracks: FakeTrack[] = [{ kind: "thread", events: [{ start: 100, duration: 60, name: "jobs/data.py(7): load" }, { start: 200, duration: 90, name: "jobs/other.py(7): load" }] }];
  const of = new FileEvents(fakeInfo(tracks), decodeTiles(joined([encodeTile({ track: 0, level: kLevel, index: 0 }, tracks[0]!)])));
  assert.equal(of.named({ name: "load (data.py:7)", kind: "", from: 0, to: 20_000, tracks: [] })?.start, 100);
  assert.equal(of.named({ name: "load (data.py:8)", kind: "", from: 0, to: 20_000, tracks: [] }), null);
});
