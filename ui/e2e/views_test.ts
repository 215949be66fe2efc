// Tests interactive pictures: flame graphs of one and two runs, and the matrix of waits. They equal `analyze` and `compare`.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Cell, ReportSet, Table } from "../src/data/report";
import { cellText, humanCell, unsigned, visible } from "../src/report/format";
import { openBrowser, Watched, type Looks } from "./browser";
import { answerOf, comparisonOf, serve, stepscope, type Server } from "./job";

let folder: string;
let server: Server;
let browser: Browser;
let ids: { readonly a: string; readonly b: string };

const pathOf = (run: "a" | "b"): string => join(folder, run);

function tableOf(answer: ReportSet, analysis: string, key: string): Table {
  const table = answer.reports.find((report) => report.analysis === analysis)?.tables.find((one) => one.key === key);
  assert.ok(table, `${analysis}.${key}`);
  return table;
}

// The cells of a row by the keys of their columns.
const rowOf = (table: Table, row: readonly Cell[]): Record<string, Cell> =>
  Object.fromEntries(table.columns.map(({ key }, at) => [key, row[at] ?? null]));

interface Part {
  readonly path: string;
  readonly text: string;
  readonly label: string;
  readonly looks: string;
  readonly share: number;
  readonly left: number;
  readonly top: number;
}

const partsOf = (page: Page): Promise<Part[]> => page.locator(".flame-part").evaluateAll((all) => all.map((one) => {
  const style = (one as HTMLElement).style;
  return {
    path: one.getAttribute("data-path") ?? "", text: one.textContent ?? "", label: one.getAttribute("aria-label") ?? "",
    looks: one.className, share: parseFloat(style.width) / 100, left: parseFloat(style.left) / 100, top: parseFloat(style.top),
  };
}));

const focusedPath = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("data-path") ?? "");

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-views-"));
  // More layers make operators take longer; a rank that is less slow makes waiting shorter.
  stepscope("demo", pathOf("a"), "--steps", "3", "--layers", "20", "--slow-factor", "1.8");
  stepscope("demo", pathOf("b"), "--steps", "3", "--layers", "24", "--seed", "2", "--slow-rank", "1");
  server = await serve(pathOf("a"), pathOf("b"));
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  ids = await watched.readRuns({ a: pathOf("a"), b: pathOf("b") });
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const open = (hash: string, selector: string, looks: Looks = {}) => Watched.at(browser, server.url, hash, selector, looks);

describe("the flame graph", () => {
  test("draws the operators that analyze lists, as wide as they took", async () => {
    const table = tableOf(answerOf(pathOf("a")), "operators", "tree");
    const rows = table.rows.map((row) => rowOf(table, row));
    const whole = rows.filter(({ depth }) => depth === 0).reduce((sum, { total }) => sum + Number(total), 0);
    const watched = await open(`#/run/${ids.a}/report/operators`, ".flame-part");
    const parts = await partsOf(watched.page);
    assert.deepEqual(parts.map(({ path }) => path).sort(),
      rows.filter(({ total }) => Number(total) >= whole / 1000).map(({ path }) => String(path)).sort());
    for (const part of parts) {
      const { name, total, self, depth } = rows.find(({ path }) => path === part.path)!;
      assert.ok(Math.abs(part.share - Number(total) / whole) < 1e-5, part.path);
      assert.equal(part.top, 26 * Number(depth), part.path);
      assert.equal(part.text, visible(String(name)));
      for (const time of [total, self]) assert.ok(part.label.includes(humanCell(time!, "ns")), part.label);
    }
    await watched.checkAxe("the flame graph");
    await watched.screenshot("flame");
    await watched.close();
  });

  test("is worked with the keyboard: arrows move, Enter looks into an operator, and the URL keeps it", async () => {
    const watched = await open(`#/run/${ids.a}/report/operators`, ".flame-part");
    const { page } = watched, parts = await partsOf(page);
    assert.equal(await page.locator(".flame-part[tabindex='0']").count(), 1, "one stop for Tab");
    await page.locator(".flame-part[tabindex='0']").focus();
    const root = await focusedPath(page);
    assert.equal(root, parts[0]!.path);
    await page.keyboard.press("ArrowDown");
    const child = await focusedPath(page);
    assert.ok(child.startsWith(`${root};`), child);
    assert.ok((await watched.text(".flame .readout")).startsWith(visible(child.split(";").at(-1)!)));
    await page.keyboard.press("ArrowUp");
    assert.equal(await focusedPath(page), root);
    await page.keyboard.press("End");
    const last = parts.filter(({ top }) => top === 0).sort((a, b) => a.left - b.left).at(-1)!;
    assert.equal(await focusedPath(page), last.path);
    await page.keyboard.press("ArrowLeft");
    const beside = await focusedPath(page);
    assert.ok(beside !== last.path && !beside.includes(";"), beside);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.includes("flame="));
    const zoomed = (await partsOf(page)).find(({ path }) => path === beside)!;
    assert.deepEqual([zoomed.left, zoomed.share], [0, 1]);
    assert.equal(await focusedPath(page), beside, "the focus stays");
    await page.reload();
    await page.waitForSelector(".flame-part");
    assert.equal((await partsOf(page)).find(({ path }) => path === beside)?.share, 1);
    await watched.checkAxe("the flame graph of an operator");
    await page.locator(".flame button.quiet").press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll(".flame-part").length === count, parts.length);
    await watched.close();
  });

  test("an operator of a URL that is not there shows the whole", async () => {
    const watched = await open(`#/run/${ids.a}/report/operators?flame=%3Cimg%20src=x%3E;__proto__`, ".flame-part");
    assert.equal(await watched.page.locator(".flame button.quiet").count(), 0);
    await watched.close();
  });
});

describe("the flame graph of two runs", () => {
  for (const looks of [{ theme: "light", language: "en" }, { theme: "dark", language: "ja" }] as const) {
    test(`says what got longer and shorter, as compare does, ${looks.theme}`, async () => {
      const table = tableOf(comparisonOf(pathOf("a"), pathOf("b")), "operators", "tree");
      const rows = table.rows.map((row) => rowOf(table, row));
      const watched = await open(`#/run/${ids.b}/compare/operators?with=${ids.a}`, ".flame-part", looks);
      const parts = await partsOf(watched.page);
      assert.ok(parts.length > 10, `${parts.length} parts`);
      let longer = 0, shorter = 0;
      for (const { path, text, label, looks: classes } of parts) {
        const row = rows.find((one) => one["path"] === path)!;
        for (const key of ["total_a", "total_b", "self_a", "self_b", "total_change"]) assert.ok(label.includes(humanCell(row[key]!, "ns")), `${key} in ${label}`);
        assert.ok(text.endsWith(visible(String(row["name"]))), text);
        if (row["total_a"] === null || row["total_b"] === null) continue;
        const change = Number(row["total_change"]), ratio = Number(row["total_change_ratio"]);
        assert.ok(text.startsWith(change === 0 ? "= " : `${change > 0 ? "▲" : "▼"} ${unsigned(cellText(ratio, "ratio"))} `), text);
        assert.equal(/longer/.test(classes), ratio >= 0.01, `${path} ${ratio} ${classes}`);
        assert.equal(/shorter/.test(classes), ratio <= -0.01, `${path} ${ratio} ${classes}`);
        longer += ratio >= 0.01 ? 1 : 0;
        shorter += ratio <= -0.01 ? 1 : 0;
      }
      assert.ok(longer > 0 && shorter > 0, `${longer} longer, ${shorter} shorter`);
      const roots = parts.filter(({ top }) => top === 0);
      assert.ok(Math.abs(roots.reduce((sum, { share }) => sum + share, 0) - 1) < 0.02);
      await watched.page.locator(".flame").scrollIntoViewIfNeeded();
      await watched.screenshot(`flame-compare-${looks.theme}`);
      await watched.checkAxe("the flame graph of two runs");
      await watched.page.locator(".flame-part[tabindex='0']").focus();
      await watched.page.keyboard.press("ArrowRight");
      const second = await focusedPath(watched.page);
      await watched.page.keyboard.press("Enter");
      await watched.page.waitForFunction((path) => (document.querySelector(`.flame-part[data-path="${CSS.escape(path)}"]`) as HTMLElement | null)?.style.width === "100%", second);
      await watched.checkAxe("the flame graph of two runs, of an operator");
      await watched.close();
    });
  }
});

describe("the heat map of the first screen", () => {
  for (const by of ["Enter", "a click"] as const) {
    test(`${by} on a step leaves that step, and the line below it says of which cell it speaks`, async () => {
      const table = tableOf(answerOf(pathOf("a")), "breakdown", "matrix");
      const steps = [...new Set(table.rows.map((row) => String(rowOf(table, row)["step"])))];
      const watched = await open(`#/run/${ids.a}`, ".heat canvas");
      const { page } = watched, canvas = page.locator(".heat canvas");
      await canvas.focus();
      for (const key of ["ArrowRight", "End", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      const readout = page.locator(".heat .readout"), last = steps.at(-1)!;
      await page.waitForFunction((text) => document.querySelector(".heat .readout")?.textContent?.startsWith(text), `rank 2, step ${last}: `);
      const ofRank2 = async (): Promise<[number, number]> => {
        const { x, y, width, height } = (await canvas.boundingBox())!;
        return [x + width - 20, y + (height - 18) * 0.625];
      };
      if (by === "Enter") await page.keyboard.press("Enter");
      else await page.mouse.click(...(await ofRank2()));
      await page.waitForFunction((step) => location.hash.includes(`steps=${step}`) && !document.querySelector(".stale"), last);
      await page.waitForFunction(() => document.querySelector(".heat canvas")?.getAttribute("aria-label")?.includes("by 1 columns"));
      if (by === "a click") await page.mouse.move(...(await ofRank2()));  // the verdict above has other lines now
      const alone = tableOf(answerOf(pathOf("a"), "--steps", last), "breakdown", "matrix");
      const row = alone.rows.map((one) => rowOf(alone, one)).find((one) => one["rank"] === 2)!;
      const measure = await watched.text(".heat [aria-pressed=true]");  // in which ranks differ most
      const column = alone.columns.find(({ title }) => title === measure)!;
      assert.ok((await readout.textContent())?.startsWith(`rank 2, step ${last}: ${cellText(row[column.key], "ns")}`));
      await watched.close();
    });
  }
});

describe("who waited for whom", () => {
  test("each cell says what analyze says, reached by the arrow keys", async () => {
    const table = tableOf(answerOf(pathOf("a")), "collectives", "waits");
    const rows = table.rows.map((row) => rowOf(table, row));
    const ranks = [...new Set(rows.flatMap((row) => [Number(row["rank"]), Number(row["for_rank"])]))].sort((a, b) => a - b);
    const watched = await open(`#/run/${ids.a}/report/collectives`, "#table-waits");
    const { page } = watched, figure = page.locator("div:has(> #table-waits) figure");
    await figure.locator("canvas").focus();
    for (const [i, rank] of ranks.entries()) {
      await page.keyboard.press(i === 0 ? "ArrowRight" : "ArrowDown");
      await page.keyboard.press("Home");
      for (const [k, other] of ranks.entries()) {
        if (k > 0) await page.keyboard.press("ArrowRight");
        const row = rows.find((one) => one["rank"] === rank && one["for_rank"] === other);
        const says = `rank ${rank}, last rank ${other}: ${row ? cellText(row["wait"], "ns") : "none"}`;
        await page.waitForFunction((text) => [...document.querySelectorAll(".readout")].some((one) => one.textContent === text), says);
      }
    }
    const drawn = await figure.locator("canvas").evaluate((element) => {
      const canvas = element as HTMLCanvasElement;
      const words = new Uint32Array(canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
      return new Set(words).size;
    });
    assert.ok(drawn > 3, "the picture is blank");
    await figure.locator(".tabs button").nth(1).click();
    const most = Math.max(...rows.map((row) => Number(row["times"])));
    await page.waitForFunction((text) => document.querySelector("div:has(> #table-waits) canvas")?.getAttribute("aria-label")?.includes(text), cellText(most, "count"));
    await figure.scrollIntoViewIfNeeded();
    await watched.screenshot("collectives-waits");
    await watched.checkAxe("who waited for whom");
    await watched.close();
  });
});
