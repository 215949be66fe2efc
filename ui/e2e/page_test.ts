// Tests every page of synthetic jobs: numbers, keys, both languages and themes, zoom, hostile names.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import type { Report, ReportSet } from "../src/data/report";
import { cellText, visible } from "../src/report/format";
import { mentionsIn } from "../src/report/mentions";
import { openBrowser, Watched, type Looks } from "./browser";
import { answerOf, comparisonOf, goodputOf, kHostileNames, makeJob, removeJob, serve, stepscope, type Job, type Server } from "./job";
import { checkReport } from "./numbers";

let job: Job;
let server: Server;
let browser: Browser;
let ids: Record<"before" | "after" | "hostile", string>;
let ledger = "";

const open = (looks: Looks = {}) => Watched.open(browser, server.url, looks);
const mine = (): ReportSet => answerOf(job.after);

async function readIds(): Promise<void> {
  const watched = await open();
  ids = await watched.readRuns({ before: job.before, after: job.after, hostile: job.hostile });
  ledger = (await watched.state()).ledgers[0]!.id;
  await watched.close();
}

before(async () => {
  job = makeJob();
  server = await serve(job.after, job.before, job.hostile, job.ledger);
  browser = await openBrowser();
  await readIds();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (job) removeJob(job);
});

describe("numbers", () => {
  test("every page of a run shows what analyze says", async () => {
    const watched = await open();
    for (const report of mine().reports) {
      await watched.go(`#/run/${ids.after}/report/${report.analysis}`);
      await checkReport(watched, report);
      await watched.checkFits(report.analysis);
    }
    await watched.close();
  });

  test("the first screen shows the verdict, the metrics and the finding with the largest savings", async () => {
    const answer = mine();
    const watched = await open();
    await watched.go(`#/run/${ids.after}`);
    assert.equal(await watched.verdict(), visible(answer.verdict));
    const tiles = await watched.page.locator(".tile-value").evaluateAll((all) => all.map((one) => [one.getAttribute("data-metric") ?? "", one.textContent ?? ""] as const));
    assert.ok(tiles.length >= 5, `only ${tiles.length} tiles`);
    for (const [name, text] of tiles.filter(([one]) => !one.startsWith("goodput."))) {
      const [analysis, key] = name.split(".");
      const metric = answer.reports.find((report) => report.analysis === analysis)?.metrics.find((one) => one.key === key);
      assert.equal(text, cellText(metric?.value, metric?.unit ?? ""), name);
    }
    assert.match(await watched.text(".tile .trend .faint"), /^per step: \S/);
    const findings = answer.reports.flatMap((report) => report.findings).sort((a, b) => a.place - b.place || b.impact - a.impact);
    assert.equal(await watched.text(".top-findings .message"), visible(findings[0]!.message));
    await watched.page.waitForSelector(".canvas-grid canvas");
    await watched.screenshot("home");
    await watched.close();
  });

  test("a finding leads to the table that shows it", async () => {
    const answer = mine();
    const all = answer.reports.flatMap((report) => report.findings.map((finding) => ({ finding, report })));
    for (const { finding, report } of all) assert.ok(report.tables.some((table) => table.key === finding.table && table.rows.length > 0), finding.message);
    const { finding, report } = all.find(({ finding, report }) => finding.table !== report.tables[0]!.key) ?? all[0]!;
    const watched = await open();
    await watched.go(`#/run/${ids.after}`);
    const more = watched.page.locator(".top-findings > button");
    if ((await more.count()) > 0) await more.click();
    await watched.page.locator(".top-findings li", { hasText: visible(finding.message) }).locator(".foot a:not(.to-timeline)").click();
    await watched.page.waitForFunction((heading) => document.querySelector("main h1")?.textContent === heading, visible(report.title));
    assert.match(await watched.page.evaluate(() => location.hash), new RegExp(`/report/${report.analysis}\\?at=table-${finding.table}$`));
    const box = await watched.page.locator(`#table-${finding.table}`).boundingBox();
    assert.ok(box && box.y > -2 && box.y < 900, `${report.analysis}.${finding.table} is at ${box?.y}`);
    await watched.close();
  });

  test("an analysis that a text names is a link, called as its page", async () => {
    const { reports } = mine(), mentions = reports.flatMap((report) => report.findings.flatMap(({ message, because, try: what }) => [message, because, what].flatMap((text) => mentionsIn(text, reports)).map((part) => ({ report, part }))));
    const { report, part } = mentions.find(({ part }) => typeof part !== "string") as { report: Report; part: Report };
    const watched = await open();
    await watched.go(`#/run/${ids.after}/report/${report.analysis}`);
    await watched.page.locator(".finding a", { hasText: visible(part.title) }).first().click();
    await watched.page.waitForFunction((heading) => document.querySelector("main h1")?.textContent === heading, visible(part.title));
    await watched.close();
  });

  test("other steps give other numbers, and the same URL the same page", async () => {
    const watched = await open();
    await watched.go(`#/run/${ids.after}/report/temporal_breakdown`);
    await watched.page.fill("#choose-steps", "4..5");
    await watched.page.press("#choose-steps", "Enter");
    await watched.page.waitForFunction(() => location.hash.includes("steps=4..5"));
    const report = answerOf(job.after, "--steps", "4..5").reports.find((one) => one.analysis === "temporal_breakdown")!;
    await watched.page.waitForFunction((headline) => document.querySelector(".headline")?.textContent === headline, visible(report.headline));
    await checkReport(watched, report);
    await watched.page.reload();
    await watched.page.waitForSelector("main h1");
    await checkReport(watched, report);
    await watched.close();
  });

  test("ranks can be left out, on every page alike", async () => {
    const watched = await open();
    await watched.go(`#/run/${ids.after}/report/temporal_breakdown?ranks=0,2`);
    await watched.page.waitForFunction(() => document.querySelectorAll("#table-ranks tbody tr").length === 2);
    await checkReport(watched, answerOf(job.after, "--ranks", "0,2").reports.find((one) => one.analysis === "temporal_breakdown")!);
    assert.match(await watched.page.locator('nav a[href*="/report/comm_overlap"]').getAttribute("href") ?? "", /ranks=0,2/);
    await watched.close();
  });

  test("a comparison shows what compare says", async () => {
    const answer = comparisonOf(job.before, job.after);
    const watched = await open();
    for (const report of answer.reports) {
      await watched.go(`#/run/${ids.after}/compare/${report.analysis}?with=${ids.before}`);
      await checkReport(watched, report);
    }
    await watched.go(`#/run/${ids.after}/compare?with=${ids.before}`);
    assert.equal((await watched.page.locator(".compare-head .verdict, .compare-head .verdict-rest").allTextContents()).join(" "), visible(answer.verdict));
    assert.ok(visible(answer.verdict).startsWith(`${await watched.text(".compare-head .verdict")} `), "the heading is the first sentence");
    await watched.screenshot("compare");
    await watched.checkAxe("the comparison");
    const height = await watched.page.evaluate(() => document.scrollingElement!.scrollHeight);
    assert.ok(height < 4000, `${height} px: long tables are behind their pictures`);
    await watched.close();
  });

  test("a ledger shows what goodput analyze says", async () => {
    const answer = goodputOf(job.ledger);
    const watched = await open();
    await watched.go(`#/ledger/${ledger}`);
    assert.equal(await watched.text(".verdict"), visible(answer.verdict));
    await checkReport(watched, answer.reports[0]!);
    assert.equal(await watched.text("dd[data-metric='start']"), "2026-05-28 20:26:40 UTC");
    assert.ok(stepscope("goodput", "analyze", "--store", job.ledger).includes("2026-05-28 20:26:40 UTC"), "as the CLI says it");
    const tables = new Map(answer.reports[0]!.tables.map((table) => [table.key, table]));
    const segments = tables.get("segments")!, buckets = tables.get("buckets")!;
    const messageOf = (name: string) => {
      const [bucket, message] = ["bucket", "meaning"].map((key) => buckets.columns.findIndex((column) => column.key === key)) as [number, number];
      return visible(String(buckets.rows.find((row) => row[bucket] === name)![message]));
    };
    const drawn = await watched.page.locator(".job-line .part").evaluateAll((all) => all.map((one) => ({ message: one.getAttribute("title") ?? "", wide: one.getBoundingClientRect().width })));
    assert.equal(drawn.length, segments.rows.length);
    assert.match(drawn[0]!.message, /^attempt 1, /);
    assert.ok(drawn.at(-1)!.message.startsWith(`attempt 2, ${messageOf("PRODUCTIVE")}: `), drawn.at(-1)!.message);
    const wide = drawn.reduce((sum, one) => sum + one.wide, 0);
    const line = (await watched.page.locator(".job-line").boundingBox())!.width;
    assert.ok(Math.abs(wide - line) < 4, `stretches of ${wide} px on a line of ${line} px`);
    assert.ok((await watched.page.locator(".job .legend li").allTextContents()).some((text) => text.includes(messageOf("WASTED_PROGRESS_FROM_DISRUPTION"))));
    await watched.go(`#/run/${ids.after}`);
    await watched.page.waitForSelector(".goodput-source");
    assert.match(await watched.text(".goodput-source"), /^Goodput is not shown: no job ran when/);
    assert.equal(await watched.page.locator("[data-metric='goodput.goodput_ratio']").count(), 0);
    await watched.go(`#/ledger/${ledger}/goodput_jobs`);
    assert.equal(await watched.text("#table-jobs tbody th"), "e2e");
    await watched.go(`#/ledger/${ledger}`);
    await watched.checkAxe("a ledger");
    await watched.screenshot("goodput");
    await watched.close();
  });
});

// A long reading takes 20 s before the server says so; here it says so at once.
test("a run that is still being read is asked for again, and nothing complains", async () => {
  const watched = await open();
  let told = 0;
  await watched.page.route("**/api/runs/*/answer*", (route) => {
    if (++told > 2) return route.continue();
    return route.fulfill({ status: 202, contentType: "application/json", headers: { "Retry-After": "1" }, body: `{"pending": {"what": "this run is still being read", "where": "", "hint": ""}}` });
  });
  await watched.go(`#/run/${ids.after}?steps=complete`);
  await watched.page.waitForSelector(".tiles");
  assert.equal(await watched.verdict(), visible(answerOf(job.after, "--steps", "complete").verdict));
  assert.ok(told > 2);
  await watched.close();
});

test("all of the page is less than 250 KB on its way", async () => {
  const watched = await open();
  const bytes = await watched.page.evaluate(() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter((one) => !one.name.includes("/api/"))
    .reduce((sum, one) => sum + (one as PerformanceResourceTiming).encodedBodySize, 0));
  assert.ok(bytes > 10_000 && bytes < 250_000, `${bytes} bytes`);
  await watched.close();
});

describe("tables", () => {
  test("sort, filter, turn pages, and keep it in the URL", async () => {
    const watched = await open();
    await watched.go(`#/run/${ids.after}/report/kernel_breakdown`);
    const table = "#table-kernels";
    await watched.page.click(`${table} thead button[title^="mean"]`);
    assert.match(await watched.page.evaluate(() => location.hash), /sort\.kernels=-mean/);
    assert.equal(await watched.page.locator(`${table} th[aria-sort="descending"]`).count(), 1);
    const numbers = () => watched.page.locator(`${table} tbody tr td:nth-child(6)`).evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute("data-value"))));
    const down = await numbers();
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    await watched.page.fill(`${table} input[type=search]`, "allreduce");
    await watched.page.waitForFunction((id) => [...document.querySelectorAll(`${id} tbody tr`)].every((row) => /allreduce/i.test(row.textContent ?? "")), table);
    await watched.page.reload();
    await watched.page.waitForSelector(`${table} tbody tr`);
    assert.equal(await watched.page.locator(`${table} input[type=search]`).inputValue(), "allreduce");
    await watched.page.fill(`${table} input[type=search]`, "");
    await watched.page.click(`${table} .pager button[aria-label="Next page"]`);
    assert.match(await watched.page.evaluate(() => location.hash), /page\.kernels=2/);
    await watched.close();
  });

  test("are saved as CSV with exact values", async () => {
    const watched = await open();
    await watched.go(`#/run/${ids.after}/report/temporal_breakdown`);
    const [download] = await Promise.all([watched.page.waitForEvent("download"), watched.page.click("#table-ranks .save")]);
    assert.equal(download.suggestedFilename(), "temporal_breakdown.ranks.csv");
    const { readFileSync } = await import("node:fs");
    const csv = readFileSync(await download.path(), "utf8").split("\r\n");
    const table = mine().reports.find((report) => report.analysis === "temporal_breakdown")!.tables[0]!;
    assert.equal(csv[0], table.columns.map(({ title, unit }) => (unit ? `${title} [${unit}]` : title)).map((one) => (one.includes(",") ? `"${one}"` : one)).join(","));
    assert.equal(csv[1], table.rows[0]!.join(","));
    await watched.close();
  });
});

describe("everybody", () => {
  for (const looks of [{ theme: "light", language: "en" }, { theme: "dark", language: "ja" }] as const) {
    test(`axe-core finds nothing on any page, ${looks.theme}, ${looks.language}`, async () => {
      const watched = await open(looks);
      assert.equal(await watched.page.getAttribute("html", "lang"), looks.language);
      const reports = mine().reports.map(({ analysis }) => `report/${analysis}`);
      for (const page of ["", "input", "compare", ...reports]) {
        await watched.go(`#/run/${ids.after}/${page}`.replace(/\/$/, ""));
        await watched.checkAxe(page || "the first screen");
      }
      await watched.go(`#/run/${ids.after}`);
      await watched.screenshot(`home-${looks.theme}-${looks.language}`);
      await watched.close();
    });
  }

  test("at 200% nothing needs scrolling sideways", async () => {
    const watched = await open({ zoomed: true });
    for (const page of ["", "/input", "/report/kernel_breakdown", "/report/overview", "/report/memory_timeline", "/compare"]) {
      await watched.go(`#/run/${ids.after}${page}`);
      await watched.checkFits(page || "the first screen");
    }
    await watched.go(`#/run/${ids.after}`);
    await watched.screenshot("home-200-percent");
    await watched.checkAxe("the first screen at 200%");
    await watched.close();
  });

  test("the first Tab reaches the skip link, which leads to the content", async () => {
    const watched = await open();
    const hash = await watched.page.evaluate(() => location.hash);
    await watched.page.keyboard.press("Tab");
    assert.equal(await watched.page.evaluate(() => document.activeElement?.className), "skip");
    await watched.page.keyboard.press("Enter");
    assert.equal(await watched.page.evaluate(() => document.activeElement?.id), "content");
    assert.equal(await watched.page.evaluate(() => location.hash), hash);
    await watched.close();
  });

  test("the language and the theme are chosen in the header and kept", async () => {
    const watched = await open();
    await watched.page.selectOption("#choose-language", "ja");
    await watched.page.waitForFunction(() => document.documentElement.lang === "ja" && document.body.textContent?.includes("概要"));
    assert.equal(await watched.text(".heat figcaption"), "ランク × ステップ");
    assert.match(await watched.text(".home > p.faint"), /ステップ: すべて。/);
    await watched.page.selectOption("#choose-theme", "dark");
    assert.equal(await watched.page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
    await watched.page.reload();
    await watched.page.waitForSelector("main h1");
    assert.deepEqual(await watched.page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset["theme"]]), ["ja", "dark"]);
    await watched.close();
  });
});

describe("strangers' text", () => {
  test("names that would be markup are text, on every page", async () => {
    const answer = answerOf(job.hostile);
    const watched = await open();
    const scripts = await watched.page.locator("script, img").count();
    for (const report of answer.reports) {
      await watched.go(`#/run/${ids.hostile}/report/${report.analysis}`);
      await checkReport(watched, report);
      assert.equal(await watched.page.locator("script, img").count(), scripts, report.analysis);
    }
    await watched.go(`#/run/${ids.hostile}/report/kernel_breakdown`);
    const cells = await watched.page.locator("#table-top tbody td").allTextContents();
    for (const name of kHostileNames) assert.ok(cells.includes(visible(name)), `${name} is not among ${cells.join(", ")}`);
    await watched.screenshot("hostile");
    await watched.close();
  });

  test("a hash of no meaning, and steps of none, say what, where and what to try", async () => {
    const watched = await open();
    watched.expected = /status of 4\d\d/;
    await watched.page.evaluate(() => { location.hash = "#/run/<img src=x onerror=alert(1)>/report/%3Cscript%3E"; });
    await watched.page.waitForSelector(".problem");
    await watched.page.evaluate((id) => { location.hash = `#/run/${id}?steps=banana`; }, ids.after);
    await watched.page.waitForFunction(() => /banana/.test(document.querySelector(".problem")?.textContent ?? ""));
    assert.ok((await watched.page.locator(".problem dd").count()) >= 2);
    await watched.close();
  });
});
