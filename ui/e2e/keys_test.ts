// Tests every key that the help lists, and that the help lists every key.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { makeJob, removeJob, serve, type Job, type Server } from "./job";

let job: Job;
let server: Server;
let browser: Browser;

before(async () => {
  job = makeJob();
  server = await serve(job.after, job.before, job.ledger);
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (job) removeJob(job);
});

const hash = (page: Page) => page.evaluate(() => location.hash);
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id ?? "");

async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(" ")) await page.keyboard.press(key.split("+").map((part) => ({ ctrl: "Control", shift: "Shift" })[part] ?? part).join("+"));
}

// What a key does on a report's page, as something that can be waited for.
const kEffects: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  "g h": (page) => page.waitForFunction(() => /^#\/run\/[^/?]+(\?|$)/.test(location.hash)),
  "g t": (page) => page.waitForFunction(() => /\/timeline(\?|$)/.test(location.hash)),
  "g i": (page) => page.waitForFunction(() => /\/input(\?|$)/.test(location.hash)),
  "g q": (page) => page.waitForFunction(() => /\/query(\?|$)/.test(location.hash)),
  "g c": (page) => page.waitForFunction(() => /\/compare(\?|$)/.test(location.hash)),
  "g l": (page) => page.waitForFunction(() => location.hash.startsWith("#/ledger/")),
  "]": (page) => page.waitForFunction(() => location.hash.includes("/report/") && !location.hash.includes("/temporal_breakdown")),
  "[": (page) => page.waitForFunction(() => location.hash.includes("/report/") && !location.hash.includes("/temporal_breakdown")),
  "g u": async (page) => assert.equal(await focused(page), "choose-run"),
  "g w": async (page) => assert.equal(await focused(page), "choose-with"),
  "g s": async (page) => assert.equal(await focused(page), "choose-steps"),
  "g r": async (page) => assert.equal(await focused(page), "choose-ranks"),
  "g a": async (page) => assert.doesNotMatch(await hash(page), /steps=/),
  "?": (page) => page.waitForSelector("dialog .keylist"),
  "ctrl+k": (page) => page.waitForSelector("dialog .finder-input"),
  "ctrl+shift+p": (page) => page.waitForSelector("dialog .finder-input"),
  "shift+d": (page) => page.waitForFunction(() => document.documentElement.dataset["theme"] === "dark"),
  "shift+j": (page) => page.waitForFunction(() => document.documentElement.lang === "ja"),
  "/": (page) => page.waitForFunction(() => document.activeElement?.classList.contains("filter")),
  "e": async () => undefined,    // the download is waited for there
  "g f": async () => undefined,  // and the choice of files
  "g p": (page) => page.waitForSelector("dialog form.capture"),
};

// The keys of a page's help, as the registry of commands writes them; not those that a heat map takes while it has the focus.
async function listed(page: Page): Promise<string[]> {
  await press(page, "?");
  await page.waitForSelector("dialog .keylist");
  const keys = await page.locator("dialog section:not(:has(h3:text-is('In a heat map'))) .keylist .keys > span").evaluateAll((all) => all.map((one) =>
    [...one.querySelectorAll(".press")].map((chord) => [...chord.querySelectorAll("kbd")].map((key) => key.textContent ?? "").join("+")).join(" ")));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  return keys.map((key) => key.replace("Ctrl", "ctrl").replace("Shift", "shift"));
}

async function startPage(watched: Watched): Promise<void> {
  const run = /#\/run\/([^/?]+)/.exec(await hash(watched.page))?.[1] ?? "";
  await watched.go(`#/run/${run}/report/temporal_breakdown?steps=4..6`);
  await watched.page.waitForSelector("#table-steps");
}

test("the help lists exactly the keys there are", async () => {
  const watched = await Watched.open(browser, server.url);
  await watched.page.waitForSelector(".tiles");
  await startPage(watched);
  assert.deepEqual((await listed(watched.page)).sort(), Object.keys(kEffects).sort());
  await watched.checkAxe("a report");
  await press(watched.page, "?");
  await watched.page.waitForSelector("dialog");
  await watched.checkAxe("the help");
  await watched.screenshot("keys");
  await watched.close();
});

for (const [key, effect] of Object.entries(kEffects)) {
  test(`key ${key}`, async () => {
    const watched = await Watched.open(browser, server.url);
    // The browser is told to report choosers some time after this is asked, so before all else.
    const event = key === "e" ? watched.page.waitForEvent("download") : key === "g f" ? watched.page.waitForEvent("filechooser") : null;
    await watched.page.waitForSelector(".tiles");
    await startPage(watched);
    await press(watched.page, key);
    await effect(watched.page);
    await event;
    await watched.close();
  });
}

test("the timeline's keys all work without a complaint", async () => {
  const watched = await Watched.open(browser, server.url);
  await watched.page.waitForSelector(".tiles");
  await press(watched.page, "g t");
  await watched.page.waitForSelector("main canvas");
  await watched.page.waitForTimeout(500);
  await watched.screenshot("timeline");
  await watched.checkAxe("the timeline");
  for (const key of await listed(watched.page)) {
    if (key in kEffects && key !== "/") continue; // those lead away
    const signs: Record<string, string> = { "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", Esc: "Escape" };
    await press(watched.page, key.replace(/[←→↑↓]|Esc/g, (sign) => signs[sign] ?? sign));
    await watched.page.waitForTimeout(40);
    await watched.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  }
  assert.ok(await watched.page.locator("main canvas").count());
  await watched.close();
});

test("the palette finds a page by a few letters and goes there", async () => {
  const watched = await Watched.open(browser, server.url);
  await watched.page.waitForSelector(".tiles");
  await press(watched.page, "ctrl+k");
  await watched.page.waitForSelector(".finder-input:focus");
  await watched.page.keyboard.type("memory_time");
  await watched.checkAxe("the palette");
  await watched.screenshot("palette");
  await watched.page.keyboard.press("Enter");
  await watched.page.waitForFunction(() => location.hash.endsWith("/report/memory_timeline"));
  await watched.close();
});

test("the heat map's cells are read with the arrow keys, and Enter takes the step", async () => {
  const watched = await Watched.open(browser, server.url);
  await watched.page.waitForSelector(".heat canvas");
  await watched.page.focus(".heat canvas");
  await press(watched.page, "ArrowRight");
  await watched.page.waitForFunction(() => /rank 0, step \d+: \d/.test(document.querySelector(".heat .readout")?.textContent ?? ""));
  await press(watched.page, "Enter");
  await watched.page.waitForFunction(() => /steps=\d+/.test(location.hash));
  await watched.close();
});
