// Tests the page of a reduced run: it offers the trace of a rank, opens it as a run of its own, says why where it cannot, and closes it.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { serve, stepscope, type Server } from "./job";

const kRanks = 70;  // so many that the heat map offers cells
let folder: string, job: string;
let server: Server;
let browser: Browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-rank-"));
  job = join(folder, "job");
  stepscope("demo", job, "--ranks", String(kRanks), "--steps", "2", "--light", "--slow-rank", "5");
  stepscope("map", job, "--shard", "0/1", "-o", join(folder, "part"));
  appendFileSync(join(job, "rank-7.pt.trace.json.gz"), "changed");
  server = await serve(join(folder, "part"));
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function openRank(rank: number, looks = {}): Promise<{ watched: Watched; run: string }> {
  const watched = await Watched.open(browser, server.url, looks);
  await watched.page.waitForSelector(".tiles");
  const run = /#\/run\/([^/?]+)/.exec(await watched.page.evaluate(() => location.hash))?.[1] ?? "";
  assert.equal(await watched.page.locator(".rank-bar .open-trace").count(), 0, "not of all ranks");
  await watched.go(`#/run/${run}?ranks=${rank}`);
  await watched.page.waitForSelector(".rank-bar button");
  return { watched, run };
}

test("opens the trace of a rank, and closes it", async () => {
  const { watched, run } = await openRank(5), { page } = watched;
  assert.equal(await page.locator("a[href*='/timeline']").count(), 0, "partials have no timeline");
  await watched.checkAxe("one rank of a reduced run");
  await watched.screenshot("rank-trace-offered");
  await page.getByRole("button", { name: "Open the trace of rank 5" }).click();
  await page.waitForFunction((before) => !location.hash.includes(before), run);
  await page.waitForSelector(".rank-bar");
  assert.match(await watched.text(".rank-bar"), /^The trace of rank 5 of part/);
  await page.waitForSelector(".tiles");
  assert.ok(await page.locator("a[href*='/timeline']").count() > 1, "a trace has one");
  const opened = /#\/run\/([^/?]+)/.exec(await page.evaluate(() => location.hash))?.[1] ?? "";
  await watched.go(`#/run/${opened}/timeline`);
  await page.waitForSelector(".tl-stick canvas");
  await watched.checkAxe("the trace of a rank");
  await watched.screenshot("rank-trace-timeline");
  await page.getByRole("button", { name: "Close", exact: true }).first().click();
  await page.waitForFunction((whole) => location.hash.includes(whole), run);
  await page.waitForFunction((id) => ![...document.querySelectorAll("#choose-run option")].some((option) => (option as HTMLOptionElement).value.includes(id)), opened);
  await watched.close();
});

test("says why a trace is not opened, in Japanese too", async () => {
  const { watched } = await openRank(7, { language: "ja" }), { page } = watched;
  watched.expected = /422/;  // the answer of the server
  await page.getByRole("button", { name: "ランク 7 のトレースを開く" }).click();
  await page.waitForSelector(".rank-bar .problem");
  assert.match(await watched.text(".rank-bar .problem"), /changed after it was mapped[\s\S]*rank-7\.pt\.trace\.json\.gz/);
  await watched.screenshot("rank-trace-changed-ja");
  await watched.close();
});

test("a cell of the heat map offers it", async () => {
  const watched = await Watched.open(browser, server.url), { page } = watched;
  await page.waitForSelector(".tiles");
  const run = /#\/run\/([^/?]+)/.exec(await page.evaluate(() => location.hash))?.[1] ?? "";
  await watched.go(`#/run/${run}/report/breakdown?heat.matrix=own`);
  await page.waitForSelector(".heat canvas");
  await page.locator(".heat canvas").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator(".cell-frame").count(), 1);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".heat-chosen .open-trace button");
  await page.locator(".heat-chosen .open-trace button").click();
  await page.waitForSelector(".rank-bar");
  assert.match(await watched.text(".rank-bar"), /^The trace of rank 0 of part/);
  await watched.close();
});

test("SQL offers examples of reports alone: a reduced run has no events", async () => {
  const watched = await Watched.open(browser, server.url), { page } = watched;
  await page.waitForSelector(".tiles");
  const run = /#\/run\/([^/?]+)/.exec(await page.evaluate(() => location.hash))?.[1] ?? "";
  await watched.go(`#/run/${run}/query`);
  await page.waitForSelector("#query-text");
  const offered = await page.locator(".query-columns select option").allTextContents();
  assert.ok(offered.length > 4 && offered.every((text) => !/from events/.test(text)), offered.join("; "));
  await watched.close();
});

test("a finding about a rank offers its trace, in place of the timeline that partials have not", async () => {
  const watched = await Watched.open(browser, server.url), { page } = watched;
  await page.waitForSelector(".finding .open-trace button");
  assert.equal(await watched.text(".finding .open-trace button"), "Open the trace of rank 5");
  assert.equal(await page.locator(".to-timeline").count(), 0);
  await watched.checkAxe("findings of partials");
  await watched.screenshot("rank-trace-finding");
  await page.locator(".finding .open-trace button").first().click();
  await page.waitForSelector(".rank-bar");
  assert.match(await watched.text(".rank-bar"), /^The trace of rank 5 of part/);
  await watched.close();
});

test("pages say which of the ranks is chosen", async () => {
  const { watched, run } = await openRank(5), { page } = watched;
  assert.match(await page.locator("main").innerText(), new RegExp(`Files: ${kRanks}\\. Ranks: 5 \\(of ${kRanks}\\)\\.`));
  await watched.go(`#/run/${run}/input?ranks=5`);
  assert.match(await watched.text(".headline"), new RegExp(`Files: ${kRanks}\\. Ranks: 5 \\(of ${kRanks}\\)\\.`));
  await watched.close();
});

test("a table says when there are more columns to the right", async () => {
  const watched = await Watched.open(browser, server.url), { page } = watched;
  await page.waitForSelector(".tiles");
  const run = /#\/run\/([^/?]+)/.exec(await page.evaluate(() => location.hash))?.[1] ?? "";
  await page.setViewportSize({ width: 700, height: 900 });
  await watched.go(`#/run/${run}/report/kernel_distribution`);
  await page.waitForSelector("#table-kernels .more-right");
  await watched.checkAxe("a table that is wider than the page");
  await watched.screenshot("rank-trace-wide-table");
  await page.locator("#table-kernels .scroll").evaluate((box) => { box.scrollLeft = box.scrollWidth; });
  await page.waitForFunction(() => !document.querySelector("#table-kernels .more-right"));
  await watched.close();
});
