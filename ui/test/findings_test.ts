// Tests where findings link to.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, Report, Table } from "../src/data/report";
import { evidenceOf, savingsOf } from "../src/report/findings";
import { mentionsIn } from "../src/report/mentions";

const finding = (table: string): Finding => ({ severity: "low", message: "", because: "", try: "", impact: 0, table, place: 0, share: null, impact_per_step: null, evidence: [] });
const table = (key: string, rows: number): Table => ({ key, title: key, columns: [], rows: Array.from({ length: rows }, () => []) });
const report: Report = {
  analysis: "a", title: "A", status: "ok", why: "", headline: "", metrics: [], series: [], findings: [], notes: [],
  tables: [table("ranks", 2), table("top", 1), table("empty", 0)],
};

test("ids of analyses are links by their titles; words of English that look like them are not", () => {
  const reports = ["stragglers", "steps", "idle_time"].map((analysis) => ({ analysis }));
  const told = (text: string) => mentionsIn(text, reports).map((part) => (typeof part === "string" ? part : `<${part.analysis}>`)).join("");
  assert.equal(told("see stragglers for a rank that others wait for"), "see <stragglers> for a rank that others wait for");
  assert.equal(told("synchronization in idle_time; idle_time says, of 3 steps"), "synchronization in <idle_time>; <idle_time> says, of 3 steps");
  assert.equal(told("steps says more, and there are no stragglers"), "<steps> says more, and there are no stragglers");
  for (const text of ["-p idle_time.main=3", "my_idle_time", "idle_times", "analyze --only idle_time", "comm_overlap says"]) assert.equal(told(text), text);
});

test("a finding leads to the table it names, and to none that is not there or empty", () => {
  assert.equal(evidenceOf(finding("top"), report), "top");
  assert.equal(evidenceOf(finding("empty"), report), null);
  assert.equal(evidenceOf(finding("gone"), report), null);
  assert.equal(evidenceOf(finding(""), report), null);
});

test("what a replay says a finding is worth is said as the text form says it", () => {
  const worth = { saved: 1588122, step_time: 6645324, error: 1647 };
  const of = (more: Partial<Finding>) => savingsOf({ ...finding(""), impact: 5e6, share: 0.16, impact_per_step: 1588122, ...more }, false);
  assert.equal(of({ worth, since_step: 2 }), "worth 1.59 ms of 6.65 ms (23.9%) in each step since step 2, ± 1.65 µs, by a replay");
  assert.equal(of({ worth: { ...worth, error: 0 }, since_step: null }), "worth 1.59 ms of 6.65 ms (23.9%) per step, by a replay");
  assert.equal(of({ worth, since_step: null }), "worth 1.59 ms of 6.65 ms (23.9%) per step, ± 1.65 µs, by a replay");
  assert.equal(of({ worth: null, since_step: null }), "costs up to 1.59 ms per step (16.0% of mean step time)");
});
