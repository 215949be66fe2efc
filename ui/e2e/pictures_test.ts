// Tests pictures of kernels, launches, queues, sequences, input and memory against `analyze`; how names are shortened; what is
// saved as PNG, SVG and CSV; the page on paper.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Report, ReportSet, Table } from "../src/data/report";
import { shortName } from "../src/data/short_names";
import { cellText, humanCount, humanNumber, visible } from "../src/report/format";
import { openBrowser, Watched, type Looks } from "./browser";
import { answerOf, serve, stepscope, type Server } from "./job";

let folder: string;
let server: Server;
let browser: Browser;
let ids: { readonly job: string; readonly memory: string };
let answer: ReportSet;

const reportOf = (analysis: string, of: ReportSet = answer): Report => of.reports.find((report) => report.analysis === analysis)!;
const tableOf = (analysis: string, key: string, of: ReportSet = answer): Table => reportOf(analysis, of).tables.find((table) => table.key === key)!;
const cells = (table: Table, key: string) => table.rows.map((row) => row[table.columns.findIndex((column) => column.key === key)] ?? null);

// Memory alone: parameters, then an activation that comes and goes.
function writeMemory(path: string): void {
  mkdirSync(path);
  const changes = [[-1, 1, 100_000, 0], [10, 2, 200_000, 4], [20, 2, 300_000, 6], [30, 2, 10_000, 5], [40, 4, -300_000, 6], [50, 4, -200_000, 4]];
  writeFileSync(join(path, "rank0.raw.json"), JSON.stringify(changes));
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-pictures-"));
  const [job, memory] = [join(folder, "job"), join(folder, "memory")];
  stepscope("demo", job, "--steps", "4");
  writeMemory(memory);
  answer = answerOf(job);
  server = await serve(job, memory);
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  const { runs } = await watched.state();
  ids = { job: runs.find(({ path }) => path.endsWith("/job"))!.id, memory: runs.find(({ path }) => path.endsWith("/memory"))!.id };
  await watched.go(`#/run/${ids.job}`);
  await watched.page.waitForSelector(".tiles");
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const open = (hash: string, selector: string, looks: Looks = {}) => Watched.at(browser, server.url, hash, selector, looks);

const openReport = (analysis: string, selector: string, looks: Looks = {}) => open(`#/run/${ids.job}/report/${analysis}`, selector, looks);

async function saved(page: Page, selector: string, form: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(selector).first().getByRole("button", { name: form }).press("Enter")]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

const kLooks: readonly Looks[] = [{ language: "en", theme: "light" }, { language: "ja", theme: "dark" }];

describe("names", () => {
  test("are as the answer shortens them, in full for the pointer, and found by either", async () => {
    const full = Object.keys(answer.short_names ?? {}).find((name) => name.startsWith("void at::native::") && cells(tableOf("kernel_breakdown", "top"), "name").includes(name))!;
    assert.ok(full && !shortName(full).includes("void "), full);
    const watched = await openReport("kernel_breakdown", "#table-top tbody tr");
    const row = watched.page.locator("#table-top tbody tr", { hasText: visible(shortName(full)) }).first();
    assert.equal(await row.locator(`td[title="${full.replaceAll('"', '\\"')}"]`).count(), 1);
    assert.ok(!(await watched.text("#table-top tbody")).includes("void at::native::"));
    for (const word of [full.slice(0, 40), shortName(full).slice(0, 30)]) {
      await watched.page.fill("#table-top input[type=search]", word);
      await watched.page.waitForFunction(() => document.querySelectorAll("#table-top tbody tr").length < 20);
      assert.equal(await row.count(), 1, word);
    }
    await watched.close();
  });
});

describe("launch histograms", () => {
  for (const looks of kLooks) {
    test(`have a bar of some width for each bucket of the series, ${looks.language}, ${looks.theme}`, async () => {
      const watched = await openReport("launch_stats", ".tl-histogram", looks);
      const series = reportOf("launch_stats").series;
      assert.ok(series.length > 0);
      for (const [at, { points }] of series.entries()) {
        const bars = watched.page.locator(".tl-histogram").nth(at).locator(".tl-bar");
        assert.equal(await bars.count(), points.length - 1);
        for (const [which, [from, count]] of points.slice(0, -1).entries()) {
          const bar = bars.nth(which), says = (await bar.getAttribute("aria-label")) ?? "";
          assert.ok(says.startsWith(humanNumber(from!, "ns")) && says.includes(humanCount(count!)), says);
          const box = await bar.locator("span").boundingBox();
          assert.equal((box?.height ?? 0) > 0, count! > 0, says);
          assert.ok(box!.width >= 2, says);
        }
      }
      await watched.page.locator(".tl-bar").first().focus();
      await watched.page.keyboard.press("End");
      assert.ok(await watched.page.evaluate(() => document.activeElement === document.querySelector(".tl-bars")?.lastElementChild));
      await watched.checkAxe("launch histograms");
      await watched.screenshot(`launch-histograms-${looks.theme}`);
      await watched.close();
    });
  }
});

describe("pictures of kernels", () => {
  test("the top of a rank and kind are the longest of its rows", async () => {
    const watched = await openReport("kernel_breakdown", ".top-choices"), table = tableOf("kernel_breakdown", "kernels");
    await watched.page.locator(".top-choices select").nth(0).selectOption("1");
    await watched.page.locator(".top-choices select").nth(1).selectOption("compute");
    const [ranks, kinds, sums] = ["rank", "kind", "sum"].map((key) => cells(table, key)) as [unknown[], unknown[], number[]];
    const longest = sums.filter((sum, at) => ranks[at] === 1 && kinds[at] === "compute" && sum > 0).sort((a, b) => b - a).slice(0, 12);
    const figure = watched.page.locator(".top-choices + figure");
    assert.deepEqual(await figure.locator(".bar-value").allTextContents(), longest.map((sum) => humanNumber(sum, "ns")));
    assert.match(await watched.page.evaluate(() => location.hash), /top\.kind=compute&top\.rank=1/);
    await watched.close();
  });

  test("sequences are boxes in order, with how often each comes in a row", async () => {
    const watched = await openReport("kernel_sequences", ".sequence"), table = tableOf("kernel_sequences", "sequences");
    const names = String(cells(table, "sequence")[0]).split(" | ");
    const told = await watched.page.locator(".sequence").first().locator("li:not(.more)").evaluateAll((all) =>
      all.flatMap((one) => Array.from({ length: Number(/×(\d+)$/.exec(one.textContent ?? "")?.[1] ?? 1) }, () => one.getAttribute("title"))));
    assert.deepEqual(told, names.slice(0, told.length).map(visible));
    await watched.checkAxe("sequences");
    await watched.screenshot("sequences");
    await watched.close();
  });

  test("the queue is that of the stream that the sentence names", async () => {
    const watched = await openReport("queue_length", ".queue .plot");
    const stream = /stream (\(([^)]*)\)|(.*?)) is/.exec(reportOf("queue_length").headline);
    const named = /busiest stream \((.*)\) is/.exec(reportOf("queue_length").headline)?.[1] ?? stream?.[0] ?? "";
    assert.ok((await watched.text(".queue figcaption")).endsWith(named), named);
    assert.equal(await watched.page.locator(".queue .u-legend .u-series").count(), 3, "time and two curves");
    await watched.checkAxe("the queue");
    await watched.close();
  });
});

describe("the input of each step", () => {
  for (const looks of kLooks) {
    test(`is stacked by the device's parts and by the host's, ${looks.language}, ${looks.theme}`, async () => {
      const watched = await openReport("input_pipeline", "figure.columns canvas", looks);
      const table = tableOf("input_pipeline", "steps"), [steps, device, input] = ["step", "device", "input"].map((key) => cells(table, key));
      const figure = watched.page.locator("figure.columns").first();
      await figure.locator("canvas").focus();
      await watched.page.keyboard.press("End");
      await watched.page.keyboard.press("Home");
      const says = (await figure.locator(".readout").textContent()) ?? "";
      for (const value of [device![0], input![0]]) assert.ok(says.includes(cellText(value!, "ns")), says);
      assert.ok(says.includes(String(steps![0])), says);
      const times = table.rows.map((row) => ["device", "input", "others"].reduce((sum, key) => sum + Number(row[table.columns.findIndex((column) => column.key === key)]), 0));
      assert.ok(times.every((time) => time > 0));
      assert.equal(await watched.page.locator("figure.columns").count(), reportOf("input_pipeline").tables.filter(({ key }) => /steps$/.test(key)).length);
      await watched.checkAxe("the input of each step");
      await watched.close();
    });
  }
});

describe("memory by use", () => {
  for (const looks of kLooks) {
    test(`is one area above another, read with the arrow keys, and on the first screen, ${looks.language}, ${looks.theme}`, async () => {
      const uses = answerOf(join(folder, "memory")), table = tableOf("memory_timeline", "uses", uses);
      const watched = await open(`#/run/${ids.memory}`, ".area-box path", looks);
      assert.deepEqual(await watched.page.locator(".area-box path").evaluateAll((all) => all.map((one) => one.getAttribute("data-use"))), cells(table, "use"));
      await watched.page.locator(".area-box").focus();
      await watched.page.keyboard.press("End");
      const says = await watched.text(".uses .readout");
      for (const [at, last] of cells(table, "last").entries()) assert.ok(says.includes(`${looks.language === "en" ? cells(table, "use")[at] : ""} ${humanNumber(Number(last), "bytes")}`), says);
      // The highest of all layers fills the box: the peak of the table.
      const top = await watched.page.locator(".area-y span").first().textContent();
      assert.equal(top, humanNumber(cells(table, "at_peak").reduce<number>((sum, value) => sum + Number(value), 0), "bytes"));
      await watched.checkAxe("memory by use");
      await watched.screenshot(`memory-by-use-${looks.theme}`);
      await watched.close();
    });
  }
});

describe("what is saved", () => {
  test("is SVG with the picture's texts, PNG, and CSV with units", async () => {
    const watched = await openReport("kernel_breakdown", ".exported"), { page } = watched;
    const bars = '.exported:has(figure.bars)';
    const svg = await saved(page, bars, "SVG"), text = svg.bytes.toString("utf8");
    assert.equal(svg.name, "kernel_breakdown.top.picture.svg");
    const sums = cells(tableOf("kernel_breakdown", "top"), "sum").slice(0, 20) as number[];
    const drawn = await page.evaluate((source) => {
      const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
      return { wrong: parsed.querySelector("parsererror")?.textContent ?? "", texts: [...parsed.querySelectorAll("text")].map((one) => one.textContent), rects: parsed.querySelectorAll("rect").length };
    }, text);
    assert.equal(drawn.wrong, "");
    for (const sum of sums) assert.ok(drawn.texts.includes(humanNumber(sum, "ns")), humanNumber(sum, "ns"));
    assert.ok(drawn.rects > sums.length);
    assert.ok(!/<foreignObject|<script|href="http/.test(text));
    const png = await saved(page, bars, "PNG");
    assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(png.bytes.readUInt32BE(16) > 1000 && png.bytes.length > 10_000);
    const csv = (await saved(page, bars, "CSV")).bytes.toString("utf8").split("\r\n"), table = tableOf("kernel_breakdown", "top");
    assert.equal(csv[0], table.columns.map(({ title, unit }) => (unit ? `${title} [${unit}]` : title)).join(","));
    assert.equal(csv.length, table.rows.length + 2);
    const section = await saved(page, "#table-kinds", "SVG");
    assert.equal(section.name, "kernel_breakdown.kinds.svg");
    assert.ok(section.bytes.toString("utf8").includes(humanNumber(Number(cells(tableOf("kernel_breakdown", "kinds"), "time")[0]), "ns")));
    await watched.close();
  });

  test("every picture of every page can be drawn", async () => {
    const watched = await open(`#/run/${ids.job}`, ".exported");
    let count = 0;
    for (const page of ["", ...answer.reports.map(({ analysis }) => `/report/${analysis}`)]) {
      await watched.go(`#/run/${ids.job}${page}`);
      const pictures = watched.page.locator(".exported > .exports:not(:first-child)");
      for (let at = 0; at < (await pictures.count()); ++at, ++count) {
        const [download] = await Promise.all([watched.page.waitForEvent("download"), pictures.nth(at).getByRole("button", { name: "PNG" }).click()]);
        const bytes = readFileSync(await download.path());
        assert.ok(bytes.readUInt32BE(16) > 100 && bytes.length > 1000, `${page} ${at}`);
      }
    }
    assert.ok(count > 30, String(count));
    await watched.close();
  });
});

test("on paper there is the report alone, black on white", async () => {
  const watched = await openReport("kernel_breakdown", "figure.bars", { theme: "dark" });
  await watched.page.emulateMedia({ media: "print", colorScheme: "dark" });
  await watched.page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)");
  for (const selector of ["header", "nav#navigation", ".exports", ".save", ".pager"]) assert.equal(await watched.page.locator(`${selector}:visible`).count(), 0, selector);
  const hidden = await watched.page.evaluate(() => [...document.querySelectorAll(".scroll")].filter((one) => one.scrollHeight > one.clientHeight + 1).length);
  assert.equal(hidden, 0, "tables are printed whole");
  await watched.page.emulateMedia({ media: "screen", colorScheme: "dark" });
  await watched.page.waitForFunction(() => getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)");
  await watched.close();
});
