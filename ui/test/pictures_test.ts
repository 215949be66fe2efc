// Tests what pictures read from tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { kindNamed, kKinds, type Cell, type Column, type Kind, type Report, type Table } from "../src/data/report";
import { visible } from "../src/report/format";
import { kLooks } from "../src/shell/palette";
import { firstRank, largestRows } from "../src/views/bars";
import { comparedRows } from "../src/views/compared";
import { scaleOf, shareOf } from "../src/views/heat_scale";
import { heatData } from "../src/views/heat_data";
import { isRankByStep } from "../src/views/heatmap";
import { legendOf, stretchesOf } from "../src/views/job_timeline";
import { placesOf } from "../src/views/layout_grid";
import { kindOfColumn, kindOfRow, labelColumns, labelOf } from "../src/views/parts";
import { leftOutOf } from "../src/views/step_parts";
import { chooseLanguage } from "../src/text";

const key = (name: string): Column => ({ key: name, title: name, unit: "", role: "key" });
const time = (name: string): Column => ({ key: name, title: name, unit: "ns", role: "value" });
const table = (columns: Column[], rows: Cell[][]): Table => ({ key: "t", title: "T", columns, rows });

test("a row is called by the keys that tell it from others", () => {
  const ranks = table([key("rank"), key("window"), key("device"), time("busy")], [[0, 0, 0, 1], [1, 0, 1, 1]]);
  assert.equal(labelOf(ranks, ranks.rows[1]!, labelColumns(ranks)), "rank 1");
  const streams = table([key("rank"), key("stream"), time("busy")], [[0, 7, 1], [0, 20, 1]]);
  assert.equal(labelOf(streams, streams.rows[1]!, labelColumns(streams)), "stream 20");
});

test("bars are of the largest rows; where all ranks have the same, of the first rank", () => {
  const saved = table([key("rank"), key("change"), time("saved")], [[11, "compute*0", 190], [11, "launch*0", 1], [11, "communication*0", 21], [7, "compute*0", 74]]);
  assert.deepEqual(largestRows(saved, 2, 3).map((row) => row[2]), [190, 74, 21]);
  const { rank, table: first } = firstRank(saved);
  assert.equal(rank, 11);
  assert.deepEqual(largestRows(first, 2, 9).map((row) => row[1]), ["compute*0", "communication*0", "launch*0"]);
  assert.equal(labelOf(first, first.rows[0]!, labelColumns(first)), "compute*0");
  assert.equal(firstRank(first).rank, null, "all are of it");
  const peaks = table([key("rank"), time("peak")], [[0, 5], [1, 5], [2, 6]]);
  assert.deepEqual(largestRows(peaks, 1, 9).map((row) => row[0]), [2, 0, 1], "equal ones as the table has them");
});

test("a heat map has a place for each rank and step, and NaN where nothing is known", () => {
  const steps = table([key("rank"), key("step"), time("step_time")], [[0, 10, 5], [1, 10, 7], [1, 9, null]]);
  assert.ok(isRankByStep(steps));
  const data = heatData(steps, { across: "step", left: "rank" }, 2);
  assert.deepEqual(data.rows, ["rank 0", "rank 1"]);
  assert.deepEqual(data.columns, ["9", "10"]);
  assert.deepEqual([...data.values], [NaN, 5, NaN, 7]);
  assert.ok(!isRankByStep(table([key("rank"), key("step"), key("phase")], [])));
});

test("ranks of a layout stand at their stage and the rest of their place", () => {
  const place = (name: string): Column => ({ key: name, title: name, unit: "", role: "value" });
  const columns = [key("rank"), ...["dp", "pp", "tp", "recorded"].map(place), time("wait")];
  const places = placesOf(table(columns, [[0, 0, 0, 0, "yes", 5], [1, 0, 0, 1, "yes", 6], [2, 0, 1, 0, "yes", 7], [3, 0, 1, 1, "no", null]]))!;
  const data = heatData(places, { across: "stage", left: "place" }, 2);
  assert.deepEqual(data.rows, ["dp 0, tp 0", "dp 0, tp 1"]);
  assert.deepEqual(data.columns, ["0", "1"]);
  assert.deepEqual([...data.values], [5, 7, 6, NaN]);
  assert.equal(placesOf(table([key("rank"), place("dp"), time("wait")], [[0, 0, 1], [1, 1, 2]])), null);
});

test("two runs are compared by what changed most, also where one of them has a row alone", () => {
  const columns = [key("name"), ...["time_a", "time_b", "time_change"].map(time), { ...time("time_change_ratio"), unit: "ratio" as const }];
  const rows = comparedRows(table(columns, [["same", 9e9, 9e9, 0, 0], ["gone", 16.7e6, null, null, null], ["more", 1e6, 2e6, 1e6, 1], ["new", null, 3e6, null, null], ["none", null, null, null, null]]), "time");
  assert.deepEqual(rows.map(({ label, change, ratio }) => `${label} ${change.text} ${ratio.text}`), ["gone -16.7 ms -100.0%", "new 3.00 ms -", "more 1.00 ms 100.0%", "same 0 ns 0.0%"]);
});

test("who waited for whom is a matrix: all that waited or were waited for on both sides", () => {
  const waits = table([key("rank"), key("for_rank"), time("wait")], [[3, 2, 50], [0, 2, 70], [0, 1, 5]]);
  const data = heatData(waits, { across: "for_rank", left: "rank", square: true }, 2);
  assert.deepEqual([data.rows, data.columns], [["rank 0", "rank 1", "rank 2", "rank 3"], ["0", "1", "2", "3"]]);
  assert.deepEqual([...data.values], [NaN, 5, 70, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN, 50, NaN]);
});

test("a scale spans what there is; what differs by less than a hundredth is alike", () => {
  assert.deepEqual(scaleOf(Float64Array.of(100, 50)), { low: 50, high: 100, alike: false });
  assert.deepEqual(scaleOf(Float64Array.of(269, 265, NaN)), { low: 265, high: 269, alike: false });
  assert.deepEqual(scaleOf(Float64Array.of(1000, 999)), { low: 999, high: 1000, alike: true });
  assert.deepEqual(scaleOf(Float64Array.of(0)), { low: 0, high: 0, alike: true });
  assert.deepEqual(scaleOf(Float64Array.of(NaN)), { low: 0, high: 1, alike: false });
  assert.deepEqual([265, 267, 269].map((value) => shareOf({ low: 265, high: 269, alike: false }, value)), [0, 0.5, 1]);
  assert.equal(shareOf({ low: 0, high: 0, alike: true }, 0), 0.12);
});

test("the life of a job is its segments, in the words of its buckets", () => {
  const buckets = { ...table([key("bucket"), time("time"), { ...key("meaning"), role: "value" }], [["PRODUCTIVE", 60, "steps that count"], ["QUEUED", 5, "waiting for resources"]]), key: "buckets" };
  const columns = [key("attempt"), key("segment"), time("start"), time("duration"), key("bucket"), key("kind")];
  const rows = [[null, 1, -5e9, 5e9, "QUEUED", "queued"], [1, 1, 0, 60e9, "PRODUCTIVE", "productive"], [1, 2, 60e9, 1e9, "NEW\u0007", "other"]];
  const segments = { ...table(columns, rows), key: "segments", kind_column: "kind" };
  const report: Report = { analysis: "goodput", title: "", status: "ok", why: "", headline: "", metrics: [], series: [], findings: [], notes: [], tables: [buckets, segments] };
  const drawn = stretchesOf(report, segments);
  assert.deepEqual(drawn.map(({ from, length, kind, title }) => [from, length, kind, title]), [
    [-5e9, 5e9, "queued", "waiting for resources"], [0, 60e9, "productive", "steps that count"], [60e9, 1e9, "other", visible("NEW\u0007")],
  ]);
  assert.equal(drawn[0]!.message, "before the first attempt, waiting for resources: 5.00 s");
  assert.equal(drawn[1]!.message, "attempt 1, steps that count: 60.0 s, from 0 ns");
  const more = [...drawn, { ...drawn[0]!, title: "allocated, not started" }, drawn[1]!];
  assert.deepEqual(legendOf(more).map(({ kind, title }) => `${kind} ${title}`), ["queued waiting for resources; allocated, not started", "productive steps that count", `other ${visible("NEW\u0007")}`]);
});

test("the picture of the mean step says how many slow steps its means leave out, as the terminal does", () => {
  const report = (slow: number): Report => ({
    analysis: "breakdown", title: "", status: "ok", why: "", headline: "", series: [], findings: [], notes: [], tables: [],
    metrics: [{ key: "slow_steps", title: "slow steps left out", value: slow, unit: "count" }],
  });
  assert.deepEqual([0, 1, 2, 1200].map((slow) => leftOutOf(report(slow))), ["", "The means leave out 1 slow step.", "The means leave out 2 slow steps.", "The means leave out 1,200 slow steps."]);
  assert.equal(leftOutOf({ ...report(2), metrics: [] }), "");
  const first = { key: "warm_up_steps", title: "first steps left out", value: 1, unit: "count" } as const;
  assert.equal(leftOutOf({ ...report(2), metrics: [...report(2).metrics, first] }), "The means leave out 1 first step and 2 slow steps.");
  const sides = report(2).metrics.flatMap((metric) => [{ ...metric, key: `${metric.key}_a` }, { ...metric, key: `${metric.key}_b` }]);
  assert.equal(leftOutOf({ ...report(2), metrics: sides }), "The means leave out 2 slow steps before and 2 slow steps after.");
  chooseLanguage("ja");
  assert.equal(leftOutOf(report(2)), "平均は遅い 2 ステップを除いたものです。");
  chooseLanguage("en");
});

// As WCAG reckons it; how light something is all eyes see alike.
function luminance(color: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * channels[0]! + 0.7152 * channels[1]! + 0.0722 * channels[2]!;
}

test("a host that works and one that waits are told apart by pattern and lightness, and so by every eye", () => {
  const { host, wait } = kLooks;
  assert.notEqual(host.pattern as string, wait.pattern);
  for (const theme of ["light", "dark"] as const) {
    const [dark, light] = [luminance(host[theme]), luminance(wait[theme])].sort((a, b) => a - b) as [number, number];
    assert.ok((light + 0.05) / (dark + 0.05) > 2, theme);
  }
});

test("kinds are those of the schema, and each has a look of its own in its pictures", () => {
  const schema = JSON.parse(readFileSync("../docs/report-schema.json", "utf8")) as { definitions: { kind: { enum: string[] } } };
  assert.deepEqual([...kKinds], schema.definitions.kind.enum);
  const ofJobs: readonly Kind[] = kKinds.slice(kKinds.indexOf("productive"));
  const ofSteps = kKinds.filter((kind) => !ofJobs.includes(kind) || kind === "other");
  for (const shared of [ofSteps, [...ofJobs, "input"] as const]) {
    const looks = shared.map((kind) => `${kLooks[kind].pattern} ${kLooks[kind].light}`);
    assert.equal(new Set(looks).size, looks.length);
  }
});

// What the browser tests see on the console.
function complaintsOf(run: () => void): string[] {
  const before = console.error, complaints: string[] = [];
  console.error = (text: string) => void complaints.push(text);
  run();
  console.error = before;
  return complaints;
}

test("columns and rows say their kind; an unknown or missing one is a complaint", () => {
  const columns = [key("name"), { ...time("idle"), kind: "idle" as const }, time("plain"), key("kind")];
  const rows = { ...table(columns, [["a", 1, 1, "host"], ["b", 1, 1, "new"]]), kind_column: "kind" };
  assert.deepEqual(complaintsOf(() => assert.deepEqual([kindOfColumn(rows, 1), kindOfRow(rows, rows.rows[0]!)], ["idle", "host"])), []);
  assert.equal(complaintsOf(() => assert.equal(kindOfColumn(rows, 2), "other")).length, 1);
  assert.equal(complaintsOf(() => assert.equal(kindOfRow(rows, rows.rows[1]!), "other")).length, 1);
  assert.equal(complaintsOf(() => kindNamed("toString")).length, 1);
});
