// Runs a browser and fails the test on console errors, requests to other origins, dialogs and axe-core violations.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { ReportSet } from "../src/data/report";
import type { State } from "../src/data/source";
import { inLanguage } from "../src/data/words";
import { kScreenshots } from "./job";

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export interface Looks {
  readonly language?: "en" | "ja";
  readonly theme?: "light" | "dark";
  readonly zoomed?: boolean;  // 200 %: half the room, twice the pixels
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
  assert.ok(executablePath, "the tests need Debian's chromium");
  mkdirSync(kScreenshots, { recursive: true });
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

export class Watched {
  readonly complaints: string[] = [];
  expected: RegExp | null = null;  // complaints that a test provokes
  private readonly learning: Promise<unknown>[] = [];
  private constructor(readonly page: Page, readonly context: BrowserContext, private readonly origin: string) {}

  static async open(browser: Browser, url: string, looks: Looks = {}): Promise<Watched> {
    const context = await browser.newContext({
      viewport: looks.zoomed ? { width: 700, height: 450 } : { width: 1400, height: 900 }, deviceScaleFactor: looks.zoomed ? 2 : 1,
      colorScheme: looks.theme ?? "light", locale: looks.language === "ja" ? "ja-JP" : "en-US", bypassCSP: false,
    });
    const page = await context.newPage();
    const watched = new Watched(page, context, new URL(url).origin);
    watched.listen();
    await page.goto(url);
    await page.waitForSelector("main h1, main .panel");
    if (url.startsWith("file:")) await watched.learnEmbedded();
    return watched;
  }

  private complain(text: string): void {
    if (!this.expected?.test(text)) this.complaints.push(text);
  }

  private listen(): void {
    this.page.on("console", (message) => { if (["error", "warning"].includes(message.type())) this.complain(`${message.type()}: ${message.text()}`); });
    this.page.on("pageerror", (error) => this.complain(`exception: ${error.message}`));
    this.page.on("dialog", (dialog) => { this.complain(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
    this.page.on("response", (response) => {
      const json = response.url().includes("/api/") && (response.headers()["content-type"] ?? "").includes("json");
      if (json) this.learning.push(response.json().then((answer: Partial<ReportSet> | null) => { this.learn(answer); }).catch(() => undefined));
    });
    this.page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== "data:" && protocol !== "blob:" && origin !== this.origin) this.complain(`request to ${request.url()}`);
    });
  }

  // Cells are shown as the words that answers bring to the page; the tests learn them as it does.
  async learned(): Promise<void> {
    await Promise.all(this.learning);
  }

  private learn(answer: Partial<ReportSet> | null): void {
    if (answer?.words && answer.reports && answer.run) inLanguage(answer as ReportSet, "en");
  }

  private async learnEmbedded(): Promise<void> {
    const block = await this.page.evaluate(() => document.getElementById("stepscope-data")?.textContent ?? "");
    const { answers, comparisons } = JSON.parse(inflateRawSync(Buffer.from(block, "base64")).toString()) as Record<string, Record<string, ReportSet> | undefined>;
    for (const answer of Object.values({ ...answers, ...comparisons })) this.learn(answer);
  }

  // To a page of the same document; waits until its heading is there.
  async go(hash: string): Promise<void> {
    await this.page.evaluate((next) => { location.hash = next; }, hash);
    await this.page.waitForFunction((next) => location.hash === next && !document.querySelector(".busy") && document.querySelector("main h1, main .panel, main canvas"), hash);
  }

  // The runs and ledgers that are served.
  state(): Promise<State> {
    return this.page.evaluate(async () => (await fetch("api/state")).json() as Promise<State>);
  }

  // What the server calls the runs at these paths, once all of them are read: as who is asked for is.
  async readRuns<Name extends string>(paths: Readonly<Record<Name, string>>): Promise<Record<Name, string>> {
    const { runs } = await this.state(), ids = {} as Record<Name, string>;
    for (const name of Object.keys(paths) as Name[]) {
      const folder = paths[name].split("/").at(-1);
      ids[name] = runs.find(({ path }) => path.endsWith(`/${folder}`))!.id;
      await this.go(`#/run/${ids[name]}`);
      await this.page.waitForSelector(".tiles");
    }
    return ids;
  }

  // On the page of this hash, once it has what the selector names.
  static async at(browser: Browser, url: string, hash: string, selector: string, looks: Looks = {}): Promise<Watched> {
    const watched = await Watched.open(browser, url, looks);
    await watched.go(hash);
    await watched.page.waitForSelector(selector);
    return watched;
  }

  // The verdict on the first screen: its first sentence is the heading, the rest a paragraph.
  async verdict(): Promise<string> {
    return (await this.page.locator("h1.verdict, .verdict-rest").allTextContents()).join(" ");
  }

  async text(selector: string): Promise<string> {
    return (await this.page.locator(selector).first().textContent()) ?? "";
  }

  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(kScreenshots, `${name}.png`) });
  }

  // What is wrong for people who use a screen reader, see colors otherwise, or have no mouse.
  async checkAxe(where: string): Promise<void> {
    const loaded = await this.page.evaluate(() => "axe" in window);
    if (!loaded) {
      // The page's policy allows no scripts but its own: axe comes in through the debugger, which it
      // does not govern.
      const { readFileSync } = await import("node:fs");
      await this.page.evaluate(readFileSync(axePath, "utf8"));
    }
    const violations = await this.page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(where: Document, options: object): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }> } };
      const found = await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
      return found.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")} (${nodes.length})`);
    });
    assert.deepEqual(violations, [], `axe-core on ${where}`);
  }

  async checkFits(where: string): Promise<void> {
    // A page that has just been drawn may be laid out once more.
    await this.page.waitForFunction(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1, undefined, { timeout: 2000 })
      .catch(() => undefined);
    const [wide, room] = await this.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth] as const);
    assert.ok(wide <= room + 1, `${where} is ${wide} px wide in a window of ${room} px`);
  }

  async close(): Promise<void> {
    await this.context.close();
    assert.deepEqual(this.complaints, []);
  }
}

// The timeline writes its state into the URL a little later than it shows it, and only where nothing moves. These two wait by the
// page's own clock: on a busy machine it falls behind together with what it waits for.
export async function urlAtRest(page: Page): Promise<URLSearchParams> {
  const hash = await page.evaluate(async () => {
    const pause = (ms: number) => new Promise((done) => { setTimeout(() => requestAnimationFrame(done), ms); });
    let before = "";
    for (await pause(400); before !== location.hash; await pause(300)) before = location.hash;
    return before;
  });
  return new URLSearchParams(hash.split("?")[1] ?? "");
}

export async function urlHas(page: Page, pattern: RegExp, where: string): Promise<void> {
  await page.waitForFunction((text) => new RegExp(text).test(location.hash), pattern.source)
    .catch(async () => assert.fail(`${where}: no ${pattern.source} in ${await page.evaluate(() => location.hash)}`));
}
