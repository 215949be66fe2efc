// Tests report.html: one file, no server, no network, the same numbers.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { visible } from "../src/report/format";
import { openBrowser, Watched } from "./browser";
import { answerOf, comparisonOf, makeJob, removeJob, stepscope, type Job } from "./job";
import { checkReport } from "./numbers";

const kMost = 5e6;  // bytes

let job: Job;
let browser: Browser;
let file = "";

before(async () => {
  job = makeJob();
  file = join(job.folder, "report.html");
  stepscope("report", job.after, "-o", file);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  if (job) removeJob(job);
});

test("shows what analyze says, on every page, from a file alone", async () => {
  const watched = await Watched.open(browser, pathToFileURL(file).href);
  await watched.page.waitForSelector(".tiles");
  const run = /#\/run\/([^/?]+)/.exec(await watched.page.evaluate(() => location.hash))?.[1] ?? "";
  for (const report of answerOf(job.after).reports) {
    await watched.go(`#/run/${run}/report/${report.analysis}`);
    await checkReport(watched, report);
  }
  await watched.go(`#/run/${run}`);
  await watched.checkAxe("a report.html");
  await watched.screenshot("report-html");
  await watched.go(`#/run/${run}/timeline`);
  await watched.page.waitForSelector("main canvas");
  await watched.page.waitForTimeout(1000);
  await watched.checkAxe("its timeline");
  await watched.screenshot("report-html-timeline");
  await watched.close();
});

test("says which names are pseudonyms, in print too, and nothing where they are none", async () => {
  const kept = join(job.folder, "kept.html");
  stepscope("report", job.after, "-o", kept, "--no-redact");
  const watched = await Watched.open(browser, pathToFileURL(file).href), { page } = watched;
  await page.waitForSelector(".tiles");
  assert.match(await watched.text("main .pseudonyms"), /^Pseudonyms stand for (names of hosts, )?paths\. To keep these: stepscope report --no-redact$/);
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator("main .pseudonyms").isVisible());
  await page.emulateMedia({ media: "screen" });
  await watched.go(`${(await page.evaluate(() => location.hash)).replace(/\?.*/, "")}/timeline`);
  await page.waitForSelector("main canvas");
  assert.match(await watched.text("main .pseudonyms"), /^Pseudonyms stand for /);
  assert.ok(await page.locator("main .pseudonyms").isVisible(), "on the timeline, too");
  await watched.checkFits("the timeline with pseudonyms");
  await page.waitForFunction(() => document.querySelector(".timeline")!.getBoundingClientRect().bottom + scrollY <= innerHeight + 1);
  await watched.screenshot("report-html-timeline-pseudonyms");
  await page.goto(pathToFileURL(kept).href);
  await page.waitForSelector(".tiles");
  assert.equal(await page.locator(".pseudonyms").count(), 0);
  await watched.close();
});

test("its timeline finds events by name, and links of rows select theirs, without a server", async () => {
  const watched = await Watched.open(browser, pathToFileURL(file).href), { page } = watched;
  await page.waitForSelector(".tiles");
  const run = /#\/run\/([^/?]+)/.exec(await page.evaluate(() => location.hash))?.[1] ?? "";
  await watched.go(`#/run/${run}/timeline`);
  await page.waitForSelector(".tl-rank, .tl-head");
  await page.fill("#timeline-search", "allreduce");
  await page.waitForFunction(() => /found$/.test(document.querySelector("#timeline-found")?.textContent ?? ""));
  const total = Number.parseInt((await watched.text("#timeline-found")).replace(/\D/g, ""), 10);
  assert.ok(total > 20, `${total} events`);
  await page.locator("#timeline-search").press("Enter");
  await page.waitForSelector(".tl-details h2");
  assert.match(await watched.text(".tl-details h2"), /allreduce/i);
  await page.waitForFunction(() => /^1 of /.test(document.querySelector("#timeline-found")?.textContent ?? ""));
  await page.locator("#timeline-search").press("Enter");
  await page.waitForFunction(() => /^2 of /.test(document.querySelector("#timeline-found")?.textContent ?? ""));
  await page.locator(".tl-regex").click();
  await page.fill("#timeline-search", "all(reduce");
  await page.waitForSelector("#timeline-found.tl-wrong");
  assert.match(await watched.text(".tl-tools"), /This file has/);
  await watched.checkAxe("a search in a file");
  await watched.screenshot("report-html-search");
  await watched.go(`#/run/${run}/report/kernel_breakdown`);
  const name = (await page.locator("#table-top tbody tr").first().locator("a.in-timeline").getAttribute("title"))!;
  await page.locator("#table-top tbody tr").first().locator("a.in-timeline").click();
  await page.waitForSelector(".tl-details h2");
  assert.ok(name.includes((await watched.text(".tl-details h2")).slice(0, 40)), name);
  await watched.close();
});

test("of a job of eight ranks stays below 5 MB", () => {
  const [folder, large] = [join(job.folder, "eight"), join(job.folder, "eight.html")];
  stepscope("demo", folder, "--ranks", "8", "--steps", "6");
  stepscope("report", folder, "-o", large);
  assert.ok(statSync(large).size < kMost, `${statSync(large).size} bytes`);
});

test("with two runs compares them as compare does, and says which is which", async () => {
  const two = join(job.folder, "two.html"), answer = comparisonOf(job.before, job.after);
  stepscope("report", job.before, job.after, "-o", two, "--no-redact");
  const watched = await Watched.open(browser, pathToFileURL(two).href);
  const { page } = watched;
  await page.waitForSelector(".tiles");
  await page.getByRole("link", { name: "Comparison", exact: true }).press("Enter");
  await page.waitForSelector(".pairs a");
  assert.equal(await page.locator(".pairs a").count(), 1);
  await watched.checkAxe("the choice of what to compare");
  await page.locator(".pairs a").press("Enter");
  await page.waitForSelector(".who");
  assert.equal(await watched.text(".who b"), "before → after");
  assert.equal((await page.locator(".compare-head .verdict, .compare-head .verdict-rest").allTextContents()).join(" "), visible(answer.verdict));
  const [path, query] = (await page.evaluate(() => location.hash)).split("?") as [string, string];
  for (const report of answer.reports) {
    await watched.go(`${path}/${report.analysis}?${query}`);
    await checkReport(watched, report);
  }
  assert.ok(answer.reports.some(({ analysis }) => analysis === "stragglers") && answer.reports.some(({ analysis }) => analysis === "collectives"));
  await watched.screenshot("report-html-compare");
  await watched.go(`${path}/kernel_breakdown?${query}`);
  await page.locator("main a.in-timeline").first().press("Enter");
  await page.waitForFunction(() => /^after and before on one axis/.test(document.querySelector(".tl-tools > p.faint")?.textContent ?? ""));
  const runs = await page.locator(".tl-rank .tl-name").allTextContents();
  assert.deepEqual([...new Set(runs.map((name) => name.split(":")[0]))], ["after", "before"]);
  await watched.checkAxe("two runs on one axis in a file");
  await watched.close();
});
