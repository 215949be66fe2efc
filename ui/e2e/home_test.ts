// Tests the first screen of a run: five jobs are told apart by it, the rank at fault is framed, what is not there takes no room,
// and in Japanese nothing but names is English.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Cell, ReportSet, Table } from "../src/data/report";
import { shortName } from "../src/data/short_names";
import { humanTime } from "../src/report/format";
import { openBrowser, urlHas, Watched, type Looks } from "./browser";
import { answerOf, serve, stepscope, type Server } from "./job";

const kNone = ["--slow-rank", "-1", "--exposed", "0.02", "--host-gap", "0.005"] as const;
const kJobs = {
  slow: ["--ranks", "8", "--steps", "8", "--slow-rank", "5", "--slow-since", "6"],
  input: ["--ranks", "2", "--steps", "4", "--slow-rank", "-1", "--exposed", "0.02", "--host-gap", "0.4"],
  exposed: ["--ranks", "4", "--steps", "4", "--slow-rank", "-1", "--exposed", "0.9", "--host-gap", "0.005"],
  host: ["--ranks", "2", "--steps", "4", "--slow-rank", "-1", "--exposed", "0.02", "--host-gap", "0.4", "--gap-in-python"],
  healthy: ["--ranks", "4", "--steps", "4", ...kNone],
  one: ["--ranks", "1", "--steps", "4", ...kNone],
} as const;
type Job = keyof typeof kJobs | "unmarked";

let folder: string;
let server: Server;
let browser: Browser;
let ids: Record<Job, string>;

const pathOf = (job: Job): string => join(folder, job);

// A recording without steps: one kernel after another.
function writeUnmarked(path: string): void {
  mkdirSync(path);
  const traceEvents = [0, 1, 2, 3].flatMap((at) => [
    { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: 100 * at, dur: 5, args: { correlation: at } },
    { ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 100 * at + 10, dur: 60, args: { device: 0, stream: 7, correlation: at } },
  ]);
  writeFileSync(join(path, "rank0.json"), JSON.stringify({ schemaVersion: 1, traceEvents }));
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-home-"));
  for (const [job, options] of Object.entries(kJobs)) stepscope("demo", join(folder, job), "--layers", "8", ...options);
  writeUnmarked(pathOf("unmarked"));
  const paths = Object.fromEntries([...Object.keys(kJobs), "unmarked"].map((job) => [job, join(folder, job)])) as Record<Job, string>;
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

const open = (job: Job, looks: Looks = {}) => Watched.at(browser, server.url, `#/run/${ids[job]}`, ".verdict", looks);

const tableOf = (answer: ReportSet, analysis: string, key: string): Table => {
  const table = answer.reports.find((report) => report.analysis === analysis)?.tables.find((one) => one.key === key);
  assert.ok(table, `${analysis}.${key}`);
  return table;
};
const cell = (table: Table, row: readonly Cell[], key: string): Cell => row[table.columns.findIndex((column) => column.key === key)] ?? null;

describe("the first screen", () => {
  test("tells five jobs apart by its first sentence, as analyze says it", async () => {
    const says: Record<string, RegExp> = {
      slow: /since step 6.*rank 5|^Rank 5 .*since step 6/, input: /^Input wait is /, exposed: /^Exposed communication is /,
      host: /log_metrics/, healthy: /^The job looks healthy: /,
    };
    for (const [job, words] of Object.entries(says)) {
      const watched = await open(job as Job), first = await watched.text("h1.verdict");
      assert.match(first, words, job);
      assert.ok(answerOf(pathOf(job as Job)).verdict.startsWith(first), first);
      assert.equal(await watched.text(".subject"), answerOf(pathOf(job as Job)).subject);
      await watched.checkAxe(`the first screen of ${job}`);
      await watched.screenshot(`home-${job}`);
      await watched.close();
    }
  });

  test("shows where a step goes before and since a change, in times of analyze", async () => {
    const watched = await open("slow");
    const parts = tableOf(answerOf(pathOf("slow")), "breakdown", "parts");
    const shown = await watched.page.locator(".step-parts tbody tr").allTextContents();
    for (const line of shown) {
      const row = parts.rows.find((one) => line.startsWith(String(cell(parts, one, "part"))));
      assert.ok(row, line);
      assert.equal(line, `${cell(parts, row, "part")}${humanTime(Number(cell(parts, row, "before")))}${humanTime(Number(cell(parts, row, "since")))}`);
    }
    assert.ok(shown.length >= 3 && shown.some((line) => line.startsWith("waiting for other ranks")), shown.join());
    await watched.close();
  });

  test("draws all parts of a step on one scale, on a phone and on paper too, where what is found keeps its worth", async () => {
    const watched = await open("slow"), { page } = watched;
    const widths = () => page.evaluate(() => [...document.querySelectorAll(".step-parts thead th, .step-parts .bar")].map((one) => Math.round(one.getBoundingClientRect().width)));
    for (const width of [1400, 700, 420]) {
      await page.setViewportSize({ width, height: 900 });
      const all = await widths(), [head = 0, bar = 0] = [all[0], all.at(-1)];
      assert.ok(head > 40 && bar > 20 && all.every((one) => Math.min(Math.abs(one - head), Math.abs(one - bar)) <= 1), `${width}: ${all.join()}`);
      await watched.checkFits(`the first screen, ${width} wide`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.equal(new Set(await page.locator(".tile .trend svg").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))).size, 1, "courses of tiles in a row");
    await page.emulateMedia({ media: "print" });
    const all = await widths(), bar = all.at(-1)!;
    assert.ok(all.every((one) => Math.min(Math.abs(one - all[0]!), Math.abs(one - bar)) <= 1), `on paper: ${all.join()}`);
    assert.ok((await page.locator(".finding .impact:visible").count()) > 0);
    assert.equal(await page.locator(".finding .foot a:visible").count(), 0);
    await watched.close();
  });

  test("says of which steps its verdict is, where steps are chosen", async () => {
    const watched = await Watched.at(browser, server.url, `#/run/${ids.healthy}?steps=4`, ".verdict");
    assert.equal(await watched.verdict(), `Step 4: ${answerOf(pathOf("healthy"), "--steps", "4").verdict}`);
    await watched.close();
  });

  test("opens the heat map on the measure in which ranks differ, with the rank and the step of the finding", async () => {
    const watched = await open("slow");
    assert.equal(await watched.text(".heat [aria-pressed=true]"), "device compute");
    assert.equal(await watched.text(".heat-mark"), "Framed: rank 5. The dashed line: since step 6.");
    await watched.close();
    const even = await open("healthy");
    assert.equal(await even.page.locator(".heat-mark").count(), 0);
    assert.ok((await even.text(".heat .scale")).startsWith("all about "), "noise is not stretched");
    await even.close();
  });

  test("gives each finding a bar of its worth", async () => {
    const watched = await open("slow");
    const first = answerOf(pathOf("slow")).reports.flatMap(({ findings }) => findings).find(({ place }) => place === 1)!;
    const share = Number(await watched.page.locator(".worth").first().getAttribute("data-share"));
    assert.ok(Math.abs(share - first.worth!.saved / first.worth!.step_time) < 1e-9, String(share));
    await watched.close();
  });

  test("leads from bars, parts and the framed rank to the timeline, and from there back", async () => {
    const watched = await open("one"), { page } = watched;
    const bar = page.locator("section[aria-labelledby='runs-title'] .bar-list a.in-timeline").first();
    const top = tableOf(answerOf(pathOf("one")), "kernel_breakdown", "top"), says = (await bar.getAttribute("title"))!;
    assert.ok(says.includes(String(cell(top, top.rows[0]!, "name")).slice(0, 20)), says);
    await bar.click();
    await page.waitForSelector(".tl-details h2");
    assert.equal(await watched.text(".tl-back"), "‹ Back to Summary");
    await page.locator(".tl-back").click();
    await page.waitForSelector("h1.verdict");
    await page.locator(".step-parts a.in-timeline").first().click();
    await page.waitForSelector(".tl-details dd[data-field=kind]");
    assert.equal(await watched.text(".tl-details dd[data-field=kind]"), "compute", "the longest of the part");
    await watched.close();
    const slow = await open("slow");
    await slow.page.locator(".heat-mark a.in-timeline").click();
    await slow.page.waitForSelector(".tl-back");
    assert.match(await slow.page.evaluate(() => location.hash), /back=home/);
    await slow.page.waitForSelector(".tl-rank, .tl-head");
    await slow.close();
  });

  test("findings lead to the range, rank and event that they speak of, and from there back to this page", async () => {
    const watched = await open("slow"), { page } = watched;
    const links = await page.locator(".top-findings .to-timeline").evaluateAll((all) => all.map((one) => one.getAttribute("href")!));
    assert.ok(links.length > 0);
    for (const link of links) {
      const asked = new URLSearchParams(link.split("?")[1]), name = asked.get("show.name"), kind = asked.get("show.kind"), step = asked.get("show.step");
      await page.evaluate((hash) => { location.hash = hash; }, link);
      await page.waitForSelector(".tl-back");
      assert.equal(await watched.text(".tl-back"), "‹ Back to Summary", link);
      if (name) assert.equal(await watched.text(".tl-details h2"), name, link);
      if (kind) assert.equal(await watched.text(".tl-details dd[data-field=kind]"), kind, link);
      if ((name || kind) && asked.has("show.rank")) assert.equal(await watched.text(".tl-details dd[data-field=rank]"), asked.get("show.rank"), link);
      if (step) await urlHas(page, new RegExp(`[?&]marks=[^&]*step[^&]*${step.replaceAll(".", "\\.")}(&|$)`), link);
      await page.locator(".tl-back").click();
      await page.waitForSelector("h1.verdict");
    }
    await watched.close();
  });

  test("of one rank, and without steps, has no empty place", async () => {
    for (const job of ["one", "unmarked"] as const) {
      const watched = await open(job);
      assert.equal(await watched.page.locator(".heat").count(), 0, job);
      assert.ok(await watched.page.locator(".step-parts").count() === 1, job);
      assert.ok(await watched.page.locator("#runs-title").count() === 1, job);
      assert.equal(await watched.page.locator(".tile.missing").count(), 0);
      if (job === "unmarked") assert.equal(await watched.text("#parts-title"), "Where the recording goes");
      await watched.checkAxe(`the first screen of ${job}`);
      await watched.screenshot(`home-${job}`);
      await watched.close();
    }
  });

  test("lists analyses in five groups, and those without data in one line", async () => {
    const watched = await open("slow"), answer = answerOf(pathOf("slow"));
    assert.deepEqual((await watched.page.locator("nav#navigation > section > h2").allTextContents()).slice(0, 6),
      ["This run", "Overview", "Ranks", "Device", "Host and input", "Memory"]);
    const missing = answer.reports.filter(({ status }) => status === "unavailable").length;
    assert.equal(await watched.text("nav .without summary"), `Without data (${missing})`);
    assert.equal(await watched.page.locator("nav .without a").first().isVisible(), false);
    await watched.page.locator("nav .without summary").click();
    assert.equal(await watched.page.locator("nav .without a:visible").count(), missing);
    await watched.close();
  });
});

test("each entry and each group of the navigation has a name of its own, in both languages", async () => {
  for (const language of ["en", "ja"] as const) {
    const watched = await open("slow", { language });
    const names = await watched.page.locator("nav#navigation h2, nav#navigation a > span:first-child").allTextContents();
    const twice = names.filter((name, at) => names.indexOf(name) !== at && name !== "");
    assert.ok(names.length > 30, names.join());
    assert.deepEqual(twice, [], language);
    await watched.close();
  }
});

// What people see, text by text; without what stays as it is in every language.
const shownTexts = (page: Page): Promise<string[]> => page.evaluate(() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts: string[] = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement, text = (node.textContent ?? "").trim();
    if (!element || text === "" || element.closest("code, kbd, script, style, select, .brand, .subject, .exports") || element.getClientRects().length === 0) continue;
    texts.push(text);
  }
  return texts;
});

const kJapanese = /[\u3040-\u30ff\u3400-\u9fff]/;
// Units, products and abbreviations that Japanese has, too.
const kKept = new Set(("ns µs ms s B kB MB GB TB pp x FLOP FLOPs kFLOP MFLOP GFLOP TFLOP PFLOP MFU HFU GPU CPU TPU HLO ID JSON CSV CUDA CUPTI NCCL NVIDIA AMD PyTorch Python TensorFlow JAX XLA "
  + "Tensor Core Tensor Cores TF32 FP32 FP16 BF16 FP8 FSDP DDP DataLoader dp tp pp cp ep Graphs Stepscope Ctrl Enter Esc K vs stepscope What-if").split(" "));

const latinWords = (text: string): string[] => text.match(/[A-Za-zµ][\w.:/-]*/g) ?? [];

// Names as code has them: bucket_cap_mb, torch.compile(), log_metrics, rank0.json, H100.
const isName = (word: string): boolean => kKept.has(word.replace(/[.:]+$/, "")) || /[_\d/]|\w\.\w|^[a-z]+[A-Z]/.test(word);

// What the catalogue of the language is for: texts of a report that no trace has named.
function ownTexts({ verdict, reports }: ReportSet): Set<string> {
  const texts = reports.flatMap(({ title, label, headline, metrics, tables, findings }) => [
    title, label ?? "", headline, ...metrics.map((metric) => metric.title), ...findings.flatMap((finding) => [finding.message, finding.because, finding.try]),
    ...tables.flatMap((table) => [table.title, ...table.columns.map((column) => column.title)]),
  ]);
  return new Set([verdict, ...texts].filter((text) => latinWords(text).some((word) => word.length > 2 && !isName(word))));
}

describe("the first screen in Japanese", () => {
  test("says the verdict, findings and titles in Japanese, and English again when the language is switched", async () => {
    const watched = await open("slow", { language: "ja" }), answer = answerOf(pathOf("slow")), own = ownTexts(answer);
    const verdict = await watched.text("h1.verdict");
    assert.match(verdict, kJapanese, verdict);
    assert.match(verdict, /。$/, "the first sentence alone is the heading");
    assert.equal(await watched.page.getAttribute("h1.verdict", "lang"), "ja");
    assert.match(verdict, /5/, "the rank is named");
    const texts = await shownTexts(watched.page), english = texts.filter((text) => own.has(text) && latinWords(text).some((word) => !isName(word)));
    assert.deepEqual([...new Set(english)], [], "texts of reports that are in English");
    for (const selector of [".finding .message", ".finding .because", ".step-parts tbody th", ".step-parts figcaption", ".heat .tabs button", ".home h2", "nav h2"]) {
      const all = await watched.page.locator(selector).allTextContents();
      assert.ok(all.length > 0, selector);
      for (const text of all) assert.match(text, kJapanese, `${selector}: ${text}`);
    }
    assert.match(await watched.text(".heat-mark"), /ランク 5/, "the rank of the finding is framed");
    const names = new Set(answer.run.name.split(/\W+/)), left = texts.flatMap(latinWords).filter((word) => !isName(word) && !names.has(word));
    const letters = (list: readonly string[]): number => list.reduce((sum, text) => sum + (text.match(/[A-Za-z\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0), 0);
    assert.ok(letters(left) < 0.1 * letters(texts), `${letters(left)} of ${letters(texts)} letters are English: ${[...new Set(left)].join(" ")}`);
    await watched.checkAxe("the first screen in Japanese");
    await watched.checkFits("the first screen in Japanese");
    await watched.screenshot("home-japanese");
    await watched.page.keyboard.press("Shift+J");
    await watched.page.waitForFunction(() => document.documentElement.lang === "en" && document.querySelector("h1.verdict")?.getAttribute("lang") === "en");
    assert.equal(await watched.verdict(), answer.verdict);
    await watched.page.keyboard.press("Shift+J");
    await watched.page.waitForFunction((said) => document.querySelector("h1.verdict")?.textContent === said, verdict);
    await watched.close();
  });

  test("tables have Japanese titles and words, and names as they are", async () => {
    const watched = await open("slow", { language: "ja" }), answer = answerOf(pathOf("slow"));
    await watched.go(`#/run/${ids.slow}/report/stragglers`);
    const heads = await watched.page.locator("main th[scope=col]").allTextContents(), own = ownTexts(answer);
    assert.ok(heads.some((text) => kJapanese.test(text)), heads.join());
    assert.deepEqual(heads.map((text) => text.replace(/ [▲▼]$/, "")).filter((text) => own.has(text)), []);
    assert.match(await watched.text("main h1"), kJapanese);
    await watched.go(`#/run/${ids.slow}/report/kernel_breakdown`);
    const kernels = tableOf(answer, "kernel_breakdown", "top"), names = (await watched.page.locator("#table-top tbody tr").first().allTextContents()).join();
    assert.ok(names.includes(shortName(String(cell(kernels, kernels.rows[0]!, "name")))), names);
    await watched.close();
  });
});
