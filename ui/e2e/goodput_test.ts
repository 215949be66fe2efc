// Tests goodput on the page: that a run shows the goodput of its own job and of no other, the list of jobs by what they
// lost, and the way from all chip-hours to an ideal program's.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { goodputOf, serve, stepscope, type Server } from "./job";

let folder: string;
let server: Server;
let browser: Browser;
let ledger: string;
let runs: { readonly id: string; readonly name: string }[];

const kBegin = 1_780_000_000;

// Waits for `idle` s, then makes steps of 10 s for an hour, on so many chips.
function eventsOf(job: string, chips: number, idle: number): object[] {
  const lines: object[] = [];
  const say = (event: string, at: number, more: object = {}) => lines.push({ job_name: job, event, time: kBegin + at, ...more });
  say("resources", 0, { requested: chips, allocated: chips });
  say("job_start", 0);
  for (let at = idle; at < 3600; at += 10) say("step_start", at, { step: (at - idle) / 10 });
  say("job_end", 3600);
  return lines;
}

// A rank's two steps, recorded 30 min after the begin; or at a time that nobody knows.
function writeRun(path: string, recorded: boolean): void {
  const step = (number: number) => ({ ph: "X", cat: "user_annotation", name: `ProfilerStep#${number}`, pid: 1, tid: 1, ts: 10_000_000 * number, dur: 10_000_000 });
  const kernel = (number: number) => ({ ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 10_000_000 * number + 10, dur: 5_000_000, args: { device: 0, stream: 7 } });
  const document = {
    schemaVersion: 1, distributedInfo: { rank: 0, world_size: 1 }, ...(recorded && { baseTimeNanoseconds: (kBegin + 1800) * 1e9 }),
    traceEvents: [step(1), step(2), kernel(1), kernel(2)],
  };
  writeFileSync(path, JSON.stringify(document));
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-goodput-"));
  const events = join(folder, "events.jsonl"), store = join(folder, "ledger");
  const lines = [...eventsOf("small", 1, 1800), ...eventsOf("llm", 64, 600)];
  writeFileSync(events, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  stepscope("goodput", "import", events, "--store", store);
  writeRun(join(folder, "llm.json"), true);
  writeRun(join(folder, "other.json"), false);
  server = await serve(join(folder, "llm.json"), join(folder, "other.json"), store, "--price-per-chip-hour", "2");
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  const state = await watched.state();
  ledger = state.ledgers[0]!.id;
  runs = state.runs.map(({ id, name }) => ({ id, name }));
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const runOf = (name: string): string => runs.find((run) => run.name === name)!.id;

test("a run shows the goodput of its job, says why it is its job, and leads to it", async () => {
  const watched = await Watched.at(browser, server.url, `#/run/${runOf("llm.json")}`, "[data-metric='goodput.goodput_ratio']");
  const line = watched.page.locator(".goodput-source");
  assert.match((await line.textContent()) ?? "", /^Goodput is of job llm\. Same name and time: attempt 1 of job llm ran when the traces were recorded\.$/);
  assert.equal(await watched.page.locator("[data-metric='goodput.goodput_ratio']").textContent(), "83.3%");
  const tile = watched.page.locator(".tile", { has: watched.page.locator("[data-metric='goodput.goodput_ratio']") });
  assert.match((await tile.locator("svg").getAttribute("aria-label")) ?? "", /over the job/);
  await watched.checkAxe("the first screen with goodput");
  await watched.screenshot("home-goodput");
  await line.getByRole("link").click();
  await watched.page.locator(".chip-hours").waitFor();
  assert.equal(await watched.page.inputValue("#choose-job"), "llm");
  await watched.close();
});

test("a run of no job shows no goodput, and the navigation leads to the ledger", async () => {
  const watched = await Watched.at(browser, server.url, `#/run/${runOf("other.json")}`, ".goodput-source");
  assert.match(await watched.text(".goodput-source"), /^Goodput is not shown: no job has the name of the run/);
  assert.equal(await watched.page.locator("[data-metric='goodput.goodput_ratio']").count(), 0);
  await watched.page.locator("nav#navigation").getByRole("link", { name: "Goodput", exact: true }).click();
  await watched.page.locator(".job-losses").waitFor();
  await watched.close();
});

test("jobs are listed by what they lost, each with its curve and a link", async () => {
  const watched = await Watched.at(browser, server.url, `#/ledger/${ledger}`, ".job-losses");
  const rows = watched.page.locator(".job-losses tbody tr");
  assert.deepEqual(await rows.locator("th").allTextContents(), ["llm", "small"]);
  assert.equal(await rows.locator("svg.job-curve").count(), 2);
  assert.match((await rows.nth(0).textContent()) ?? "", /10\.7.*21\.3/, "chip-hours and their cost");
  assert.equal(await watched.page.getByText("llm", { exact: true }).filter({ visible: true }).count(), 1, "each job is listed once");
  assert.equal(await watched.page.getByText(/^2 jobs, .* events\./).filter({ visible: true }).count(), 1, "one sentence");
  assert.equal(await watched.page.locator("#choose-job").count(), 0, "the table is the only list of jobs");
  assert.deepEqual(await watched.page.locator("nav#navigation [aria-current='page']").allTextContents(), ["Ledger jobs"]);
  await watched.page.locator(".job-losses thead button", { hasText: "lost time" }).click();
  assert.deepEqual(await rows.locator("th").allTextContents(), ["small", "llm"], "sorted by another column");
  await watched.page.locator(".job-losses thead button", { hasText: "lost time" }).click();
  await watched.checkAxe("the list of jobs");
  await watched.screenshot("jobs-by-loss");
  await rows.nth(1).getByRole("link").click();
  await watched.page.locator(".chip-hours").waitFor();
  assert.equal(await watched.page.inputValue("#choose-job"), "small");
  await watched.close();
});

test("unknown factors of chip-hours say which input is missing", async () => {
  const watched = await Watched.at(browser, server.url, `#/ledger/${ledger}/goodput?job=${ledger}:llm`, ".chip-hours");
  const bars = watched.page.locator(".chip-hours li");
  const texts = await bars.allTextContents();
  assert.equal(texts.length, 5);
  assert.match(texts[0]!, /64(\.0)? chip-hours, cost 128$/);
  assert.match(texts[2]!, /Running goodput 83\.3%10\.7 chip-hours lost, cost 21\.3$/);
  assert.match(texts[3]!, /unknown: needs the model and the chip$/);
  assert.match(texts[4]!, /^At most needed/);
  assert.equal(await bars.locator(".chips-unknown").count(), 1, "the scheduler's record is in the events");
  await watched.checkAxe("chip-hours");
  await watched.screenshot("chip-hours");
  const [download] = await Promise.all([watched.page.waitForEvent("download"), watched.page.locator(".exported", { has: watched.page.locator(".chip-hours") }).locator("button", { hasText: "CSV" }).click()]);
  assert.equal(download.suggestedFilename(), "chip_hours.factors.picture.csv");
  await watched.close();
});

test("the page of a job says its sentence once, and leads back to all jobs and to a run", async () => {
  const watched = await Watched.at(browser, server.url, `#/ledger/${ledger}/goodput?job=${ledger}:llm`, ".chip-hours");
  const sentence = goodputOf(join(folder, "ledger"), "--job", "llm").reports[0]!.headline;
  assert.equal(await watched.page.locator("main").getByText(sentence).count(), 1, sentence);
  assert.deepEqual(await watched.page.locator("main h1, main .verdict").evaluateAll((all) => all.map((one) => one.tagName)), ["H1", "P"], "the heading comes first");
  await watched.page.selectOption("#choose-job", "");
  await watched.page.locator(".job-losses").waitFor();
  await watched.page.locator("nav#navigation").getByRole("link", { name: "llm.json" }).click();
  await watched.page.locator(".goodput-source").waitFor();
  await watched.close();
});

test("in Japanese the input that an unknown factor needs is named in Japanese", async () => {
  const watched = await Watched.at(browser, server.url, `#/ledger/${ledger}/goodput?job=${ledger}:llm`, ".chip-hours", { language: "ja" });
  assert.match(await watched.text(".chips-missing"), /^不明: モデルとチップが必要です$/);
  await watched.close();
});

test("report.html has the run's goodput and each job in full", async () => {
  const file = join(folder, "report.html");
  stepscope("report", join(folder, "llm.json"), join(folder, "ledger"), "-o", file, "--no-redact");
  const watched = await Watched.open(browser, `file://${file}`);
  await watched.page.locator(".goodput-source").waitFor();
  assert.match(await watched.text(".goodput-source"), /^Goodput is of job llm/);
  await watched.go(`#/ledger/${ledger}`);
  await watched.page.locator(".job-losses tbody a", { hasText: "small" }).click();
  await watched.page.locator(".chip-hours").waitFor();
  assert.match(await watched.text("h1"), /Goodput/);
  await watched.close();
});
