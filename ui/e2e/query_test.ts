// Tests the page of SQL: its answer as a table and as a picture, errors with their place, keys, and the list of tables. Skipped where
// DuckDB is not there.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { serve, stepscope, type Server } from "./job";

let folder: string;
let server: Server;
let browser: Browser;

const kOurs = fileURLToPath(new URL("../../../build/duckdb/libduckdb.so", import.meta.url));
if (!process.env["STEPSCOPE_DUCKDB"] && existsSync(kOurs)) process.env["STEPSCOPE_DUCKDB"] = kOurs;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-sql-"));
  stepscope("demo", join(folder, "job"), "--steps", "4");
  server = await serve(join(folder, "job"));
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function open(looks = {}): Promise<Watched> {
  const watched = await Watched.open(browser, server.url, looks);
  await watched.page.waitForSelector(".tiles");
  await watched.page.keyboard.press("g");
  await watched.page.keyboard.press("q");
  await watched.page.waitForSelector("#query-text");
  return watched;
}

async function ask(watched: Watched, sql: string): Promise<void> {
  await watched.page.fill("#query-text", sql);
  await watched.page.locator("#query-text").press("Control+Enter");
}

test("answers as a table, as bars and as a line; lists tables; says more rows", async (context) => {
  const watched = await open(), { page } = watched;
  watched.expected = /422/;
  await ask(watched, "SELECT step, avg(step_time) / 1e6 AS ms FROM steps GROUP BY step ORDER BY step");
  await page.waitForSelector("#table-sql tbody tr, .problem");
  if (await page.locator(".problem", { hasText: "DuckDB" }).count()) {
    await watched.close();
    return context.skip(await watched.text(".problem"));
  }
  assert.equal(await page.locator("#table-sql tbody tr").count(), 4);
  await ask(watched, "SELECT 'a' AS t, NULL AS n, 7 AS same FROM range(2)");
  await page.waitForFunction(() => document.querySelectorAll("#table-sql tbody tr").length === 2);
  assert.equal(await page.locator("#table-sql thead th").count(), 3);
  await ask(watched, "SELECT step, avg(step_time) / 1e6 AS ms FROM steps GROUP BY step ORDER BY step");
  await page.waitForFunction(() => document.querySelectorAll("#table-sql tbody tr").length === 4);
  await page.locator(".query-plot button", { hasText: "Bars" }).click();
  assert.equal(await page.locator(".query-plot .bar-list li").count(), 4);
  await page.locator(".query-plot button", { hasText: "Line" }).click();
  await page.waitForSelector(".query-plot canvas");
  await watched.checkAxe("an answer to SQL");
  await watched.checkFits("an answer to SQL");
  await watched.screenshot("sql");
  await page.locator(".query-tables summary", { hasText: /^kernels$/ }).click();
  await page.waitForFunction(() => /duration/.test(document.querySelector(".query-tables details[open]")?.textContent ?? ""));
  await ask(watched, "FROM range(20000)");
  await page.waitForFunction(() => /10,000 rows; there are more/.test(document.querySelector(".note")?.textContent ?? ""));
  await watched.close();
});

test("an error stands under the statement, with its place", async (context) => {
  const watched = await open({ language: "ja", theme: "dark" }), { page } = watched;
  watched.expected = /422/;
  await ask(watched, "SELECT rank,\n  nme FROM steps");
  await page.waitForSelector(".problem");
  if (/cannot load DuckDB|DuckDB is/.test(await watched.text(".problem"))) {
    await watched.close();
    return context.skip("DuckDB is not there");
  }
  assert.match(await watched.text(".problem"), /line 2: nme FROM steps/);
  await page.locator(".problem + button").click();
  const chosen = await page.locator("#query-text").evaluate((element) => { const box = element as HTMLTextAreaElement; return box.value.slice(box.selectionStart, box.selectionEnd); });
  assert.equal(chosen, "nme");
  await watched.checkAxe("an error in SQL");
  await watched.screenshot("sql-error-ja");
  await watched.close();
});
