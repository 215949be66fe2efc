// Tests the timeline's folds, search while typing, named marks, links from reports and back, histograms, flame graphs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { cellText, humanCount, visible } from "../src/report/format";
import { shownCell } from "../src/report/names";
import { informing } from "../src/report/rows";
import type { EventDetails, Hits, Matches, TimelineInfo } from "../src/data/source";
import type { ReportSet } from "../src/data/report";
import { startText } from "../src/timeline/ticks";
import { openBrowser, urlAtRest, Watched, type Looks } from "./browser";
import { answerOf, makeJob, removeJob, serve, stepscope, type Job, type Server } from "./job";

const kCanvas = ".tl-stick canvas";
const kRanks = 6;

let job: Job;
let many: string;
let server: Server;
let browser: Browser;
let ids: { readonly demo: string; readonly many: string };

const settled = (page: Page) => page.waitForFunction(() => performance.getEntriesByName("timeline complete").length > 0);

async function open(run: string, looks: Looks = {}, query = "", expected: RegExp | null = null): Promise<Watched> {
  const watched = await Watched.open(browser, server.url, looks);
  watched.expected = expected;
  await watched.page.evaluate((hash) => { location.hash = hash; }, `#/run/${run}/timeline${query}`);
  await settled(watched.page);
  return watched;
}

const get = <T>(page: Page, path: string): Promise<T> =>
  page.evaluate(async (url) => (await fetch(url)).json() as Promise<unknown>, `api/runs/${path}`) as Promise<T>;

const info = (page: Page, run: string) => get<TimelineInfo>(page, `${run}/timeline`);

const heads = (page: Page) => page.locator(".tl-heads .tl-head").evaluateAll((all) =>
  all.map((one) => `${one.className.replace(/tl-head tl-/, "")} ${one.querySelector(".tl-name")?.firstChild?.textContent} ${one.querySelector(".tl-fold")?.getAttribute("aria-expanded") ?? ""}`));

// How many pixels of the chart have the color of matches and selections.
const markedPixels = (page: Page, selector = kCanvas) => page.locator(selector).evaluate((element) => {
  const canvas = element as HTMLCanvasElement, color = getComputedStyle(document.documentElement).getPropertyValue("--select").trim();
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d", { willReadFrequently: true })!;
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) ++found;
  return found;
});

before(async () => {
  job = makeJob();
  many = join(job.folder, "many");
  stepscope("demo", many, "--ranks", String(kRanks), "--steps", "3");
  server = await serve(job.after, many);
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  ids = await watched.readRuns({ demo: job.after, many });
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (job) removeJob(job);
});

describe("folds", () => {
  test("more than four ranks open folded; all unfold and fold at once, by buttons and a key", async () => {
    const watched = await open(ids.many);
    const { page } = watched, { ranks } = await info(page, ids.many);
    const folded = ranks.map(({ name }) => `rank ${visible(name)} false`);
    assert.deepEqual(await heads(page), folded);
    await watched.screenshot("timeline-folded");
    await page.locator(".tl-folds button").nth(1).click();
    const all = await heads(page);
    assert.equal(all[0], `rank ${visible(ranks[0]!.name)} true`);
    assert.ok(all.length > 8 && !all.some((text) => text.startsWith("group") && text.endsWith("false")), all.join("; "));
    assert.match((await urlAtRest(page)).get("fold") ?? "", /open/);
    await page.locator(kCanvas).focus();
    await page.keyboard.press("Shift+C");
    assert.deepEqual(await heads(page), folded);
    await page.keyboard.press("Shift+C");
    assert.deepEqual(await heads(page), all);
    await urlAtRest(page);
    await page.reload();
    await settled(page);
    assert.deepEqual(await heads(page), all, "the link keeps it");
    await watched.close();
  });

  test("counters stand below what runs", async () => {
    const watched = await open(ids.demo);
    const { tracks } = await info(watched.page, ids.demo);
    const first = tracks.filter(({ rank_index, group }) => rank_index === 0 && group === tracks.find(({ kind }) => kind === "stream")!.group).map(({ kind }) => kind);
    assert.ok(first.includes("counter"));
    assert.ok(first.lastIndexOf("stream") < first.indexOf("counter"), first.join());
    await watched.close();
  });

  test("an area over counters alone selects nothing, and says so", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    await page.fill("#timeline-filter", "memory");
    await page.keyboard.press("Escape");
    await page.locator(kCanvas).focus();
    const asked: string[] = [];
    page.on("request", (request) => { if (request.url().includes("/select")) asked.push(request.url()); });
    await page.keyboard.press("r");
    await page.waitForSelector(".tl-nothing");
    assert.equal(await page.locator(".tl-area tbody tr").count(), 0);
    assert.match((await urlAtRest(page)).get("area") ?? "", /:none$/);
    await page.reload();
    await settled(page);
    await page.waitForSelector(".tl-nothing");
    assert.deepEqual(asked, []);
    await watched.close();
  });

  const kNoAnswer = /400|422/;  // of the reports

  test("ranks that are none, or not there, are said", async () => {
    for (const [query, says] of [["banana", /is no choice of ranks/], ["77", /it has ranks 0 to 5/]] as const) {
      const watched = await open(ids.many, {}, `?ranks=${query}`, kNoAnswer);
      assert.match(await watched.text(".tl-wrong[role=alert]"), says);
      await watched.close();
    }
    const japanese = await open(ids.many, { language: "ja" }, "?ranks=77", kNoAnswer);
    assert.match(await japanese.text(".tl-wrong"), /0 から 5/);
    await japanese.close();
  });

  test("a link keeps where it is scrolled to", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    await page.locator(".tl-scroll").evaluate((scroller) => scroller.scrollTo({ top: 333 }));
    const top = (await urlAtRest(page)).get("top")!;
    assert.match(top, /^\d+:/);
    const other = await open(ids.demo, {}, `?${(await urlAtRest(page)).toString()}`);
    await other.page.waitForFunction(() => Math.abs(document.querySelector(".tl-scroll")!.scrollTop - 333) <= 1);
    assert.equal((await urlAtRest(other.page)).get("top"), top);
    await other.close();
    await page.locator(".tl-scroll").evaluate((scroller) => scroller.scrollTo({ top: 0 }));
    assert.equal((await urlAtRest(page)).get("top"), null);
    await watched.close();
  });
});

describe("search", () => {
  test("finds while typing, marks what it finds, and selects only when told", async () => {
    const watched = await open(ids.many);
    const { page } = watched, before = await markedPixels(page);
    const { total } = await get<Matches>(page, `${ids.many}/timeline/find?q=allreduce&limit=1`);
    await page.keyboard.press("/");
    await page.keyboard.type("allreduce");
    await page.waitForFunction((text) => document.querySelector("#timeline-found")?.textContent === text, `${humanCount(total)} found`);
    assert.equal((await urlAtRest(page)).get("sel"), null);
    await page.waitForTimeout(400);
    assert.ok(await markedPixels(page) > before + 100, "matches are marked on the tracks");
    assert.ok(await markedPixels(page, ".tl-overview canvas") > 20, "and on the strip above");
    await watched.screenshot("timeline-search");
    await page.keyboard.press("Enter");
    await page.waitForFunction((text) => document.querySelector("#timeline-found")?.textContent === text, `1 of ${humanCount(total)}`);
    await page.keyboard.press("Escape");
    const ranks = new Set<string>();
    for (let i = 0; i < 2 * kRanks; ++i) {
      ranks.add(await watched.text(".tl-details dd[data-field=rank]"));
      await page.keyboard.press("n");
      await page.waitForFunction((text) => document.querySelector("#timeline-found")?.textContent === text, `${i + 2} of ${humanCount(total)}`);
    }
    assert.equal(ranks.size, kRanks, "steps go over all ranks, folded as they are");
    await watched.close();
  });

  test("marks lie where the server says that matches are", async () => {
    const watched = await open(ids.demo, {}, "?find=allreduce");
    const { page } = watched;
    const asked = await page.waitForResponse((response) => response.url().includes("/hits") && response.url().includes("tracks="));
    const { rows } = await asked.json() as Hits, url = new URL(asked.url()), { tracks } = await info(page, ids.demo);
    assert.ok(rows.length > 0 && rows.every(({ track }) => tracks[track]!.kind !== "counter"));
    const { matches } = await get<Matches>(page, `${ids.demo}/timeline/find?q=allreduce&limit=10000`);
    const from = Number(url.searchParams.get("from")), to = Number(url.searchParams.get("to")), buckets = Number(url.searchParams.get("buckets"));
    for (const { track, stretches } of rows) {
      const at = (time: number) => Math.min(buckets - 1, Math.floor(((time - from) / (to - from)) * buckets));
      const want = new Set(matches.filter((match) => match.track === track).map(({ start }) => at(start)));
      for (const bucket of want) assert.ok(stretches.some((_, i) => i % 2 === 0 && bucket >= stretches[i]! && bucket <= stretches[i + 1]!), `${track} ${bucket}`);
    }
    await watched.close();
  });

  test("a regular expression is one only where it is said to be; what is none is said", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, regex = encodeURIComponent("^aten::(mm|add)$");
    const { total } = await get<Matches>(page, `${ids.demo}/timeline/find?q=${regex}&regex=1&limit=1`);
    assert.ok(total > 10);
    await page.fill("#timeline-search", "^aten::(mm|add)$");
    await page.waitForFunction(() => document.querySelector("#timeline-found")?.textContent === "0 found");
    await page.locator(".tl-regex").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((text) => document.querySelector("#timeline-found")?.textContent === text, `${humanCount(total)} found`);
    assert.equal(await page.locator(".tl-regex").getAttribute("aria-pressed"), "true");
    await urlAtRest(page);
    await page.reload();
    await settled(page);
    await page.waitForFunction((text) => document.querySelector("#timeline-found")?.textContent === text, `${humanCount(total)} found`);
    watched.expected = /400/;
    await page.fill("#timeline-search", "aten::(");
    await page.waitForFunction(() => /regular expression: missing \)/.test(document.querySelector("#timeline-found")?.textContent ?? ""));
    assert.equal(await page.locator(".problem").count(), 0);
    await page.fill("#timeline-search", "aten::(mm)");
    await page.waitForFunction(() => / found$/.test(document.querySelector("#timeline-found")?.textContent ?? ""));
    await watched.checkAxe("a search");
    await watched.close();
  });
});

describe("marks", () => {
  test("are listed, named, gone to and taken away; the link has their names", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, box = (await page.locator(kCanvas).boundingBox())!;
    for (const x of [200, 600]) {
      await page.mouse.move(box.x + x, box.y + 100);
      await page.keyboard.press("m");
    }
    assert.equal(await page.locator(".tl-marks li").count(), 2);
    await page.locator(".tl-marks input").first().fill("slow step, 50 %");
    assert.match((await urlAtRest(page)).get("marks") ?? "", /~slow%20step%2C%2050%20%25/);
    const [first, second] = (await urlAtRest(page)).get("marks")!.split(",").map((text) => Number(text.split("~")[0]));
    await page.mouse.move(5, 5);
    await watched.screenshot("timeline-marks-list");
    await watched.checkAxe("marks");
    await page.reload();
    await settled(page);
    assert.equal(await page.locator(".tl-marks input").first().inputValue(), "slow step, 50 %");
    await page.locator(kCanvas).focus();
    await page.keyboard.down("w");
    await page.waitForTimeout(500);
    await page.keyboard.up("w");
    await page.locator(".tl-marks .tl-goto").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
    const query = await urlAtRest(page), middle = (Number(query.get("from")) + Number(query.get("to"))) / 2;
    assert.ok(Math.abs(middle - first!) < Math.abs(second! - first!) / 20, `${middle} is not ${first}`);
    await page.locator(".tl-marks li button:last-child").first().click();
    assert.equal(await page.locator(".tl-marks li").count(), 1);
    assert.equal(Number((await urlAtRest(page)).get("marks")), second);
    await watched.close();
  });
});

describe("from reports and back", () => {
  test("a finding leads to its rank and steps, pinned, selected, and back", async () => {
    const { reports } = answerOf(many), straggler = reports.find(({ analysis }) => analysis === "stragglers")!.findings[0]!;
    const watched = await Watched.open(browser, server.url);
    await watched.go(`#/run/${ids.many}/report/stragglers`);
    const { page } = watched;
    assert.ok(await page.locator(".finding .try a").count() > 0, "its advice is a link");
    await page.locator(".finding .to-timeline").first().click();
    await settled(page);
    await page.waitForSelector(".tl-pinned .tl-head");
    const { ranks, tracks, steps } = await info(page, ids.many), query = await urlAtRest(page);
    const pins = query.get("pins")!.split(",").map(Number);
    assert.ok(pins.every((id) => ranks[tracks[id]!.rank_index]!.rank === straggler.cause!.rank && tracks[id]!.kind === "stream"));
    assert.equal([...query.keys()].filter((key) => key.startsWith("show.")).length, 0);
    await page.waitForSelector(".tl-details h2");
    assert.equal(await watched.text(".tl-details dd[data-field=rank]"), String(straggler.cause!.rank));
    if (straggler.since_step != null) {
      const of = steps.filter(({ number, rank_index }) => number === straggler.since_step && ranks[rank_index]!.rank === straggler.cause!.rank);
      assert.ok(Number(query.get("from")) < of[0]!.start && Number(query.get("to")) > of[0]!.end);
    }
    await page.mouse.move(5, 5);
    await watched.screenshot("timeline-from-finding");
    await watched.checkAxe("the timeline from a finding");
    await page.locator(".tl-back").click();
    await page.waitForFunction(() => location.hash.includes("/report/stragglers"));
    await watched.close();
  });

  test("a row leads to the longest event of its name on its rank; the event leads to its analyses", async () => {
    const watched = await Watched.open(browser, server.url);
    await watched.go(`#/run/${ids.demo}/report/kernels`);
    const { page } = watched, row = page.locator("#table-kernels tbody tr").nth(2);
    const { reports: [report] } = answerOf(job.after, "--only", "kernels");
    const table = report!.tables.find(({ key }) => key === "kernels")!, at = (key: string) => table.columns.findIndex((column) => column.key === key);
    const cells = table.rows[2]!;
    assert.equal(await row.locator("th, td").first().textContent(), shownCell({ key: "name", unit: "" }, cells[0]), "a cell has its value alone");
    await row.locator(".in-timeline").focus();
    await page.keyboard.press("Enter");
    await settled(page);
    await page.waitForSelector(".tl-details h2");
    const { tracks } = await info(page, ids.demo), [track, event] = (await urlAtRest(page)).get("sel")!.split(".");
    const details = await get<EventDetails>(page, `${ids.demo}/timeline/event?track=${track}&event=${event}`);
    assert.equal(details.name, cells[at("name")]);
    assert.equal(details.rank, Number(cells[at("rank")]));
    assert.equal(details.duration, cells[at("max")], "the longest of its rank");
    assert.equal(tracks[details.track]!.kind, "stream");
    const back = page.locator(".tl-analyses a").first();
    await back.click();
    await page.waitForSelector("#table-top tbody tr");
    assert.deepEqual(await page.locator("#table-top tbody tr").evaluateAll((all) => all.map((one) => one.querySelector("th, td")?.textContent)), [visible(details.name)]);
    await watched.close();
  });

  test("what is not in the run is said", async () => {
    const watched = await open(ids.demo, {}, "?show.rank=99&show.step=3");
    await watched.page.waitForFunction(() => /rank 99/.test(document.querySelector(".tl-notice")?.textContent ?? ""));
    await watched.close();
    const none = await open(ids.demo, {}, "?show.name=no%20such%20kernel");
    await none.page.waitForFunction(() => /no such kernel/.test(document.querySelector(".tl-notice")?.textContent ?? ""));
    await none.close();
  });
});

describe("sums", () => {
  test("a bar of the histogram leads to the events of its length, one after another", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    await page.fill("#timeline-search", "aten::mm");
    await page.locator("#timeline-search").press("Enter");
    await page.waitForSelector(".tl-bar");
    const [track, event] = (await urlAtRest(page)).get("sel")!.split(".");
    const { reports: [report] } = await get<ReportSet>(page, `${ids.demo}/timeline/occurrences?track=${track}&event=${event}`);
    const points = report!.series[0]!.points as [number, number][];
    assert.equal(await page.locator(".tl-bar").count(), points.length);
    const few = points.reduce((best, [, count], i) => (count > 0 && (points[best]![1] === 0 || count < points[best]![1]) ? i : best), 0);
    const heights = await page.locator(".tl-bar span").evaluateAll((all) => all.map((one) => (one as HTMLElement).getBoundingClientRect().height));
    assert.ok(points.every(([, count], i) => (count > 0) === (heights[i]! > 1)), "what there is is seen");
    await watched.screenshot("timeline-histogram");
    const seen = new Set<string>(), upper = points[few + 1]?.[0] ?? Infinity;
    for (let i = 0; i < points[few]![1] + 1 && i < 4; ++i) {
      const asked = page.waitForResponse((response) => response.url().includes("/again"));
      await page.locator(".tl-bar").nth(few).focus();
      await page.keyboard.press("Enter");
      const one = await (await asked).json() as EventDetails;
      assert.ok(one.name === "aten::mm" && one.duration >= points[few]![0] && one.duration < upper, `${one.duration}`);
      seen.add(`${one.track}.${one.event}`);
      await page.waitForFunction((sel) => new RegExp(`sel=${sel}(&|$)`).test(location.hash), `${one.track}.${one.event}`);
      await page.waitForSelector(".tl-bar");
    }
    assert.equal(seen.size, Math.min(points[few]![1], 4));
    await watched.checkAxe("a histogram");
    await watched.close();
  });

  test("a track's flame graph, and callers and callees of a name, have the server's numbers", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    await page.fill("#timeline-search", "aten::mm");
    await page.locator("#timeline-search").press("Enter");
    await page.waitForSelector(".tl-calls button");
    await page.locator(".tl-calls button").first().click();
    await page.waitForSelector(".tl-callees .flame-part");
    const [track, event] = (await urlAtRest(page)).get("sel")!.split(".");
    const { end } = await info(page, ids.demo);
    const ask = (more: string) => get<ReportSet>(page, `${ids.demo}/timeline/select?by=stack&from=0&to=${end + 1}&tracks=${track}${more}`);
    const { reports: [sandwich] } = await ask(`&track=${track}&event=${event}`);
    for (const key of ["callers", "callees"]) {
      const table = sandwich!.tables.find((one) => one.key === key)!, [path, name, count, total] = table.rows[0]!;
      assert.deepEqual([path, name], ["aten::mm", "aten::mm"]);
      const says = await page.locator(`.tl-${key} .flame-part`).first().getAttribute("aria-label");
      assert.ok(says!.includes(cellText(count, "count")) && says!.includes(cellText(total, "ns")), says!);
    }
    assert.ok(sandwich!.tables[0]!.rows.length > 1, "somebody calls it");
    await watched.screenshot("timeline-sandwich");
    await page.locator(".tl-calls button").nth(1).click();
    await page.waitForSelector(".tl-area .flame-part");
    const { reports: [flame] } = await get<ReportSet>(page, `${ids.demo}/timeline/select?by=stack&from=0&to=${end}&tracks=${track}`);
    const paths = flame!.tables[0]!, columns = informing(paths, null);
    const rows = paths.rows.slice(0, 5).map((row) => columns.map((at) => shownCell(paths.columns[at]!, row[at])).join("|"));
    assert.deepEqual((await page.locator(".tl-area tbody tr").evaluateAll((all) => all.map((one) => [...one.children].map((cell) => cell.textContent).join("|")))).slice(0, 5), rows);
    assert.match((await urlAtRest(page)).get("area") ?? "", new RegExp(`:${track}$`));
    await watched.checkAxe("a flame graph");
    await watched.screenshot("timeline-flame");
    await watched.close();
  });
});

describe("two runs", () => {
  test("on one axis: their steps begin together, and each event is its run's", async () => {
    const watched = await open(ids.demo, {}, `?with=${ids.many}`);
    const { page } = watched, [a, b] = [await info(page, ids.demo), await info(page, ids.many)];
    await page.waitForFunction((ranks) => document.querySelectorAll(".tl-rank").length === ranks, a.ranks.length + b.ranks.length);
    const names = await page.locator(".tl-rank .tl-name").allTextContents();
    assert.deepEqual([names[0], names.at(-1)], [`after: ${visible(a.ranks[0]!.name)}`, `many: ${visible(b.ranks.at(-1)!.name)}`]);
    const begin = (one: TimelineInfo) => {
      const second = [...new Set(one.steps.map(({ number }) => number))].sort((x, y) => x - y)[1];
      return Math.min(...one.steps.filter(({ number }) => number === second).map(({ start }) => start));
    };
    const shift = Math.max(0, begin(a) - begin(b)), other = Math.max(0, begin(b) - begin(a));
    const [ofA, ofB] = await Promise.all([ids.demo, ids.many].map((run) => get<Matches>(page, `${run}/timeline/find?q=allreduce&limit=1`))) as [Matches, Matches];
    await page.fill("#timeline-search", "allreduce");
    await page.waitForFunction((text) => document.querySelector("#timeline-found")?.textContent === text, `${humanCount(ofA.total + ofB.total)} found`);
    await page.locator("#timeline-search").press("Enter");
    await page.waitForSelector(".tl-details h2");
    const [track, event] = (await urlAtRest(page)).get("sel")!.split(".").map(Number) as [number, number];
    const first = ofA.matches[0]!.start + other <= ofB.matches[0]!.start + shift ? ofA.matches[0]! : { ...ofB.matches[0]!, track: ofB.matches[0]!.track + a.tracks.length };
    assert.deepEqual([track, event], [first.track, first.event]);
    const theirs = b.tracks.find(({ kind, events, name }) => kind === "stream" && events > 10 && /^stream \d+$/.test(name))!;
    const asked = page.waitForRequest((request) => request.url().includes(`${ids.many}/timeline/event?track=${theirs.id}&event=5`));
    await page.evaluate((sel) => { location.hash = location.hash.replace(/sel=[^&]*/, `sel=${sel}`); }, `${a.tracks.length + theirs.id}.5`);
    await asked;
    const details = await get<EventDetails>(page, `${ids.many}/timeline/event?track=${theirs.id}&event=5`);
    await page.waitForFunction((name) => document.querySelector(".tl-details h2")?.textContent === name, visible(details.name));
    assert.equal(await watched.text(".tl-details dd[data-field=start]"), startText(details.start + shift, details.duration));
    assert.ok(await markedPixels(page) > 100);
    await page.mouse.move(5, 5);
    await watched.screenshot("timeline-pair");
    await watched.checkAxe("two runs");
    await page.keyboard.press("Shift+C");
    await page.locator(kCanvas).focus();
    await page.keyboard.press("r");
    await page.waitForSelector(".tl-area section.table tbody tr");
    assert.equal(await page.locator(".tl-area section.table").count(), 1, "one table of both");
    assert.equal(await watched.text(".tl-area section.table h3"), "many → after, by name");
    const heads = await page.locator(".tl-area th[scope=col]").allTextContents();
    assert.deepEqual(heads.slice(0, 9), ["name", ...["sum", "events"].flatMap((of) => [`${of}, before`, `${of}, after`, `${of}, after - before`, `${of}, change`])]);
    const [from, to] = (await urlAtRest(page)).get("area")!.split(":")[0]!.split("..").map(Number) as [number, number];
    assert.ok(to > from);
    await watched.screenshot("timeline-pair-area");
    await page.getByRole("button", { name: "stack", exact: true }).press("Enter");
    await page.waitForSelector(".tl-area .flame-part");
    assert.equal(await page.locator(".tl-area .flame").count(), 1, "one flame graph of both");
    await watched.checkAxe("the area of two runs");
    await watched.close();
  });
});

test("what is selected stays in sight when all is unfolded", async () => {
  const watched = await open(ids.many), { page } = watched, { tracks, ranks } = await info(page, ids.many);
  const last = tracks.find(({ kind, events, rank_index }) => kind === "stream" && events > 10 && rank_index === ranks.length - 1)!;
  await page.evaluate((hash) => { location.hash = hash; }, `#/run/${ids.many}/timeline?sel=${last.id}.5`);
  await page.waitForSelector(".tl-details h2");
  await page.getByRole("button", { name: "Unfold all" }).press("Enter");
  await page.waitForFunction((name) => {
    const box = document.querySelector(".tl-scroll")!.getBoundingClientRect(), heads = [...document.querySelectorAll(".tl-track")].filter((one) => one.querySelector(".tl-name")?.textContent === name);
    return document.querySelector(".tl-scroll")!.scrollTop > 300 && heads.some((one) => one.getBoundingClientRect().top >= box.top && one.getBoundingClientRect().bottom <= box.bottom);
  }, visible(last.name));
  await watched.close();
});

test("two runs begin together with the step that a link is about, or that an event is in", async () => {
  const watched = await open(ids.demo, {}, `?with=${ids.many}`), { page } = watched, [a, b] = [await info(page, ids.demo), await info(page, ids.many)];
  const both = [...new Set(a.steps.map(({ number }) => number))].sort((x, y) => x - y).filter((number) => b.steps.some((step) => step.number === number));
  const said = (step: number) => page.waitForFunction((text) => document.querySelector(".tl-tools")?.textContent?.includes(text), `step ${step} and step ${step} begin together`);
  const last = both.at(-1)!;
  assert.ok(both.length > 2);
  await page.evaluate((next) => { location.hash = next; }, `#/run/${ids.demo}/timeline?show.step=${last - 1}..${last}&with=${ids.many}`);
  await said(last);
  await page.waitForFunction((align) => new RegExp(`[?&]align=${align}(&|$)`).test(location.hash), last);
  const first = a.tracks.find(({ kind, events }) => kind === "stream" && events > 10)!;
  await page.evaluate((next) => { location.hash = next; }, `#/run/${ids.demo}/timeline?with=${ids.many}&align=${last}&sel=${first.id}.5`);
  const button = page.locator(".tl-align");
  const step = Number(/\d+/.exec((await button.textContent())!)![0]);
  assert.ok(step !== last && both.includes(step));
  await button.press("Enter");
  await said(step);
  await page.waitForFunction((sel) => new URLSearchParams(location.hash.split("?")[1]).get("sel") === sel && document.querySelector(".tl-details h2"), `${first.id}.5`);
  assert.equal(await button.count(), 0);
  await watched.close();
});

test("a run that is chosen to compare with comes beside this one in the timeline, and goes again", async () => {
  const watched = await open(ids.demo, {}, "?filter=rank"), { page } = watched;
  await page.selectOption("#choose-with", ids.many);
  await page.waitForFunction(() => document.querySelector(".tl-tools")?.textContent?.includes("on one axis"));
  assert.match(await page.evaluate(() => location.hash), new RegExp(`^#/run/${ids.demo}/timeline\\?.*with=${ids.many}`));
  assert.equal(await page.inputValue("#timeline-filter"), "rank");
  await page.selectOption("#choose-with", "");
  await page.waitForFunction(() => !document.querySelector(".tl-tools")?.textContent?.includes("on one axis"));
  assert.match(await page.evaluate(() => location.hash), /\/timeline\?filter=rank$/);
  await watched.close();
});

test("a compared row leads to both runs on one axis, and back to the comparison", async () => {
  const watched = await Watched.at(browser, server.url, `#/run/${ids.demo}/compare?with=${ids.many}`, ".pair"), { page } = watched;
  await page.locator("main figure a.in-timeline").first().click();
  await page.waitForFunction(() => document.querySelectorAll(".tl-rank").length > 6);
  assert.match(await page.evaluate(() => location.hash), new RegExp(`with=${ids.many}`));
  assert.match(await page.evaluate(() => location.hash), /back=compare:/);
  await page.locator(".tl-back").click();
  await page.waitForSelector(".who");
  assert.match(await page.evaluate(() => location.hash), /\/compare\//);
  await watched.close();
});

test("two runs, ranks and counters are named in Japanese", async () => {
  const watched = await open(ids.demo, { language: "ja" }, `?with=${ids.many}`);
  await watched.page.waitForFunction(() => document.querySelectorAll(".tl-rank").length > 6);
  assert.equal((await watched.page.locator(".tl-rank .tl-name").allTextContents())[0], "after: ランク 0");
  assert.match((await info(watched.page, ids.demo)).words?.["ja"]?.["bandwidth of HtoD"] ?? "", /帯域幅$/);
  await watched.close();
});

describe("files", () => {
  // The traces of the job, as a browser has files that are dropped.
  const files = (folder: string) => readdirSync(folder).filter((name) => name.includes("rank")).slice(0, 2).map((name) => join(folder, name));

  test("that are dropped on the page open", async () => {
    const watched = await Watched.open(browser, server.url);
    const { page } = watched, names = files(job.before);
    assert.equal(names.length, 2);
    const data = await page.evaluateHandle((all) => {
      const transfer = new DataTransfer();
      for (const { name, text } of all) transfer.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name));
      return transfer;
    }, names.map((name) => ({ name: basename(name), text: readFileSync(name).toString("base64") })));
    await page.dispatchEvent("body", "dragover", { dataTransfer: data });
    await page.waitForSelector(".drop");
    await watched.screenshot("timeline-drop");
    await watched.checkAxe("files over the page");
    await page.dispatchEvent("body", "drop", { dataTransfer: data });
    await page.waitForFunction(() => /run\/[0-9a-f]+\/timeline/.test(location.hash) && document.querySelector(".tl-rank"));
    const run = /run\/([0-9a-f]+)/.exec(await page.evaluate(() => location.hash))![1]!;
    const { ranks } = await info(page, run), of = answerOf(job.before);
    assert.equal(ranks.length, 2);
    assert.ok(of.run.files.length >= 2);
    await settled(page);
    assert.equal(await page.locator(".drop").count(), 0);
    await watched.close();
  });

  test("that are chosen open too; what is no trace is said", async () => {
    const watched = await Watched.open(browser, server.url);
    const { page } = watched;
    await page.setInputFiles("#open-files", files(job.before)[0]!);
    await page.waitForFunction(() => /run\/[0-9a-f]+\/timeline/.test(location.hash) && document.querySelector(".tl-rank, .tl-head"));
    watched.expected = /422/;
    await page.setInputFiles("#open-files", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no trace") });
    await page.waitForFunction(() => /no trace/.test(document.querySelector(".drop .problem, .drop")?.textContent ?? ""));
    await watched.close();
  });
});

describe("everybody", () => {
  for (const looks of [{ theme: "dark", language: "ja" }, { theme: "light", language: "ja" }] as const) {
    test(`search, marks and details in ${looks.theme}, ${looks.language}`, async () => {
      const watched = await open(ids.many, looks, "?find=allreduce&marks=1000000~%E9%81%85%E3%81%84,5000000..9000000");
      await watched.page.locator("#timeline-search").press("Enter");
      await watched.page.waitForSelector(".tl-bar");
      await watched.page.waitForTimeout(400);
      assert.ok(await markedPixels(watched.page) > 100);
      await watched.checkAxe(`the timeline, ${looks.theme}, ${looks.language}`);
      await watched.checkFits("the timeline");
      await watched.screenshot(`timeline-find-${looks.theme}-${looks.language}`);
      await watched.close();
    });
  }
});
