// Tests the page of `whatif`: changes are selected, replayed together as `analyze` replays them, and kept in the URL.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { Cell, Report } from "../src/data/report";
import { parseExact } from "../src/data/exact";
import { changesOf } from "../src/views/changes";
import { openBrowser, Watched, type Looks } from "./browser";
import { answerOf, serve, stepscope, type Server } from "./job";
import { checkReport } from "./numbers";

let folder: string;
let server: Server;
let browser: Browser;
let run: string;

const report = (...options: string[]): Report => answerOf(join(folder, "job"), "--only", "whatif", ...options).reports[0]!;
const changes = (of: Report, key = "changes") => changesOf(of.tables.find((table) => table.key === key));

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-whatif-"));
  stepscope("demo", join(folder, "job"), "--steps", "5", "--slow-rank", "1", "--slow-factor", "1.6");
  server = await serve(join(folder, "job"));
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  ({ job: run } = await watched.readRuns({ job: join(folder, "job") }));
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function open(set: string, looks: Looks = {}, width = 1440): Promise<Watched> {
  const watched = await Watched.open(browser, server.url, looks);
  await watched.page.setViewportSize({ width, height: 900 });
  await watched.go(`#/run/${run}/report/whatif${set ? `?set=${encodeURIComponent(set)}` : ""}`);
  await watched.page.waitForSelector(".chain-links a");
  return watched;
}

const setIn = (watched: Watched) => watched.page.evaluate(() => decodeURIComponent(/[?&]set=([^&]*)/.exec(location.hash)?.[1] ?? ""));

test("every change has its bar, in proportion, and says what it saves", async () => {
  const answer = report(), all = [...changes(answer), ...changes(answer, "upper_bounds")];
  const watched = await open("");
  await checkReport(watched, answerOf(join(folder, "job")).reports.find(({ analysis }) => analysis === "whatif")!);
  const rows = await watched.page.locator(".change-list > li").evaluateAll((items) => items.map((item) => ({
    words: item.querySelector("p")?.textContent ?? "", widths: [...item.querySelectorAll<HTMLElement>(".part")].map((part) => parseFloat(part.style.width)),
  })));
  assert.deepEqual(rows.map(({ words }) => words), all.map(({ words }) => words));
  const full = Math.max(...all.flatMap((change) => [change.before.number!, change.after.number! + change.error.number!]));
  rows.forEach(({ widths }, at) => {
    const { before, after } = all[at]!;
    assert.ok(Math.abs(widths[0]! + widths[1]! - (100 * Math.max(before.number!, after.number!)) / full) < 1e-3);
    assert.ok(Math.abs(widths[0]! - (100 * Math.min(before.number!, after.number!)) / full) < 1e-3);
  });
  await watched.close();
});

test("selected changes and one's own are replayed together with the keyboard alone, and the URL keeps them", async () => {
  const watched = await open(""), { page } = watched, first = changes(report())[0]!.text;
  await page.locator(".change input").first().focus();
  await page.keyboard.press("Space");
  await page.waitForSelector(".asked .change");
  assert.equal(await setIn(watched), first);
  await page.locator("#own-change").focus();
  await page.keyboard.type("link: x4");
  await page.keyboard.press("Enter");
  const set = `${first}; link: x4`, together = changes(report("-p", `whatif.set=${set}`))[0]!;
  await page.waitForFunction((words) => document.querySelector(".asked p")?.textContent === words, together.words);
  assert.equal(await setIn(watched), set);
  assert.equal(await watched.text(".asked .change"), set);
  await page.reload();
  await page.waitForFunction((words) => document.querySelector(".asked p")?.textContent === words, together.words);
  assert.equal(await page.locator(".change input:checked").count(), 2);
  const own = page.locator("label.change", { hasText: "link: x4" }).locator("input");
  await own.focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => document.querySelectorAll(".change input:checked").length === 1);
  assert.equal(await page.inputValue("#own-change"), "link: x4", "to be mended");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "own-change");
  await watched.close();
});

test("what cannot be read, and what concerns nothing, is said in the server's words", async () => {
  const watched = await open("rank 1: foo");
  watched.expected = /status of 400/;
  watched.complaints.length = 0;  // the browser tells of 400 on its own
  await watched.page.waitForSelector(".asked [role=alert]");
  assert.match(await watched.text(".asked [role=alert]"), /cannot read the change 'rank 1: foo'.*median of ranks/);
  await watched.checkAxe("a change that cannot be read");
  await watched.go(`#/run/${run}/report/whatif?set=${encodeURIComponent("kernel nothing_like_it: x0.5")}`);
  await watched.page.waitForSelector(".asked .status.unavailable");
  assert.match(await watched.text(".asked .status"), /'kernel nothing_like_it: x0\.5' concerns nothing/);
  assert.equal(await watched.page.locator(".asked .change").count(), 0);
  await watched.page.waitForTimeout(100);
  watched.complaints.length = 0;
  await watched.close();
});

test("a link of the chain opens the timeline there, with arrows from link to link", async () => {
  const watched = await Watched.open(browser, server.url), { page } = watched;
  watched.expected = /willReadFrequently/;  // of pixels that are read here
  await page.route("**/answer*", async (route) => {
    const response = await route.fetch(), answer = parseExact(await response.text()) as { reports: { tables: { key: string; rows: Cell[][] }[] }[] };
    for (const { key, rows } of answer.reports.flatMap(({ tables }) => tables)) {
      const [origin, , rank, step, event, , time] = key === "chain" ? rows[0]! : [];
      if (time != null) rows.splice(1, rows.length, [origin!, 1, 0, step!, event!, 198_000, String(BigInt(time) + 700_000n)], [origin!, 2, rank!, step!, event!, 0, String(BigInt(time) + 900_000n)]);
    }
    await route.fulfill({ contentType: "application/json", body: JSON.stringify(answer) });
  });
  await watched.go(`#/run/${run}/report/whatif`);
  await page.reload();  // what was asked before the route was there is kept
  await page.waitForSelector(".chain circle");
  assert.equal(await page.locator(".chain-links a").count(), 3);
  const places = await page.locator(".chain circle").evaluateAll((all) => all.map((one) => [parseFloat(one.getAttribute("cx")!), Number(one.getAttribute("cy"))] as const));
  assert.deepEqual(places.map(([x, y]) => `${Math.round(x)} ${y}`), ["4 51", "74 17", "94 51"]);
  const told = await page.locator(".chain-links li").allTextContents();
  assert.match(told[0]!, /^rank 1, step \d+, \+0 ns: .*\(origin\)$/);
  assert.match(told[1]!, /^rank 0, step \d+, \+(699|70\d) µs: .*\(waited 198 µs\)$/);
  await watched.checkAxe("a chain over ranks");
  await watched.page.locator(".chain-links a").first().press("Enter");
  await watched.page.waitForSelector(".timeline canvas");
  assert.match(await watched.page.evaluate(() => location.hash), /chain=1:\d+,0:\d+,1:\d+&.*marks=\d+/);
  await watched.page.waitForTimeout(1000);
  const arrows = () => watched.page.locator(".timeline canvas").evaluateAll((all) => all.reduce((sum, element) => {
    const canvas = element as HTMLCanvasElement, pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    for (let at = 0; at < pixels.length; at += 4) if (pixels[at] === 179 && pixels[at + 1] === 38 && pixels[at + 2] === 30) ++sum;
    return sum;
  }, 0));
  assert.equal(await page.evaluate(() => scrollY), 0);
  await watched.screenshot("whatif-timeline");
  assert.ok((await arrows()) > 30, "arrows in the color of what is selected");
  await watched.checkAxe("the timeline of a chain");
  for (const left of [/chain=/, /^(?!.*chain=)/]) {
    await watched.page.keyboard.press("Escape");  // the mark, then the chain
    await watched.page.waitForFunction((text) => !location.hash.includes("marks=") && new RegExp(text).test(location.hash), left.source);
  }
  await watched.page.waitForTimeout(300);
  assert.equal(await arrows(), 0);
  await watched.close();
});

for (const [theme, language, width] of [["light", "en", 1440], ["dark", "ja", 1440], ["light", "ja", 1024], ["dark", "en", 1024]] as const) {
  test(`axe-core finds nothing, and the page fits, ${theme}, ${language}, ${width} pixels`, async () => {
    const watched = await open(`${changes(report())[0]!.text}; link: x4`, { theme, language }, width);
    await watched.page.waitForSelector(".asked .change");
    await watched.checkAxe(`what if, ${theme}`);
    await watched.checkFits("what if");
    await watched.screenshot(`whatif-${theme}-${width}`);
    await watched.close();
  });
}

test("a report.html has the pictures and says that it selects nothing", async () => {
  const file = join(folder, "report.html");
  stepscope("report", join(folder, "job"), "-o", file);
  const watched = await Watched.open(browser, pathToFileURL(file).href);
  await watched.page.waitForSelector(".tiles");
  const id = /#\/run\/([^/?]+)/.exec(await watched.page.evaluate(() => location.hash))![1]!;
  await watched.go(`#/run/${id}/report/whatif?set=link:%20x2`);
  await watched.page.waitForSelector(".chain-links a");
  assert.equal(await watched.page.locator(".change-list > li").count(), changes(report()).length + changes(report(), "upper_bounds").length);
  assert.equal(await watched.page.locator(".whatif input, .whatif button").count(), 0);
  assert.match(await watched.text(".whatif"), /stepscope serve/);
  await watched.checkAxe("what if in a report.html");
  await watched.page.locator(".chain-links a").first().click();
  await watched.page.waitForSelector(".timeline canvas");
  await watched.close();
});
