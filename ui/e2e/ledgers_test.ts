// Tests a page with several ledgers: links to each, and one chosen job per ledger. The run is of none of their jobs.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { visible } from "../src/report/format";
import { openBrowser, Watched } from "./browser";
import { goodputOf, serve, stepscope, writeLedger, type Server } from "./job";
import { checkReport } from "./numbers";

const kRun = "jax_conv_on_a_cluster_2025_01_01_00_00_00";
const kJobs = { first: ["early", "late"], second: ["apart", "late too"] } as const;
type Name = keyof typeof kJobs;

let folder: string;
let server: Server;
let browser: Browser;
let ledgers: Record<Name, string>;
let run: string;

// The first and the second ledger have the same last name.
const ledgerAt = (name: Name): string => join(folder, name, "ledger");

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-ledgers-"));
  for (const name of Object.keys(kJobs) as Name[]) {
    mkdirSync(join(folder, name));
    writeLedger(join(folder, name), ledgerAt(name), kJobs[name]);
  }
  stepscope("demo", join(folder, kRun), "--steps", "3", "--layers", "2");
  server = await serve(join(folder, kRun), ledgerAt("first"), ledgerAt("second"));
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  const state = await watched.state();
  assert.deepEqual(state.ledgers.map(({ name }) => name), [ledgerAt("first"), ledgerAt("second")], "they are told apart");
  ledgers = { first: state.ledgers[0]!.id, second: state.ledgers[1]!.id };
  run = state.runs[0]!.id;
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const openHome = () => Watched.at(browser, server.url, `#/run/${run}`, ".goodput-source");

// The page of a ledger with several jobs opens on their list, whose links lead to each.
async function openJob(watched: Watched, name: Name, job: string): Promise<void> {
  await watched.page.waitForFunction((id) => location.hash.startsWith(`#/ledger/${id}`), ledgers[name]);
  await watched.page.locator(".job-losses tbody").getByRole("link", { name: job, exact: true }).click();
  await checkLedger(watched, name, job);
}

// On the page of a ledger, once it shows this job.
async function checkLedger(watched: Watched, name: Name, job: string): Promise<void> {
  const answer = goodputOf(ledgerAt(name), "--job", job);
  await watched.page.waitForFunction((text) => document.querySelector(".verdict")?.textContent === text, visible(answer.verdict));
  await checkReport(watched, answer.reports[0]!);
  assert.equal(await watched.page.inputValue("#choose-run"), `ledger ${ledgers[name]}`);
  assert.equal(await watched.page.inputValue("#choose-job"), job);
  const current = watched.page.locator("nav [aria-current='page']").first();
  assert.match((await current.getAttribute("href")) ?? "", new RegExp(`^#/ledger/${ledgers[name]}`));
  assert.match(await watched.text("#table-disruptions"), /1 row(?!s)/);
}

test("the summary shows the goodput of no job of another time, and the navigation leads to each ledger", async () => {
  const watched = await openHome();
  assert.match(await watched.text(".goodput-source"), /^Goodput is not shown: no job ran when the traces were recorded$/);
  assert.equal(await watched.page.locator("[data-metric='goodput.goodput_ratio']").count(), 0);
  await watched.checkAxe("the first screen with two ledgers");
  await watched.screenshot("ledgers");
  const links = watched.page.locator("nav#navigation").getByRole("link", { name: /^Goodput: / });
  assert.deepEqual(await links.allTextContents(), [`Goodput: ${ledgerAt("first")}`, `Goodput: ${ledgerAt("second")}`]);
  await links.nth(1).click();
  await openJob(watched, "second", "apart");
  await watched.close();
});

test("the header's choice goes from one ledger to the other", async () => {
  const watched = await openHome();
  const choices = await watched.page.locator("#choose-run option").allTextContents();
  assert.deepEqual(choices.slice(1), [`Goodput: ${ledgerAt("first")}`, `Goodput: ${ledgerAt("second")}`]);
  await watched.page.selectOption("#choose-run", `ledger ${ledgers.second}`);
  await openJob(watched, "second", "apart");
  await watched.page.selectOption("#choose-run", `ledger ${ledgers.first}`);
  await openJob(watched, "first", "early");
  await watched.close();
});

test("a job that was chosen stays with its ledger", async () => {
  const watched = await openHome();
  await watched.page.selectOption("#choose-run", `ledger ${ledgers.second}`);
  await openJob(watched, "second", "apart");
  await watched.page.selectOption("#choose-job", "late too");
  await checkLedger(watched, "second", "late too");
  // Another ledger knows no such job.
  await watched.page.selectOption("#choose-run", `ledger ${ledgers.first}`);
  await openJob(watched, "first", "early");
  await watched.page.selectOption("#choose-job", "late");
  await checkLedger(watched, "first", "late");
  await watched.page.selectOption("#choose-run", `run ${run}`);
  await watched.page.locator(".goodput-source").waitFor();
  await watched.page.goBack();
  await checkLedger(watched, "first", "late");
  await watched.close();
});

test("a long name in the navigation is cut to it, and whole in the tooltip", async () => {
  const watched = await openHome();
  await watched.page.selectOption("#choose-run", `ledger ${ledgers.first}`);
  await openJob(watched, "first", "early");
  const link = watched.page.locator(`nav#navigation a[href^='#/run/${run}']`);
  assert.equal(await link.getAttribute("title"), kRun);
  assert.equal(await link.textContent(), kRun, "to who searches the page");
  const right = (selector: string) => watched.page.locator(selector).last().evaluate((one) => one.getBoundingClientRect().right);
  assert.ok(await right(`nav#navigation a[href^='#/run/${run}'] .name`) <= await right("nav#navigation"), "it ends before the page's text begins");
  await watched.close();
});
