// Tests what a row or a finding stands for in the timeline, and where that is.
import assert from "node:assert/strict";
import test from "node:test";
import type { Finding, Report, Table } from "../src/data/report";
import { saysTarget, targetOfCause, targetOfFinding, targetOfRow } from "../src/report/in_timeline";
import { placesOf } from "../src/timeline/analyses";
import { shownOf } from "../src/timeline/show";
import { stepsOf, targetOf, targetQuery } from "../src/timeline/target";
import { fakeInfo } from "./fake_timeline";

const table = (columns: readonly string[], key = "rows"): Table => ({
  key, title: "", columns: columns.map((name) => ({ key: name, title: name, unit: name === "time" ? "ns" : "", role: "key" as const })), rows: [],
});

test("a row stands for its rank, step and event; sums of all stand for nothing", () => {
  const row = (columns: readonly string[], cells: readonly (string | number | null)[], key?: string) => targetOfRow(table(columns, key), cells);
  assert.deepEqual(row(["rank", "window", "device", "step", "time"], [3, 0, null, 7, 99]), { rank: 3, window: 0, step: "7" });
  assert.deepEqual(row(["rank", "name", "time"], ["all", "gemm", 5]), { name: "gemm" });
  assert.deepEqual(row(["name", "slowest_rank", "device"], ["gemm", 2, 1]), { rank: 2, device: 1, name: "gemm" });
  assert.deepEqual(row(["operator", "kernel"], ["aten::mm", "gemm"]), { name: "gemm" }, "the nearer to the event");
  assert.deepEqual(row(["rank", "device", "name"], [0, 0, "H100"], "devices"), { rank: 0, device: 0 });
  assert.deepEqual(row(["path", "name"], ["a;b", "b"]), null);
  assert.deepEqual(row(["category", "time"], ["idle", 5]), null);
  assert.deepEqual(row(["rank", "step"], [-1, 1.5]), null);
});

test("a row without an event's name stands for the longest event of its kind, where events have that kind", () => {
  const kinds: Table = { ...table(["rank", "kinds", "kind"], "kinds"), kind_column: "kind" };
  const of = (...row: (string | number)[]) => targetOfRow(kinds, row);
  assert.deepEqual(of(0, "communication", "communication"), { rank: 0, kind: "communication" });
  assert.deepEqual(of(1, "compute + communication", "overlap"), { rank: 1 });
  assert.equal(of("all", "compute", "compute"), null);
  assert.deepEqual(targetOfRow({ ...table(["rank", "name", "kind"]), kind_column: "kind" }, [2, "gemm", "compute"]), { rank: 2, name: "gemm" });
  assert.deepEqual(targetOfRow({ ...table(["change", "critical_rank", "kind"]), kind_column: "kind" }, ["kernel gemm: gone", 5, "compute"]), { rank: 5 });
});

test("a link to a change says that it shows the steps before and after it", () => {
  assert.equal(saysTarget({ ...targetOfCause(3, [], 5), kind: "compute" }), "show in timeline: rank 3, steps 4 and 5: before and after the change, compute");
  assert.equal(saysTarget(targetOfCause(null, [], 0)), "show in timeline: step 0");
  assert.equal(saysTarget(targetOfCause(1, [5, 6, 7, 8, 9], null)), "show in timeline: rank 1, steps 5 to 9");
  assert.equal(saysTarget(targetOfCause(1, [5, 6], null)), "show in timeline: rank 1, steps 5, 6");
  assert.equal(saysTarget({ step: "7", name: "gemm" }), "show in timeline: step 7, gemm");
});

test("a finding stands for its cause, since the step before it changed; else for its evidence", () => {
  const evidence = { ...table(["name", "rank"], "top"), rows: [["gemm", 4]] };
  const report = { analysis: "x", tables: [evidence] } as unknown as Report;
  const of = (finding: Partial<Finding>) => targetOfFinding({ table: "", since_step: null, ...finding } as Finding, report);
  assert.deepEqual(of({ cause: { kind: "compute", rank: 2, step: null }, since_step: 5 }), { rank: 2, step: "4..5", kind: "compute" });
  assert.deepEqual(of({ cause: { kind: "", rank: null, step: 3 } }), { step: "3" });
  const where = { rank: 1, ranks: [1], device: null, steps: [9, 12], event: "save (train.py:40)" };
  assert.deepEqual(of({ cause: { kind: "host", rank: null, step: null }, where }), { rank: 1, step: "9,12", event: "save (train.py:40)" });
  assert.deepEqual(of({ cause: { kind: "host", rank: 0, step: null }, since_step: 6, where: { rank: null, ranks: [], device: null, steps: [], event: "load" } }), { rank: 0, step: "5..6", event: "load" });
  assert.deepEqual(of({ cause: { kind: "host", rank: null, step: null }, where: { rank: null, ranks: [], device: null, steps: [], event: "load" } }), { event: "load" });
  assert.deepEqual(of({ table: "top", cause: { kind: "", rank: null, step: null } }), { rank: 4, name: "gemm" });
  evidence.rows = [["gemm", 4], ["gemm", 5]];
  assert.deepEqual(of({ table: "top", cause: { kind: "", rank: null, step: null } }), { name: "gemm" }, "the longest of all ranks");
  assert.deepEqual(of({ cause: { kind: "communication", rank: null, step: null } }), { kind: "communication" });
  assert.equal(of({ cause: { kind: "input", rank: null, step: null } }), null);
});

test("steps that follow one another are one stretch; of too many stretches the first step stands for all", () => {
  assert.equal(stepsOf([]), undefined);
  assert.equal(stepsOf([7]), "7");
  assert.equal(stepsOf([4, 8, 12, 13, 14]), "4,8,12..14");
  assert.equal(stepsOf(Array.from({ length: 40 }, (_, i) => 3 + 2 * i)), "3");
});

test("a target comes back from the URL; what is odd is left out", () => {
  const target = { rank: 3, step: "4..6", device: 0, name: "void at::native::f<float, 2>" };
  assert.deepEqual(targetOf(targetQuery(target, "stragglers.ranks")), target);
  assert.deepEqual(targetOf({ "show.rank": "-1", "show.device": "1e9", "show.name": "x" }), { name: "x" });
  assert.equal(targetOf({ from: "1" }), null);
});

test("a target is found by numbers of ranks, steps, devices and streams", () => {
  const tracks = [0, 1].flatMap((rank) => [
    { rank, name: "stream 7", events: [{ start: 0, duration: 9 }] }, { rank, group: "GPU 1", name: "stream 7", events: [{ start: 0, duration: 9 }] },
    { rank, name: "stream 20", events: [{ start: 0, duration: 9 }, { start: 9, duration: 9 }] }, { rank, kind: "thread" as const, group: "CPU", events: [{ start: 0, duration: 9 }] },
  ]);
  const step = (rank_index: number, number: number) => ({ rank_index, number, start: number * 100 + rank_index, end: number * 100 + 90 });
  const info = fakeInfo(tracks, [step(0, 1), step(0, 2), step(1, 1), step(1, 2)]);
  assert.deepEqual(shownOf(info, { rank: 1, step: "2", device: 0 }), { ranks: [1], span: { from: 201, to: 290 }, steps: [{ from: 201, to: 290, step: "2" }], pins: [4, 6], missing: "" });
  assert.deepEqual(shownOf(info, { rank: 0, stream: 7 }).pins, [0, 1]);
  assert.deepEqual(shownOf(info, { step: "1..2" }), { ranks: [], span: { from: 100, to: 290 }, steps: [{ from: 100, to: 290, step: "1..2" }], pins: [], missing: "" });
  assert.deepEqual(shownOf(info, { rank: 9, step: "7" }).missing, "rank 9, step 7");
});

test("an event leads to the analyses that count its name", () => {
  const info = fakeInfo([{ kind: "stream" }, { kind: "thread" }, { kind: "steps" }]);
  const of = (track: number, kind: string) => placesOf({ track, kind }, info).map(({ analysis }) => analysis);
  assert.deepEqual(of(0, "compute"), ["kernels", "kernel_distribution"]);
  assert.deepEqual(of(0, "communication"), ["collectives", "kernels", "kernel_distribution"]);
  assert.deepEqual([of(1, "runtime"), of(1, "operator"), of(2, "unknown")], [["launch_stats"], ["operators"], ["steps"]]);
});
