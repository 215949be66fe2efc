// Tests what the pages of goodput read from reports: the job of a run, the way of chip-hours, the curves of jobs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ledgerAnswer } from "../src/data/embedded";
import type { Cell, Column, Report, ReportSet, Table } from "../src/data/report";
import { jobOfRun } from "../src/shell/job";
import { stepsOf } from "../src/views/chip_hours";
import { pathOf, trendsOf } from "../src/views/job_losses";

const column = (key: string, unit: Column["unit"] = ""): Column => ({ key, title: key, unit, role: "value" });

const reportOf = (analysis: string, tables: Table[], more: Partial<Report> = {}): Report =>
  ({ analysis, title: analysis, status: "ok", why: "", headline: "", metrics: [], tables, series: [], findings: [], notes: [], ...more }) as unknown as Report;

const answerOf = (...reports: Report[]): ReportSet => ({ reports, verdict: "", run: { name: "ledger" } }) as unknown as ReportSet;

const kHour = 3_600_000_000_000;

// Of 100 h: 40 are lost waiting, the program is not known.
const factors = (chips: number): Table => ({
  key: "factors", title: "T", kind_column: "kind",
  columns: [column("factor"), column("goodput", "ratio"), column("time", "ns"), column("chip_hours", "count"), column("cost", "count"), column("left", "ns"), column("missing"), column("kind")],
  rows: ([
    ["all", null, 100, 200, 100, null, "other"],
    ["scheduling", 0.6, 40, 80, 60, null, "queued"],
    ["running", 0.5, 30, 60, 30, null, "wasted"],
    ["program", null, null, null, 30, "the model", "startup"],
    ["ideal", 0.3, 30, 60, 30, null, "productive"],
  ] as const).map(([factor, goodput, time, cost, left, missing, kind]): Cell[] =>
    [factor, goodput, time && time * kHour, chips > 0 && time !== null ? time * chips : null, chips > 0 ? cost : null, left * kHour, missing, kind]),
});

test("each factor's bar stands where the hours are that it took", () => {
  const steps = stepsOf(factors(2));
  assert.deepEqual(steps.map(({ factor, from, length }) => [factor, from, length]), [["all", 0, 1], ["scheduling", 0.6, 0.4], ["running", 0.3, 0.3], ["program", 0, 0.3], ["ideal", 0, 0.3]]);
  assert.deepEqual(steps.map(({ known }) => known), [true, true, true, false, true]);
  assert.equal(steps[1]!.goodput, "60.0%");
  assert.match(steps[1]!.amount, /^80 /);
  assert.equal(steps[1]!.cost, "80");
});

test("an unknown factor has no number and says what would tell it, and what is left is a bound", () => {
  const [, , , program, ideal] = stepsOf(factors(2));
  assert.deepEqual([program!.amount, program!.goodput, program!.missing], ["", "", "the model"]);
  assert.equal(ideal!.title, "At most needed");
});

test("without chips the way is of the job's time, and without a price of no cost", () => {
  const [all] = stepsOf(factors(0));
  assert.deepEqual([all!.title, all!.amount, all!.cost], ["All time", "4.17 d", ""]);
});

test("the curve of a job is its own, from 0% to 100%", () => {
  const trend: Table = { key: "trend", title: "T", columns: [column("job"), column("from", "unix_ns"), column("goodput_ratio", "ratio")], rows: [["a", 0, 0], ["a", 10, 1], ["b", 0, 0.5], ["b", 20, null]] };
  const trends = trendsOf(reportOf("goodput_jobs", [trend]));
  assert.equal(pathOf(trends.get("a")!), "0.00,29.00 100.00,1.00");
  assert.equal(trends.get("b")!.length, 1);
});

test("the job of a run is the one that the server found, if it found one", () => {
  const metrics = [["job", "llm"], ["attempt", 2], ["ledger", "0123456789"]].map(([key, value]) => ({ key, title: key, value, unit: "" }));
  assert.deepEqual(jobOfRun(answerOf(reportOf("goodput_match", [], { metrics } as unknown as Partial<Report>))), { ledger: "0123456789", name: "llm" });
  assert.equal(jobOfRun(answerOf(reportOf("goodput_match", [], { status: "unavailable", why: "no job ran then" }))), null);
  assert.equal(jobOfRun(undefined), null);
});

test("a report.html has the first jobs of a ledger in full", () => {
  const jobs: Table = { key: "jobs", title: "T", columns: [column("job")], rows: [["one"], ["two"], ["three"]] };
  const list = reportOf("goodput_jobs", [jobs]);
  const data = { ledgers: { id: answerOf(list, reportOf("goodput", [])) }, jobs: { "id 1": { ...answerOf(reportOf("goodput", [], { headline: "two" })), verdict: "of two" } } };
  assert.equal(ledgerAnswer(data, "id", "")?.reports[1]?.headline, "");
  assert.equal(ledgerAnswer(data, "id", "one")?.reports[1]?.headline, "");
  const two = ledgerAnswer(data, "id", "two");
  assert.deepEqual([two?.verdict, two?.reports[0]?.analysis, two?.reports[1]?.headline], ["of two", "goodput_jobs", "two"]);
  assert.equal(ledgerAnswer(data, "id", "three"), undefined);
  assert.equal(ledgerAnswer(data, "id", "none"), undefined);
});
