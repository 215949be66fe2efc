// Compares what a page shows with a Report, number by number.
import assert from "node:assert/strict";
import type { Report } from "../src/data/report";
import { cellText, visible } from "../src/report/format";
import { shownCell } from "../src/report/names";
import { informing } from "../src/report/rows";
import type { Watched } from "./browser";

interface Shown {
  readonly heading: string;
  readonly headline: string;
  readonly verdict: string;
  readonly metrics: readonly (readonly [key: string, text: string])[];
  readonly tables: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly findings: number;
}

function readPage(): Shown {
  const text = (element: Element | null) => element?.textContent ?? "";
  const all = (where: ParentNode, selector: string) => [...where.querySelectorAll(selector)];
  return {
    heading: text(document.querySelector("main h1")),
    headline: text(document.querySelector("main .headline")),
    verdict: all(document, "main .verdict, main .verdict-rest").map((part) => text(part)).join(" "),
    metrics: all(document, "main dd[data-metric]").map((metric) => [metric.getAttribute("data-metric") ?? "", text(metric)] as const),
    tables: Object.fromEntries(all(document, "main section.table").map((section) =>
      [section.id.replace(/^table-/, ""), all(section, "tbody tr").map((row) => all(row, "th, td").map(text))])),
    findings: all(document, "main section > .findings > li").length,
  };
}

// Everything that the report of this page shows is the report's; a table shows its first 50 rows.
export async function checkReport(watched: Watched, report: Report): Promise<void> {
  const shown = await watched.page.evaluate(readPage);
  await watched.learned();
  const where = report.analysis;
  assert.equal(shown.heading, visible(report.title), where);
  const said = visible(report.headline), above = shown.headline === "" && shown.verdict.startsWith(said);  // once is enough
  assert.equal(above ? said : shown.headline, said, where);
  const metrics = report.metrics.filter(({ value }) => value !== null && value !== "");
  assert.deepEqual(shown.metrics, metrics.map(({ key, value, unit }) => [key, cellText(value, unit)]), where);
  assert.equal(shown.findings, report.findings.length, where);
  for (const table of report.tables) {
    const columns = informing(table, null);
    const rows = table.rows.slice(0, 50).map((row) => columns.map((at) => shownCell(table.columns[at]!, row[at])));
    assert.deepEqual(shown.tables[table.key], rows, `${where}.${table.key}`);
  }
}
