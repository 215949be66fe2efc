// Tests the heat map of the first screen on jobs whose hosts are late: it opens on the measure of the first sentence, the rank
// at fault is dark and framed and those that wait for it are pale; and what is beside it agrees: cards, and the timeline.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import type { Cell, Report, Table } from "../src/data/report";
import { cellText, humanTime } from "../src/report/format";
import { openBrowser, Watched } from "./browser";
import { writeDevices } from "./devices";
import { answerOf, serve, type Server } from "./job";
import { kFunction, writeLateHosts } from "./late_hosts";

type Job = "since" | "turn" | "once" | "even" | "pair" | "spell" | "devices";
let folder: string;
let server: Server;
let browser: Browser;
let ids: Record<Job, string>;

const pathOf = (job: Job): string => join(folder, job);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-heat-"));
  writeLateHosts(pathOf("since"), 2, 12, (rank, step) => (rank === 1 && step >= 5 ? 98 : 0), 250);
  writeLateHosts(pathOf("turn"), 2, 12, (rank, step) => (rank === step % 2 ? 100 : 0));
  writeLateHosts(pathOf("once"), 2, 15, (rank, step) => (rank === 0 && step === 9 ? 190 : 0));
  writeLateHosts(pathOf("even"), 2, 8, () => 0);
  writeLateHosts(pathOf("pair"), 4, 12, (rank) => (rank % 2 === 0 ? 60 : 0));
  writeLateHosts(pathOf("spell"), 2, 14, (rank, step) => (rank === 1 && step >= 5 && step <= 9 ? 120 : 0));
  writeDevices(pathOf("devices"), 4, 12, (device, step) => 20 + (device === 2 && step >= 4 ? 15 : 0) + (step === 0 ? 80 : 0));
  const jobs: readonly Job[] = ["since", "turn", "once", "even", "pair", "spell", "devices"];
  const paths = Object.fromEntries(jobs.map((job) => [job, pathOf(job)])) as Record<Job, string>;
  server = await serve(...Object.values(paths));
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  ids = await watched.readRuns(paths);
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function open(job: Job): Promise<Watched> {
  const watched = await Watched.at(browser, server.url, `#/run/${ids[job]}`, ".heat canvas");
  watched.expected = /willReadFrequently/;  // the tests look at pixels again and again
  return watched;
}

function reportOf(job: Job, analysis: string): Report {
  const report = answerOf(pathOf(job)).reports.find((one) => one.analysis === analysis);
  assert.ok(report, analysis);
  return report;
}

// In the matrix that the picture is of.
function cellOf(matrix: Table, rank: number, step: number, title: string): Cell {
  const at = (key: string) => matrix.columns.findIndex((column) => column.key === key);
  const row = matrix.rows.find((one) => one[at("rank")] === rank && one[at("step")] === step);
  assert.ok(row, `rank ${rank}, step ${step}`);
  return row[matrix.columns.findIndex((column) => column.title === title)] ?? null;
}

const matrixOf = (job: Job): Table => reportOf(job, "breakdown").tables.find(({ key }) => key === "matrix")!;

// How light the middle of a cell is drawn, 0 to 255; of two ranks.
const lightness = (watched: Watched, rank: number, step: number, steps: number): Promise<number> =>
  watched.page.locator(".heat canvas").evaluate((element, [row, column, columns]) => {
    const canvas = element as HTMLCanvasElement, scale = canvas.width / canvas.getBoundingClientRect().width;
    const height = canvas.height / scale - 18, probe = canvas.getContext("2d")!;
    // Labels stand left of the cells: as wide as the widest of "rank 0" and "rank 1".
    const left = 14 + 7 * "rank 0".length, width = canvas.width / scale - left;
    const [red = 0, green = 0, blue = 0] = probe.getImageData((left + ((column + 0.5) * width) / columns) * scale, ((row + 0.5) * height) / 2 * scale, 1, 1).data;
    return (red + green + blue) / 3;
  }, [rank, step, steps] as const);

// Moves the cursor to a cell and reads what is said of it.
async function said(watched: Watched, rank: number, step: number): Promise<string> {
  await watched.page.focus(".heat canvas");
  for (const key of ["Home", "ArrowUp", "ArrowUp", ...Array.from({ length: step }, () => "ArrowRight"), ...(rank === 1 ? ["ArrowDown"] : [])]) await watched.page.keyboard.press(key);
  await watched.page.waitForFunction((text) => document.querySelector(".heat .readout")?.textContent?.startsWith(text), `rank ${rank}, step ${step}: `);
  return watched.text(".heat .readout");
}

const kMeasure = "Python between operators";

describe("the heat map of a job whose host is late", () => {
  test("shows the rank that is late since a step, not those that wait, on a scale without warm-up", async () => {
    const watched = await open("since"), matrix = matrixOf("since");
    assert.equal(await watched.text(".heat [aria-pressed=true]"), kMeasure);
    assert.match(await watched.text(".heat-mark"), /^Framed: rank 1\. The dashed line: since step 5\.$/);
    assert.ok(await lightness(watched, 1, 8, 12) + 60 < await lightness(watched, 0, 8, 12), "the late rank is dark, the other pale");
    assert.ok(Math.abs(await lightness(watched, 1, 2, 12) - await lightness(watched, 0, 8, 12)) < 10, "it is pale before");
    const value = cellOf(matrix, 1, 8, kMeasure);
    assert.ok(Number(value) > 98e6 && Number(value) < 99e6);
    assert.equal(await said(watched, 1, 8), `rank 1, step 8: ${humanTime(Number(value))}`);
    await watched.page.locator(".heat .tabs button", { hasText: "step time" }).click();
    const first = cellOf(matrix, 0, 0, "step time");
    assert.equal(await said(watched, 0, 0), `rank 0, step 0: ${humanTime(Number(first))}, left out of the means`);
    const scale = await watched.text(".heat .scale");
    assert.ok(scale.includes(`(up to ${humanTime(Number(first))} in steps left out of the means)`), scale);
    assert.match(scale, /^46\.0 ms144 ms /);
    await watched.screenshot("heat-since");
    await watched.close();
  });

  test("shows ranks that are late in turn as a checkerboard, and frames the steps of each", async () => {
    const watched = await open("turn");
    assert.equal(await watched.text(".heat [aria-pressed=true]"), kMeasure);
    for (const step of [4, 5]) {
      const late = step % 2;
      assert.ok(await lightness(watched, late, step, 12) + 60 < await lightness(watched, 1 - late, step, 12), `step ${step}`);
    }
    const first = answerOf(pathOf("turn")).reports.flatMap(({ findings }) => findings).find(({ place }) => place === 1)!;
    assert.ok(first.message.startsWith("All ranks spend up to") && first.message.includes("in turn"), first.message);
    assert.equal(await watched.text(".heat-mark"), "Framed: rank 0, rank 1 in turn, each in its own steps.");
    const turns = reportOf("turn", "steps").tables.find(({ key }) => key === "in_turn")!;
    assert.deepEqual(turns.rows.map(([rank, step]) => [rank, step]).filter(([, step]) => step === 4 || step === 5), [[0, 4], [1, 5]]);
    await watched.screenshot("heat-turn");
    await watched.close();
  });

  test("frames the one slow step, whose time is that of the sentence; from there the timeline selects the function", async () => {
    const watched = await open("once"), { page } = watched;
    assert.equal(await watched.text(".heat [aria-pressed=true]"), kMeasure);
    assert.equal(await watched.text(".heat-mark"), "Framed: rank 0, step 9.");
    assert.ok(await lightness(watched, 0, 9, 15) + 60 < await lightness(watched, 1, 9, 15));
    const finding = reportOf("once", "steps").findings[0]!;
    assert.deepEqual(finding.where, { rank: 0, ranks: [0], device: null, steps: [9], event: kFunction });
    await page.locator(".heat .tabs button", { hasText: "step time" }).click();
    const time = humanTime(Number(cellOf(matrixOf("once"), 0, 9, "step time")));
    assert.ok(finding.because.startsWith(`${time} vs `), finding.because);
    assert.ok((await said(watched, 0, 9)).startsWith(`rank 0, step 9: ${time}`));
    await page.locator(".top-findings .to-timeline").first().click();
    await page.waitForSelector(".tl-details h2");
    assert.equal(await watched.text(".tl-details h2"), "train.py(41): detect");
    assert.equal(await watched.text(".tl-details dd[data-field=rank]"), "0");
    assert.equal(await watched.text(".tl-details dd[data-field=duration]"), humanTime(190e6));
    await watched.screenshot("heat-once-timeline");
    await watched.close();
  });

  test("frames the rows of both ranks that are late in all steps", async () => {
    const watched = await open("pair"), rows = reportOf("pair", "steps").tables.find(({ key }) => key === "rank_steps")!.rows;
    assert.equal(await watched.text(".heat [aria-pressed=true]"), kMeasure);
    assert.equal(await watched.text(".heat-mark"), "Framed: rank 0, rank 2.");
    assert.deepEqual([rows.length, new Set(rows.map(([rank]) => rank))], [24, new Set([0, 2])]);
    await watched.screenshot("heat-pair");
    await watched.close();
  });

  test("tells steps that follow one another by the first and the last, as its link to the timeline does", async () => {
    const watched = await open("spell");
    assert.equal(await watched.text(".heat-mark"), "Framed: rank 1, steps 5 to 9.");
    assert.equal(await watched.page.locator(".heat-mark a").getAttribute("title"), "show in timeline: rank 1, steps 5 to 9");
    await watched.close();
  });

  test("has a row for each device of one process, with waiting apart and a scale without warm-up", async () => {
    const watched = await open("devices");
    const matrix = reportOf("devices", "imbalance").tables.find(({ key }) => key === "matrix")!, at = (key: string) => matrix.columns.findIndex((column) => column.key === key);
    const cell = (device: number, step: number, key: string) => matrix.rows.find((row) => row[at("device")] === device && row[at("step")] === step)![at(key)];
    assert.deepEqual([0, 1, 2, 3].map((device) => cell(device, 8, "compute")), [20e6, 20e6, 35e6, 20e6]);
    assert.deepEqual([0, 1, 2, 3].map((device) => cell(device, 8, "wait")), [15e6, 15e6, 0, 15e6]);
    assert.deepEqual([0, 1, 2, 3].map((device) => cell(device, 8, "own")), [22e6, 22e6, 37e6, 22e6]);
    assert.equal(await watched.text(".heat [aria-pressed=true]"), "compute");
    assert.equal(await watched.text(".heat-mark"), "Framed: device 2. The dashed line: since step 4.");
    assert.equal(await watched.text(".heat .scale"), "20.0 ms35.0 ms (up to 100 ms in steps left out of the means)");
    await watched.screenshot("heat-devices");
    await watched.close();
  });

  test("has its picture when it comes, however busy the machine is", async () => {
    const watched = await Watched.open(browser, server.url);
    await watched.page.evaluate(() => {
      const drawn: boolean[] = [];
      Object.assign(window, { drawn });
      new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
        const canvas = node instanceof Element ? node.querySelector<HTMLCanvasElement>(".heat canvas") : null;
        if (canvas) drawn.push([...canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data].some((value) => value > 0));
      }))).observe(document.body, { childList: true, subtree: true });
    });
    await watched.go(`#/run/${ids.pair}`);
    await watched.page.waitForSelector(".heat canvas");
    assert.deepEqual(await watched.page.evaluate(() => (window as unknown as { drawn: boolean[] }).drawn), [true], "in the same task");
    await watched.close();
  });

  test("frames nothing where no rank and no step is named, and opens on what the sentence tells", async () => {
    const watched = await open("even");
    assert.match(await watched.text("h1.verdict"), /^No rank, step or function stands out\.$/);
    assert.equal(await watched.text(".heat [aria-pressed=true]"), "exposed communication");
    assert.equal(await watched.page.locator(".heat-mark").count(), 0);
    await watched.close();
  });
});

test("all cards are of the steps since the change that the first sentence names, and say so", async () => {
  const watched = await open("since"), steps = reportOf("since", "steps"), breakdown = reportOf("since", "breakdown");
  const shown = await watched.page.locator(".tile").evaluateAll((all) => all.map((tile) => ({
    key: tile.querySelector(".tile-value")?.getAttribute("data-metric") ?? "", value: tile.querySelector(".tile-value")?.textContent ?? "", since: tile.querySelector(".tile-since")?.textContent ?? "",
  })));
  assert.ok(shown.length >= 3, JSON.stringify(shown));
  for (const { key, value, since } of shown) {
    const [analysis, metric] = key.split("."), report = analysis === "steps" ? steps : breakdown, found = report.metrics.find((one) => one.key === metric);
    assert.ok(found, key);
    assert.equal(value, cellText(found.value, found.unit), key);
    assert.equal(since, "since step 5", key);
  }
  const parts = breakdown.tables.find((one) => one.key === "parts")!, at = (key: string) => parts.columns.findIndex((column) => column.key === key);
  const sum = (...names: string[]) => parts.rows.filter((row) => names.includes(String(row[at("key")]))).reduce((all, row) => all + Number(row[at("since")]), 0);
  const exposed = steps.metrics.find(({ key }) => key === "exposed_ratio")!, time = breakdown.metrics.find(({ key }) => key === "step_time")!;
  assert.ok(Math.abs(Number(exposed.value) - sum("wait", "exposed_communication") / Number(time.value)) < 1e-3, "as the parts of a step say it");
  await watched.close();
});

test("on processors, operators have the color of compute and collectives that of communication", async () => {
  const watched = await open("even");
  for (const [asked, name, kind] of [["name=aten%3A%3Amm", "aten::mm", "compute"], ["kind=communication", "gloo:all_reduce", "communication"]] as const) {
    await watched.page.evaluate((hash) => { location.hash = hash; }, `#/run/${ids.even}/timeline?show.rank=0&show.${asked}&back=home`);
    await watched.page.waitForFunction((text) => document.querySelector(".tl-details h2")?.textContent === text, name);
    assert.equal(await watched.text(".tl-details dd[data-field=kind]"), kind);
  }
  await watched.close();
});
