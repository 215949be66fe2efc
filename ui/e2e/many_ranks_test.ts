// Tests the page of a run whose tables are cut: it says so, its heat map has all ranks, zooms to one and offers it, with and without a
// server; and measures frames of 10,000 ranks by 100 steps.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { frameCosts } from "./frame_cost";
import { serve, stepscope, type Server } from "./job";

const kFrame = 17;  // ms
const kRanks = 80, kSlow = 57, kMost = "70";
let folder: string, job: string, file: string;
let server: Server;
let browser: Browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-many-"));
  [job, file] = [join(folder, "job"), join(folder, "report.html")];
  stepscope("demo", job, "--ranks", String(kRanks), "--steps", "3", "--light", "--slow-rank", String(kSlow), "--slow-factor", "1.5");
  stepscope("report", job, "-o", file, "--most-rows", kMost);
  server = await serve(job, "--most-rows", kMost);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const kCanvas = ".heat canvas";

async function openMap(url: string, looks = {}): Promise<{ watched: Watched; run: string }> {
  const watched = await Watched.open(browser, url, looks);
  await watched.page.waitForSelector(".tiles");
  const run = /#\/run\/([^/?]+)/.exec(await watched.page.evaluate(() => location.hash))?.[1] ?? "";
  await watched.go(`#/run/${run}/report/breakdown?heat.matrix=own`);
  await watched.page.waitForSelector(".heat-rows");
  return { watched, run };
}

const shown = (page: Page) => page.locator(".heat-rows [role=status]").textContent();

// Of the cell that a key moves to.
async function readsAt({ page }: Watched, key: string): Promise<string> {
  await page.locator(kCanvas).focus();
  await page.keyboard.press(key);
  await page.waitForSelector(".cell-frame");
  return (await page.locator(".heat .readout").textContent()) ?? "";
}

test("keys go through ranks by pages and to both ends, and the list of keys has them", async () => {
  const { watched } = await openMap(server.url), { page } = watched;
  const rank = async (key: string) => /^rank (\d+), .*step (\d+)/.exec(await readsAt(watched, key))?.slice(1).join(" ");
  assert.deepEqual([await rank("Control+Home"), await rank("PageDown"), await rank("PageDown"), await rank("PageUp")], ["0 3", "9 3", "18 3", "9 3"]);
  assert.deepEqual([await rank("End"), await rank("Control+End"), await rank("Home"), await rank("PageDown")], ["9 5", `${kRanks - 1} 5`, `${kRanks - 1} 3`, `${kRanks - 1} 3`]);
  await page.keyboard.press("?");
  await page.waitForSelector("dialog .keylist");
  const keys = await page.locator("dialog section", { hasText: "In a heat map" }).innerText();
  for (const said of [/PgUp|PageUp/, /Ctrl\s*Home/, /page of rows/, /Show all rows/]) assert.match(keys, said);
  await watched.checkAxe("the keys of a heat map");
  await watched.screenshot("many-ranks-keys");
  await watched.close();
});

test("the first screen opens on what the named rank has more of, and frames it, though its row is not here", async () => {
  const { watched } = await openMap(server.url), { page } = watched;
  const home = (await page.evaluate(() => location.hash)).replace(/\/report.*/, "");
  await watched.go(home);
  await page.waitForSelector(kCanvas);
  assert.match(await watched.text("h1.verdict"), new RegExp(`\\b${kSlow}\\b`));
  assert.equal(await watched.text(".heat [aria-pressed=true]"), "device compute");
  assert.match(await watched.text(".heat-mark"), new RegExp(`^Framed: rank ${kSlow}\\.`));
  await page.locator(".heat .tabs button", { hasText: "without waiting" }).click();
  await page.waitForFunction(() => document.querySelector(".heat [aria-pressed=true]")?.textContent === "without waiting");
  await page.locator(".heat .tabs button", { hasText: "device compute" }).click();
  await page.waitForFunction(() => document.querySelector(".heat [aria-pressed=true]")?.textContent === "device compute");
  await watched.go(`${home}/report/imbalance`);
  await page.waitForSelector(kCanvas);
  assert.equal(await watched.text(".heat [aria-pressed=true]"), "compute");
  assert.match(await watched.text(".heat-mark"), new RegExp(`^Framed: rank ${kSlow}`));
  await watched.close();
});

for (const how of ["a server", "a file"] as const) {
  test(`says which rows are here, draws all ranks, and zooms to one: with ${how}`, async () => {
    const { watched } = await openMap(how === "a server" ? server.url : pathToFileURL(file).href), { page } = watched;
    assert.match(await watched.text("#table-matrix .table-head"), new RegExp(`first ${kMost} of ${3 * kRanks} rows`));
    assert.match(await page.locator("main").innerText(), /rows were left out of table matrix: only its first 70 are here/);
    assert.equal(await shown(page), `rank 0 to rank ${kRanks - 1}: ${kRanks} of ${kRanks} rows`);
    await page.locator(".heat-rows input[type=checkbox]").check();
    assert.equal(await shown(page), `sorted, largest first: 1 to ${kRanks} of ${kRanks} rows`);
    assert.match(await readsAt(watched, "Control+Home"), new RegExp(`^rank ${kSlow}, `), "the slow rank first");
    await page.locator(".heat-rows input[type=checkbox]").uncheck();
    await page.locator(".heat-rows input[type=text]").fill(String(kSlow));
    await page.locator(".heat-rows input[type=text]").press("Enter");
    assert.match((await shown(page))!, /: 40 of 80 rows$/);
    await page.locator(".heat-rows input[type=text]").fill("99999");
    await page.locator(".heat-rows input[type=text]").press("Enter");
    assert.match((await shown(page))!, /^No rank 99999 here\. .*: 40 of 80 rows$/);
    await page.locator(kCanvas).focus();
    await page.keyboard.press("+");
    assert.match((await shown(page))!, /: 27 of 80 rows$/);
    await page.keyboard.press("ArrowRight");
    assert.match(await watched.text(".heat .readout"), /^rank \d+.*, step \d+: [\d.]+ ms/);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".heat-chosen");
    assert.equal(await page.locator(".heat-chosen button").count(), how === "a server" ? 2 : 0);
    await watched.checkAxe("a heat map of many ranks");
    await watched.checkFits("a heat map of many ranks");
    await watched.screenshot(`many-ranks-${how === "a server" ? "serve" : "file"}`);
    if (how === "a server") {
      await page.locator(".heat-chosen button").first().click();
      await page.waitForFunction(() => /ranks=\d+/.test(location.hash));
    }
    await watched.close();
  });
}

test("in Japanese, and dark", async () => {
  const { watched } = await openMap(server.url, { language: "ja", theme: "dark" });
  assert.match((await shown(watched.page))!, /80 行中 80 行$/);
  await watched.checkAxe("a heat map of many ranks in Japanese");
  await watched.screenshot("many-ranks-ja");
  await watched.close();
});

// Another grid in place of the file's: 10,000 ranks by 100 steps, of which one rank is slow.
function withLargeGrid(html: string): string {
  const ranks = 10_000, steps = 100, cells = ranks * steps, column = new Uint8Array(10 + 4 * cells);
  for (let at = 0; at < cells; ++at) {
    column[10 + at] = (at * 37) & 255;
    column[10 + cells + at] = (at * 101) & 255;
    column[10 + 2 * cells + at] = Math.floor(at / steps) === 4242 ? 200 : 100;
  }
  [column[0], column[1]] = [0, 4];
  const head = JSON.stringify({ steps: Array.from({ length: steps }, (_, step) => step), keys: [{ key: "rank", cells: Array.from({ length: ranks }, (_, rank) => rank) }], columns: ["own"] });
  const packed = (bytes: Uint8Array) => deflateRawSync(bytes).toString("base64");
  return html.replace(/(id="stepscope-grid-[^".]+\.breakdown\.matrix(\.own)?">)[^<]*/g, (_, begin: string, own?: string) => begin + packed(own ? column : new TextEncoder().encode(head)));
}

test("10,000 ranks by 100 steps are drawn frame by frame", async () => {
  const large = join(folder, "large.html");
  writeFileSync(large, withLargeGrid(readFileSync(file, "utf8")));
  const { watched } = await openMap(pathToFileURL(large).href), { page } = watched;
  assert.equal(await shown(page), "rank 0 to rank 9999: 10,000 of 10,000 rows");
  const move = (kind: "hover" | "zoom" | "scroll") => page.evaluate(async ([selector, kind]) => {
    const canvas = document.querySelector<HTMLCanvasElement>(selector)!, box = canvas.getBoundingClientRect();
    const at = (share: number) => ({ clientX: box.left + 200 + share * (box.width - 220), clientY: box.top + 20 + share * (box.height - 60), bubbles: true, cancelable: true });
    for (let frame = 0; frame < 90; ++frame) {
      if (kind === "hover") canvas.dispatchEvent(new MouseEvent("mousemove", at((frame % 60) / 60)));
      if (kind === "zoom") canvas.dispatchEvent(new WheelEvent("wheel", { ...at(0.5), ctrlKey: true, deltaY: frame % 20 < 11 ? -1 : 1 }));
      if (kind === "scroll") canvas.dispatchEvent(new WheelEvent("wheel", { ...at(0.5), deltaY: frame % 10 < 5 ? 1 : -1 }));
      await new Promise(requestAnimationFrame);
    }
  }, [kCanvas, kind] as const);
  for (const kind of ["hover", "zoom", "scroll"] as const) {
    const costs = await frameCosts(page, () => move(kind)), most = costs[Math.floor(0.95 * costs.length)] ?? Infinity;
    console.log(`10,000 ranks by 100 steps, ${kind}: ${costs.length} frames cost ${(costs[costs.length >> 1] ?? NaN).toFixed(1)} ms (median), ${most.toFixed(1)} ms (p95) of the main thread`);
    assert.ok(costs.length > 60 && most < kFrame, `${kind}: ${most} ms of ${costs.length} frames`);
  }
  assert.doesNotMatch((await shown(page))!, /: 10,000 of/, "it has zoomed");
  await watched.screenshot("many-ranks-large");
  await watched.close();
});
