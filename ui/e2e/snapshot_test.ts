// Tests the page of a memory snapshot against `stepscope memory --format json`: the peak in the picture, areas, segments, the
// same in a report.html; with keys, in both themes and languages, on a narrow screen.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { parseExact } from "../src/data/exact";
import type { Report, ReportSet } from "../src/data/report";
import { humanNumber } from "../src/report/format";
import { openBrowser, Watched, type Looks } from "./browser";
import { serve, stepscope, type Server } from "./job";
import { snapshotPickle } from "./pickle";

let folder: string, server: Server, browser: Browser, report: Report, id: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-snapshot-"));
  const path = join(folder, "memory.pickle");
  writeFileSync(path, snapshotPickle());
  report = (parseExact(stepscope("memory", path, "--format", "json")) as ReportSet).reports[0]!;
  server = await serve(folder);
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  id = (await watched.state()).snapshots[0]!.id;
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const open = (looks: Looks = {}) => Watched.at(browser, server.url, `#/snapshot/${id}`, ".memory canvas", looks);
const metric = (key: string): number => Number(report.metrics.find((one) => one.key === key)!.value);

// How far from the top of the area's canvas each column of pixels is painted with something other than the page, and the color there.
const skyline = (page: Page) => page.evaluate(() => {
  const canvas = document.querySelector<HTMLCanvasElement>(".memory-area canvas")!, { width, height } = canvas;
  const pixels = canvas.getContext("2d")!.getImageData(0, 0, width, height).data;
  const red = (x: number, y: number) => pixels.slice(4 * (y * width + x), 4 * (y * width + x) + 4);
  return Array.from({ length: width }, (_, x) => {
    // Areas are opaque and at least three pixels high; lines are thinner.
    for (let y = 0; y + 4 < height; ++y) if ([0, 1, 2, 3].every((more) => { const [r, g, b, a] = red(x, y + more); return a === 255 && !(r === g && g === b) && Math.abs(r! - g!) + Math.abs(g! - b!) > 24; })) return height - y;
    return 0;
  });
});

describe("a memory snapshot", () => {
  test("has the peak of the metric, in numbers and in pixels", async () => {
    const watched = await open();
    const { page } = watched, canvas = page.locator(".memory-area canvas");
    assert.equal(Number(await canvas.getAttribute("data-peak")), metric("peak_requested"));
    assert.match((await canvas.getAttribute("aria-label"))!, new RegExp(humanNumber(metric("peak_requested"), "bytes").replace(".", "\\.")));
    await canvas.focus();
    await canvas.press("p");
    for (let i = 0; i < 6; ++i) await canvas.press("+");  // the peak lasts for some pixels
    const heights = await skyline(page), high = Math.max(metric("reserved_peak"), metric("peak_requested")) * 1.05;
    const expected = (metric("peak_requested") / high) * 300;
    assert.ok(Math.abs(Math.max(...heights) - expected) <= 2, `${Math.max(...heights)} px, expected ${expected}`);
    assert.ok(Math.max(...heights) <= (metric("reserved_peak") / high) * 300 + 1, "nothing is above what was reserved");
    await watched.close();
  });

  test("is read with keys, zoomed and reset; p goes to the peak", async () => {
    const watched = await open();
    const { page } = watched, canvas = page.locator(".memory-area canvas"), readout = page.locator(".memory .readout").first();
    await canvas.focus();
    await canvas.press("p");
    assert.ok((await readout.textContent())!.includes(humanNumber(metric("peak_requested"), "bytes")));
    const axis = () => page.locator(".memory-area .area-x").textContent(), whole = await axis();
    for (let i = 0; i < 4; ++i) await canvas.press("+");
    assert.notEqual(await axis(), whole);
    assert.ok(Math.max(...await skyline(page)) > 0);
    await canvas.press("0");
    assert.equal(await axis(), whole);
    const box = (await canvas.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
    await page.mouse.up();
    assert.notEqual(await axis(), whole);
    await page.mouse.dblclick(box.x + box.width * 0.5, box.y + 60);
    assert.equal(await axis(), whole);
    await watched.close();
  });

  test("shows areas by category and by place, with the same peak", async () => {
    const watched = await open();
    const { page } = watched, legend = () => page.locator(".memory .legend").first().locator("li").allTextContents();
    assert.deepEqual((await legend()).map((text) => text.trim()).sort(), ["backward", "forward and other", "optimizer", "reserved"]);
    const peak = await page.locator(".memory-area canvas").getAttribute("data-peak");
    await page.getByRole("button", { name: "by place in the code", exact: true }).click();
    assert.ok((await legend()).some((text) => text.includes("build")));
    assert.equal(await page.locator(".memory-area canvas").getAttribute("data-peak"), peak);
    await watched.close();
  });

  test("shows each segment with its blocks, and the largest free one", async () => {
    const watched = await open();
    const { page } = watched, map = page.locator(".segment-map");
    assert.equal(Number(await map.getAttribute("data-segments")), metric("segments"));
    const said = (await page.locator(".segments-says").textContent())!;
    for (const key of ["reserved_at_end", "unused_at_end", "largest_free_block"]) assert.ok(said.includes(humanNumber(metric(key), "bytes")), `${key} in ${said}`);
    await map.focus();
    await map.press("ArrowRight");
    assert.match((await page.locator(".memory .readout").nth(1).textContent())!, /0x.* unused, largest free block/);
    await watched.close();
  });

  test("names the leak of each step", async () => {
    const watched = await open();
    assert.ok((await watched.page.locator("main").textContent())!.includes("/home/user/train.py:71 log grows by"));
    await watched.close();
  });

  for (const looks of [{ theme: "light" }, { theme: "dark" }, { language: "ja" }] as const) {
    test(`has no problem for anybody: ${JSON.stringify(looks)}`, async () => {
      const watched = await open(looks);
      await watched.checkAxe("the memory snapshot");
      await watched.checkFits("the memory snapshot");
      await watched.page.evaluate(() => document.querySelector(".memory")?.scrollIntoView());
      await watched.screenshot(`snapshot_${"theme" in looks ? looks.theme : looks.language}`);
      await watched.close();
    });
  }

  test("fits a narrow screen", async () => {
    const watched = await open();
    await watched.page.setViewportSize({ width: 420, height: 900 });
    await watched.checkFits("the memory snapshot at 420 px");
    await watched.page.evaluate(() => document.querySelector(".memory")?.scrollIntoView());
    await watched.screenshot("snapshot_420");
    await watched.close();
  });

  test("is the same in a report.html", async () => {
    const file = join(folder, "page.html");
    stepscope("report", join(folder, "memory.pickle"), "-o", file);
    const page = await browser.newPage();
    await page.goto(`file://${file}`);
    await page.waitForSelector(".memory-area canvas");
    assert.equal(Number(await page.locator(".memory-area canvas").getAttribute("data-peak")), metric("peak_requested"));
    assert.equal(Number(await page.locator(".segment-map").getAttribute("data-segments")), metric("segments"));
    await page.close();
  });
});
