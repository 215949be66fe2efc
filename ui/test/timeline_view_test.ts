// Tests levels, the axis, and moving the view.
import assert from "node:assert/strict";
import test from "node:test";
import { levelFor, lowestLevel, tilesIn, topLevel } from "../src/timeline/levels";
import { numbersText, rangesTyped } from "../src/data/numbers";
import { fromQuery, homeView, kMostMarks, toQuery } from "../src/timeline/place";
import { formatTime, startText, ticks, tickStep } from "../src/timeline/ticks";
import { clamp, fit, pan, reveal, whole, working, zoomAt } from "../src/timeline/view";
import { fakeInfo } from "./fake_timeline";

const kMs = 1e6, kDay = 86400e9;

test("a bucket is at most a pixel, and more than half of one", () => {
  for (const [length, pixels, level] of [[1000, 1000, 0], [1999, 1000, 0], [2000, 1000, 1], [20 * kDay, 1000, 40], [10, 1000, 0]] as const) {
    assert.equal(levelFor({ from: 0, to: length }, pixels), level);
  }
});

test("the tiles that meet a view, none beyond the run", () => {
  assert.deepEqual(tilesIn({ from: 500, to: 1030 }, 0, 5000), { first: 0, last: 2 });
  assert.deepEqual(tilesIn({ from: -900, to: 90000 }, 0, 5000), { first: 0, last: 9 });
  assert.deepEqual(tilesIn({ from: -900, to: -100 }, 0, 5000), { first: 0, last: 0 });
});

test("one tile of the top level holds the run", () => {
  for (const end of [1, 511, 512, 513, kMs, 3 * kDay]) {
    const { first, last } = tilesIn({ from: 0, to: end }, topLevel(end), end);
    assert.deepEqual([first, last], [0, 0], `${end}`);
  }
});

test("no tile's index needs more than 32 bits", () => {
  assert.equal(lowestLevel(30 * 60e9), 0);
  for (const end of [40 * 60e9, 10 * kDay, 2 ** 52]) {
    const { last } = tilesIn({ from: 0, to: end }, lowestLevel(end), end);
    assert.ok(last < 2 ** 32 && last * 4 >= 2 ** 32, `${end}`);
  }
});

test("ticks are round numbers, no more than fit", () => {
  assert.equal(tickStep(1000, 10), 100);
  assert.equal(tickStep(1001, 10), 200);
  assert.equal(tickStep(4.1 * kMs, 10), 500e3);
  assert.equal(tickStep(3, 10), 1);
  assert.deepEqual(ticks(-150, 260, 100), [-100, 0, 100, 200]);
  assert.deepEqual(ticks(1e15 + 0.5, 1e15 + 3, 1), [1e15 + 1, 1e15 + 2, 1e15 + 3]);
});

test("times are as precise as their ticks are close", () => {
  assert.equal(formatTime(0, 100), "0 ns");
  assert.equal(formatTime(1.5 * kMs, 100e3), "1.5 ms");
  assert.equal(formatTime(12 * kMs, kMs), "12 ms");
  assert.equal(formatTime(2e9 + 5, 1), "2.000000005 s");
  assert.equal(formatTime(59.96 * 60e9, 60e9), "59:58");
  assert.equal(formatTime(119.96e9, 1e9), "2:00");
  assert.equal(formatTime(3 * 3600e9 + 62.5e9, 100e6), "3:01:02.5");
  assert.equal(formatTime(kDay + 3600e9, 60e9), "1 d 1:00:00");
  assert.equal(formatTime(-2 * kMs, kMs), "-2 ms");
});

test("neighbors begin at other times, in words too", () => {
  assert.deepEqual([1.6398 * 1e9, 1.6402 * 1e9].map((start) => startText(start, 400e3)), ["1.6398000 s", "1.6402000 s"]);
  assert.equal(startText(287.55 * kMs, 30 * kMs), "287.55 ms");
  assert.equal(startText(5 * kMs, 0), "5.000000 ms");
});

test("zooming keeps the time under the pointer where it is", () => {
  const before = { from: 1000, to: 2000 }, after = zoomAt(before, 1250, 0.1, 1e6);
  assert.ok(Math.abs((1250 - after.from) / (after.to - after.from) - 0.25) < 1e-9);
  assert.equal(Math.round(after.to - after.from), 100);
});

test("a view stays within the run", () => {
  const end = 1e6, all = whole(end);
  assert.deepEqual(zoomAt({ from: 0, to: end }, 5, 1e9, end), all);
  const left = pan({ from: 0, to: 1000 }, -1e6, end);
  assert.deepEqual([left.from, left.to].map(Math.round), [all.from, all.from + 1000]);
  const least = zoomAt({ from: 0, to: 1000 }, 500, 1e-9, end);
  assert.equal(least.to - least.from, 10);
  assert.deepEqual(clamp({ from: NaN, to: 5 }, end), all);
});

test("what is in sight is not moved; what is not comes into the middle", () => {
  const view = { from: 0, to: 1000 };
  assert.equal(reveal(view, 400, 500, 1e6), view);
  const there = reveal(view, 5000, 5100, 1e6);
  assert.deepEqual(there, { from: 4550, to: 5550 });
  const around = fit(5000, 5100, 1e6);
  assert.ok(around.from < 5000 && around.to > 5100 && around.to - around.from < 200);
});

test("the view and the choices come back from the URL", () => {
  const info = fakeInfo([{ events: [{ start: 0, duration: 1000 }] }, { events: [{ start: 5, duration: 1e6 }] }]);
  const placed = {
    view: { from: 100, to: 2000 }, selected: { track: 1, event: 0 }, pins: [1], filter: "gpu", find: "nccl AllReduce, 50%", regex: true, top: "12:g0/GPU 0, big", ranks: "", flipped: new Set(["g0/GPU 0, big", "r0"]),
    measure: { from: 120.5, to: 480 }, area: { from: -5, to: 99, tracks: [0, 1] }, marks: [{ from: 7, to: 7, name: "" }, { from: 10, to: 30.125, name: "slow, 50 %: ~here" }], chain: [{ rankIndex: 0, at: 7 }, { rankIndex: 0, at: 30.125 }],
  };
  assert.deepEqual(fromQuery(toQuery(placed, whole(info.end)), info), placed);
  const { measure, area, marks } = toQuery(placed, whole(info.end));
  assert.deepEqual([measure, area, marks], ["120.5..480", "-5..99:0..1", "7,10..30.125~slow%2C%2050%20%25%3A%20~here"]);
  const all = { ...placed, view: whole(info.end) };
  assert.equal(toQuery(all, whole(info.end))["from"], "");
});

test("the header's choice of steps is what a URL without a view shows", () => {
  const step = (number: number) => ({ rank_index: 0, number, start: number * 1000, end: number * 1000 + 900 });
  const info = fakeInfo([{ events: [{ start: 0, duration: 9000 }] }], [1, 2, 3, 4].map(step));
  assert.deepEqual(fromQuery({ steps: "2..3" }, info).view, fit(2000, 3900, 9000));
  assert.deepEqual(fromQuery({ steps: "2..3", from: "100", to: "200" }, info).view, { from: 100, to: 200 });
  for (const choice of ["", "complete", "77"]) assert.deepEqual(homeView(info, choice), whole(9000), choice);
});

test("a run of which the steps are a small part begins with a view of them", () => {
  const step = (number: number, start: number) => ({ rank_index: 0, number, start, end: start + 100 });
  const tracks = [{ events: [{ start: 0, duration: 9000 }] }];
  assert.deepEqual(homeView(fakeInfo(tracks, [step(0, 500), step(1, 700)]), ""), fit(500, 800, 9000));
  assert.deepEqual(homeView(fakeInfo(tracks, [step(0, 500), step(1, 1400)]), ""), whole(9000), "a ninth of it");
  assert.deepEqual(homeView(fakeInfo(tracks, [step(0, 500), step(1, 700)]), "1"), fit(700, 800, 9000));
  assert.deepEqual(homeView(fakeInfo(tracks), ""), whole(9000));
});

test("the first view and the overview show when ranks did something; the rest can be scrolled to", () => {
  const info = { ...fakeInfo([{ events: [{ start: 0, duration: 50_000 }] }]), work_begin: 1000, work_end: 3500 };
  assert.deepEqual(working(info), { from: 950, to: 3550 });
  assert.deepEqual(homeView(info, ""), working(info));
  assert.equal(pan(working(info), 1e9, info.end).to, whole(info.end).to);
  assert.deepEqual(working({ ...info, work_end: 49_000 }), whole(info.end), "nearly all of it");
  assert.deepEqual(working({ ...info, work_end: 1000 }), whole(info.end), "nobody did anything");
});

test("ranges are typed as on the command line", () => {
  assert.deepEqual(["0-1", "0, 2-5,7..9", "3", "complete", "-1", "0-", "a-b"].map(rangesTyped), ["0..1", "0,2..5,7..9", "3", "complete", "-1", "0-", "a-b"]);
});

test("what a stranger wrote into the URL is checked", () => {
  const info = fakeInfo([{ events: [{ start: 0, duration: 1000 }] }]);
  const odd = fromQuery({ from: "x", to: "9", sel: "7.1", pins: "0,0,99,-1,a", fold: "%E0%A4%A" }, info);
  assert.deepEqual(odd, {
    view: whole(info.end), selected: null, pins: [0], filter: "", find: "", regex: false, top: "", ranks: "", flipped: new Set(), measure: null, area: null, marks: [], chain: [],
  });
  assert.deepEqual(fromQuery({ from: "9", to: "1", sel: "0.1.2" }, info).view, whole(info.end));
});

test("marks, measures and areas that are none are ignored", () => {
  const info = fakeInfo([{ events: [{ start: 0, duration: 1000 }] }, { kind: "counter", points: [{ time: 1, value: 1 }] }, { events: [] }]);
  for (const measure of ["x", "5", "9..1", "5..5", "1..2..3", "NaN..2", "1e3..2e3", "0x1..9", "1..1e400", "-900..5", "1..99999999", "1..", "..", "1.23456..2"]) {
    assert.equal(fromQuery({ measure }, info).measure, null, measure);
  }
  for (const area of ["1..5", "1..5:", "1..5:x", "1..5:-1", "1..5:9", "1..5:1", "1..5:2..0", "1..5:0,0", "5..1:0", "1..5:0:0", "5:0", ":0", "1..5:0..1..2"]) {
    assert.equal(fromQuery({ area }, info).area, null, area);
  }
  assert.deepEqual(fromQuery({ area: "1..5:0..4294967295" }, info).area, { from: 1, to: 5, tracks: [0, 2] });
  assert.deepEqual(fromQuery({ area: "1..5:none" }, info).area, { from: 1, to: 5, tracks: [] }, "over counters alone");
  assert.deepEqual(fromQuery({ marks: "5~%E0%A4%A" }, info).marks, [{ from: 5, to: 5, name: "" }], "a name that is none");
  assert.deepEqual(fromQuery({ marks: "5,x,9..1,7..8,,<b>" }, info).marks, [{ from: 5, to: 5, name: "" }, { from: 7, to: 8, name: "" }]);
  assert.deepEqual(fromQuery({ chain: "0:5,99:6,x:7,0:8:9,0:-1e9,0:8,0" }, info).chain, [{ rankIndex: 0, at: 5 }, { rankIndex: 0, at: 8 }]);
  assert.equal(fromQuery({ marks: "1,".repeat(100_000) }, info).marks.length, kMostMarks);
});

test("lists of tracks are short: neighbors are one range", () => {
  assert.equal(numbersText([3, 1, 2, 9, 3, 5]), "1..3,5,9");
  assert.equal(numbersText([]), "");
});
