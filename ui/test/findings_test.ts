// Where findings lead.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, Report, Table } from "../src/data/report";
import { evidenceOf } from "../src/report/findings";

const finding = (table: string): Finding => ({ severity: "low", says: "", because: "", try: "", worth: 0, table });
const table = (key: string, rows: number): Table => ({ key, title: key, columns: [], rows: Array.from({ length: rows }, () => []) });
const report: Report = {
  analysis: "a", title: "A", status: "ok", why: "", headline: "", metrics: [], series: [], findings: [], notes: [],
  tables: [table("ranks", 2), table("top", 1), table("empty", 0)],
};

test("a finding leads to the table it names, and to none that is not there or empty", () => {
  assert.equal(evidenceOf(finding("top"), report), "top");
  assert.equal(evidenceOf(finding("empty"), report), null);
  assert.equal(evidenceOf(finding("gone"), report), null);
  assert.equal(evidenceOf(finding(""), report), null);
});
