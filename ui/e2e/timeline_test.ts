// Tests the timeline: zoom, pan, search, selection, areas, pins and the URL. Details equal the server's.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { cellText, humanCount, humanTime, visible } from "../src/report/format";
import type { EventDetails, Matches, TimelineInfo } from "../src/data/source";
import type { ReportSet } from "../src/data/report";
import { learnNames } from "../src/data/short_names";
import { shownCell } from "../src/report/names";
import { informing } from "../src/report/rows";
import { startText } from "../src/timeline/ticks";
import { openBrowser, urlAtRest, Watched, type Looks } from "./browser";
import { kHostileNames, makeJob, removeJob, serve, type Job, type Server } from "./job";

const kCanvas = ".tl-stick canvas";

let job: Job;
let server: Server;
let browser: Browser;
let ids: { readonly demo: string; readonly hostile: string };

async function open(run: string, looks: Looks = {}, query = ""): Promise<Watched> {
  const watched = await Watched.open(browser, server.url, looks);
  await watched.page.evaluate((hash) => { location.hash = hash; }, `#/run/${run}/timeline${query}`);
  await settled(watched.page);
  return watched;
}

// The picture has all its tiles.
const settled = (page: Page) => page.waitForFunction(() => performance.getEntriesByName("timeline complete").length > 0);

const get = <T>(page: Page, path: string): Promise<T> =>
  page.evaluate(async (url) => (await fetch(url)).json() as Promise<unknown>, `api/runs/${path}`) as Promise<T>;

const info = (page: Page, run: string) => get<TimelineInfo>(page, `${run}/timeline`);

async function view(page: Page): Promise<{ from: number; to: number; sel: string }> {
  const query = await urlAtRest(page);
  return { from: Number(query.get("from") ?? NaN), to: Number(query.get("to") ?? NaN), sel: query.get("sel") ?? "" };
}

const selects = (page: Page, ref: { readonly track: number; readonly event: number }) =>
  page.waitForFunction((sel) => new RegExp(`sel=${sel}(&|$)`).test(location.hash), `${ref.track}.${ref.event}`);

async function find(page: Page, q: string): Promise<void> {
  await page.keyboard.press("/");
  await page.fill("#timeline-search", q);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /\d/.test(document.querySelector("#timeline-found")?.textContent ?? ""));
  await page.keyboard.press("Escape");
}

// What the panel of details shows must be what the server says about the event of the URL.
async function checkDetails(page: Page, run: string): Promise<EventDetails> {
  const { sel } = await view(page);
  const [track, event] = sel.split(".");
  const details = await get<EventDetails>(page, `${run}/timeline/event?track=${track}&event=${event}`);
  await page.waitForFunction((name) => document.querySelector(".tl-details h2")?.textContent === name, visible(details.name));
  const shown = await page.locator(".tl-details dd[data-field]").evaluateAll((all) =>
    Object.fromEntries(all.map((one) => [one.getAttribute("data-field") ?? "", one.textContent ?? ""])));
  assert.equal(shown["start"], startText(details.start, details.duration));
  assert.equal(shown["duration"], humanTime(details.duration));
  assert.equal(shown["rank"], String(details.rank));
  for (const { key, value, unit } of details.fields) assert.equal(shown[`field.${key}`], cellText(value, unit), key);
  assert.equal(await page.locator(".tl-details ol.tl-list li").count(), details.stack.length);
  assert.equal(await page.locator(".tl-details ul.tl-list li").count(), details.links.length);
  return details;
}

// The share of the chart's pixels that are not of the commonest color.
const paintedShare = (page: Page) => page.locator(kCanvas).evaluate((element) => {
  const canvas = element as HTMLCanvasElement;
  const words = new Uint32Array(canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const counts = new Map<number, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return 1 - Math.max(...counts.values()) / words.length;
});

before(async () => {
  job = makeJob();
  server = await serve(job.after, job.hostile);
  browser = await openBrowser();
  const watched = await Watched.open(browser, server.url);
  ids = await watched.readRuns({ demo: job.after, hostile: job.hostile });
  await watched.close();
});

after(async () => {
  await browser?.close();
  server?.stop();
  if (job) removeJob(job);
});

describe("the view", () => {
  test("opens with the whole run, its ranks and tracks", async () => {
    const watched = await open(ids.demo);
    const { ranks } = await info(watched.page, ids.demo);
    const heads = await watched.page.locator(".tl-rank .tl-name").allTextContents();
    assert.deepEqual(heads.slice(0, 2), ranks.slice(0, 2).map(({ name }) => visible(name)));
    assert.ok(await paintedShare(watched.page) > 0.05, "the picture is blank");
    await watched.screenshot("timeline-whole");
    await watched.close();
  });

  test("keys, wheel and the strip above zoom and pan", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, { end } = await info(page, ids.demo);
    const box = (await page.locator(kCanvas).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 80);
    await page.keyboard.down("w");
    await page.waitForTimeout(600);
    await page.keyboard.up("w");
    const near = await view(page);
    assert.ok(near.to - near.from < end / 3, "w zooms in");
    assert.ok(Math.abs((near.from + near.to) / 2 - end / 2) < end * 0.05, "around the pointer");
    await page.keyboard.press("d");
    const right = await view(page);
    assert.ok(right.from > near.from && Math.abs((right.to - right.from) / (near.to - near.from) - 1) < 1e-3, "d pans");
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    const wheeled = await view(page);
    assert.ok(wheeled.to - wheeled.from < (right.to - right.from) * 0.9, "ctrl and wheel zoom in");
    await page.mouse.wheel(0, 200);
    await page.waitForFunction(() => document.querySelector(".tl-scroll")!.scrollTop > 0);
    await page.locator(".tl-overview").focus();
    await page.keyboard.press("PageDown");
    const out = await view(page);
    assert.ok(Math.abs((out.to - out.from) / (wheeled.to - wheeled.from) - 2) < 0.01, "the strip listens to keys");
    await page.locator(kCanvas).focus();
    await page.keyboard.press("0");
    assert.ok(Number.isNaN((await view(page)).from), "0 shows all");
    await watched.close();
  });

  test("a drag measures the time between two points", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, box = (await page.locator(kCanvas).boundingBox())!;
    await page.mouse.move(box.x + 200, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 160, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.press("m");
    await page.keyboard.press("f");
    await view(page);
    await page.keyboard.press("f");
    const { from, to } = await view(page), { end } = await info(page, ids.demo);
    const measured = (300 / box.width) * end * 1.04;  // the whole run has a margin of 2 % on both sides
    assert.ok(Math.abs((to - from) / 1.3 / measured - 1) < 0.02, `${(to - from) / 1.3} is not ${measured}`);
    await watched.screenshot("timeline-measured");
    await watched.close();
  });
});

describe("search and selection", () => {
  test("finds what the server finds, in its order, forth and back", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    const found = await get<Matches>(page, `${ids.demo}/timeline/find?q=allreduce&from=0&by=1&limit=3`);
    assert.ok(found.total > 3);
    await find(page, "allreduce");
    const says = (place: number) => page.waitForFunction((text) => document.querySelector("#timeline-found")?.textContent === text, `${humanCount(place)} of ${humanCount(found.total)}`);
    await says(1);
    const [first, second] = found.matches as [Matches["matches"][0], Matches["matches"][0]];
    await selects(page, first);
    await checkDetails(page, ids.demo);
    await page.keyboard.press("n");
    await selects(page, second);
    await says(2);
    await checkDetails(page, ids.demo);
    await page.keyboard.press("p");
    await selects(page, first);
    await says(1);
    await page.keyboard.press("p");  // before the first: the last of all ranks
    const { matches: [last] } = await get<Matches>(page, `${ids.demo}/timeline/find?q=allreduce&from=${Number.MAX_SAFE_INTEGER}&by=-1&limit=1`);
    await selects(page, last!);
    await says(found.total);
    await page.keyboard.press("n");
    await selects(page, first);
    await says(1);
    await watched.screenshot("timeline-selected");
    await watched.checkAxe("the timeline with details");
    await watched.close();
  });

  test("the place of a match is that among all of its name, from any time on", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    const all = await get<Matches>(page, `${ids.demo}/timeline/find?q=ncclDevKernel&from=0&by=1&limit=10000`);
    assert.equal(all.matches.length, all.total);
    for (const index of [0, 7, all.total - 1]) {
      const { start } = all.matches[index]!;
      const forth = await get<Matches>(page, `${ids.demo}/timeline/find?q=ncclDevKernel&from=${start}&by=1&limit=1`);
      assert.deepEqual(all.matches[forth.place - 1], forth.matches[0]);
      const back = await get<Matches>(page, `${ids.demo}/timeline/find?q=ncclDevKernel&from=${start + 1}&by=-1&limit=1`);
      assert.deepEqual(all.matches[back.place - 1], back.matches[0]);
    }
    await watched.close();
  });

  test("past the ends of a track nothing happens, and nothing is complained of", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, { tracks } = await info(page, ids.demo);
    const stream = tracks.find((track) => track.kind === "stream" && track.events > 10)!;
    assert.equal(await get<EventDetails | null>(page, `${ids.demo}/timeline/next?track=${stream.id}&event=0&by=-1`), null);
    await page.evaluate((sel) => { location.hash += `?sel=${sel}`; }, `${stream.id}.0`);
    await page.waitForSelector(".tl-details");
    const asked = page.waitForResponse((response) => response.url().includes("/timeline/next"));
    await page.keyboard.press(",");
    assert.equal((await asked).status(), 200);
    await page.waitForTimeout(100);
    assert.equal((await view(page)).sel, `${stream.id}.0`);
    assert.equal(await page.locator(".problem").count(), 0);
    await watched.close();
  });

  test("a search and its match are part of the link", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    const says = (place: number) => page.waitForFunction((start) => document.querySelector("#timeline-found")?.textContent?.startsWith(start), `${place} of `);
    await find(page, "allreduce");
    await says(1);
    await page.keyboard.press("n");
    await says(2);
    await view(page);
    await page.reload();
    await settled(page);
    await says(2);
    assert.equal(await page.inputValue("#timeline-search"), "allreduce");
    await page.keyboard.press("n");
    await says(3);
    await page.keyboard.press("p");
    await says(2);
    for (const [key, gone] of [["Escape", "sel"], ["Escape", "find"]] as const) {
      await page.keyboard.press(key);
      await page.waitForFunction((name) => !location.hash.includes(`${name}=`), gone);
    }
    await watched.close();
    const fresh = await open(ids.demo, {}, "?find=allreduce");
    await fresh.page.waitForFunction(() => /^\d+ found$/.test(document.querySelector("#timeline-found")?.textContent ?? ""));
    await fresh.page.locator(kCanvas).focus();
    await fresh.page.keyboard.press("n");
    await fresh.page.waitForFunction(() => document.querySelector("#timeline-found")?.textContent?.startsWith("1 of "));
    await fresh.close();
  });

  test("what is selected is in sight, also of a link, and once the panel is as high as it gets", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, { tracks } = await info(page, ids.demo);
    const last = tracks.findLast((track) => track.kind === "stream" && track.events > 10)!;
    const inSight = async (of: Watched) => {
      await of.page.waitForSelector(".tl-details .metrics");
      await of.page.waitForTimeout(300);
      const chart = (await of.page.locator(".tl-scroll").boundingBox())!;
      const heads = await of.page.locator(".tl-heads .tl-head", { hasText: last.name }).all();
      const lane = (await heads.at(-1)!.boundingBox())!;
      assert.ok(lane.y >= chart.y && lane.y + 20 <= chart.y + chart.height, `${lane.y} is not in ${chart.y} + ${chart.height}`);
    };
    const link = await open(ids.demo, {}, `?sel=${last.id}.3`);
    await inSight(link);
    await link.close();
    await page.evaluate((sel) => { location.hash += `?sel=${sel}`; }, `${last.id}.3`);
    await inSight(watched);
    await page.locator(".tl-details button").first().click();
    await page.locator(".tl-scroll").evaluate((scroller) => scroller.scrollTo({ top: 0 }));
    await page.locator(kCanvas).focus();
    await find(page, "allreduce");
    await page.keyboard.press("j");
    for (let i = 0; i < 40 && !(await view(page)).sel.startsWith(`${last.id}.`); ++i) await page.keyboard.press("j");
    await inSight(watched);
    await watched.close();
  });

  test("nothing found is said", async () => {
    const watched = await open(ids.demo);
    await find(watched.page, "no kernel has this name");
    assert.match(await watched.text("#timeline-found"), /^0 /);
    await watched.close();
  });

  test("a kernel leads to its launch, and events to those beside them", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, { tracks } = await info(page, ids.demo);
    const stream = tracks.find((track) => track.kind === "stream" && /^stream \d+$/.test(track.name) && track.events > 10)!;
    await page.evaluate((sel) => { location.hash += `${location.hash.includes("?") ? "&" : "?"}sel=${sel}`; }, `${stream.id}.5`);
    await page.waitForSelector(".tl-details");
    const kernel = await checkDetails(page, ids.demo);
    const next = await get<EventDetails>(page, `${ids.demo}/timeline/next?track=${stream.id}&event=5&by=1`);
    await page.keyboard.press(".");
    await selects(page, next);
    await page.keyboard.press(",");
    await selects(page, kernel);
    const launch = kernel.links.find(({ relation }) => relation === "launch");
    assert.ok(launch, "a kernel has a launch");
    await page.locator(".tl-details ul.tl-list button").nth(kernel.links.indexOf(launch)).click();
    await selects(page, launch);
    const call = await checkDetails(page, ids.demo);
    assert.ok(call.links.some(({ track, event }) => track === kernel.track && event === kernel.event));
    await watched.close();
  });

  test("all events of a name are counted as the server counts them", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    await find(page, "allreduce");
    const [track, event] = (await view(page)).sel.split(".");
    const { reports: [report] } = await get<ReportSet>(page, `${ids.demo}/timeline/occurrences?track=${track}&event=${event}`);
    await page.waitForSelector(".tl-details .metrics");
    for (const { key, value, unit } of report!.metrics.filter((metric) => metric.value !== null && metric.value !== "")) {
      assert.equal(await watched.text(`.tl-details dd[data-metric="${key}"]`), cellText(value, unit), key);
    }
    assert.equal(await page.locator(".tl-histogram .tl-bar").count(), report!.series[0]!.points.length);
    const longest = report!.metrics.find(({ key }) => key === "max")!;
    assert.equal(await watched.text(".tl-histogram .tl-ends span:last-child"), cellText(longest.value, longest.unit));
    await watched.close();
  });

  test("an area is summed up by name, kind, stream and rank", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, box = (await page.locator(kCanvas).boundingBox())!;
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 420, { steps: 4 });
    const asked = page.waitForRequest((request) => request.url().includes("/timeline/select"));
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const url = new URL((await asked).url());
    assert.ok(Number(url.searchParams.get("to")) > Number(url.searchParams.get("from")));
    assert.match(url.searchParams.get("tracks")!, /^\d+(\.\.|,)\d+/, "the area has several tracks");
    for (const [i, by] of ["name", "kind", "track", "rank"].entries()) {
      await page.locator(".tl-by button").nth(i).click();
      url.searchParams.set("by", by);
      const table = learnNames(await get<ReportSet>(page, `${ids.demo}/timeline/select${url.search}`)).reports[0]!.tables[0]!;
      assert.ok(table.rows.length > 0, by);
      const columns = informing(table, null);
      const rows = table.rows.slice(0, 50).map((row) => columns.map((at) => shownCell(table.columns[at]!, row[at])).join("|"));
      await page.waitForFunction((first) => [...document.querySelectorAll(".tl-area tbody tr:first-child > *")].map((cell) => cell.textContent).join("|") === first, rows[0]);
      const shown = await page.locator(".tl-area tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent).join("|")));
      assert.deepEqual(shown, rows, by);
    }
    assert.match(await watched.text(".tl-area .tl-note"), /part inside.*exceed 100%/);
    await watched.screenshot("timeline-area");
    await watched.checkAxe("an area");
    await watched.close();
  });
});

describe("tracks and the URL", () => {
  test("fold, pin, filter; and the same URL shows the same", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    const heads = () => page.locator(".tl-heads .tl-name").allTextContents();
    const all = await heads();
    await page.locator(".tl-heads .tl-group .tl-fold").first().click();
    await page.locator(".tl-heads .tl-pin").first().click();
    assert.equal(await page.locator(".tl-pinned .tl-head").count(), 1);
    await page.keyboard.press("Shift+f");
    await page.keyboard.type("rank 1");
    await page.keyboard.press("Escape");
    const few = await heads();
    assert.ok(few.length > 0 && few.length < all.length && !few.includes(all[0]!));
    await view(page);
    await page.reload();
    await settled(page);
    assert.deepEqual(await heads(), few);
    assert.equal(await page.locator(".tl-pinned .tl-head").count(), 1);
    await page.fill("#timeline-filter", "no such track");
    await page.waitForSelector(".tl-none");
    await watched.close();
  });

  test("a link shows what its sender saw", async () => {
    const watched = await open(ids.demo);
    const { page } = watched;
    await find(page, "allreduce");
    await page.keyboard.press("f");
    await view(page);
    await page.keyboard.press("f");
    const sent = await view(page), says = await watched.text(".tl-says");
    const other = await open(ids.demo, {}, `?${(await page.evaluate(() => location.hash)).split("?")[1]}`);
    await other.page.waitForSelector(".tl-details");
    assert.deepEqual(await view(other.page), sent);
    assert.equal(await other.text(".tl-says"), says);
    await other.close();
    await watched.close();
  });

  test("the header's steps and ranks govern it", async () => {
    const watched = await open(ids.demo, {}, "?steps=4..5&ranks=1");
    const { page } = watched, { steps, ranks } = await info(page, ids.demo);
    const heads = await page.locator(".tl-rank .tl-name").allTextContents();
    assert.deepEqual(heads, ranks.filter(({ rank }) => rank === 1).map(({ name }) => visible(name)));
    await page.locator(kCanvas).focus();
    await page.keyboard.press("s");
    const { from, to } = await view(page);
    const chosen = steps.filter(({ number }) => number === 4 || number === 5);
    assert.ok(from < Math.min(...chosen.map(({ start }) => start)) && to > Math.max(...chosen.map(({ end }) => end)));
    assert.ok(to - from < 3 * (chosen[1]!.end - chosen[0]!.start), "the rest of the run is out of sight");
    await watched.close();
  });

  test("marks, what is measured and an area survive a reload and the way back", async () => {
    const watched = await open(ids.demo);
    const { page } = watched, box = (await page.locator(kCanvas).boundingBox())!;
    const drag = async (from: number, to: number) => {
      await page.mouse.move(box.x + from, box.y + 60);
      await page.mouse.down();
      await page.mouse.move(box.x + to, box.y + 300, { steps: 4 });
      await page.mouse.up();
    };
    await drag(300, 350);
    await page.keyboard.press("m");
    await drag(500, 640);
    await page.keyboard.down("Shift");
    await drag(700, 800);
    await page.keyboard.up("Shift");
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.waitForFunction(() => ["measure", "area", "marks"].every((key) => location.hash.includes(`${key}=`)));
    const picture = () => page.locator(kCanvas).evaluate((element) => (element as HTMLCanvasElement).toDataURL());
    const hash = await page.evaluate(() => location.hash), before = await picture();
    await page.reload();
    await settled(page);
    await page.waitForSelector(".tl-area tbody tr");
    await page.mouse.move(box.x + 5, box.y + 5);
    await view(page);
    assert.equal(await page.evaluate(() => location.hash), hash);
    assert.equal(await picture(), before, "the same picture");
    await watched.screenshot("timeline-marks");
    await page.keyboard.press("g");
    await page.keyboard.press("i");
    await page.waitForFunction(() => location.hash.includes("/input"));
    await page.goBack();
    await page.waitForSelector(".tl-area tbody tr");
    await view(page);
    assert.equal(await page.evaluate(() => location.hash), hash);
    for (const [key, gone] of [["Escape", "measure"], ["Escape", "area"], ["Escape", "marks"]] as const) {
      await page.keyboard.press(key);
      await page.waitForFunction((name) => !location.hash.includes(`${name}=`), gone);
    }
    await watched.close();
  });

  test("what is odd in the URL is ignored", async () => {
    const watched = await open(ids.demo, {}, "?from=x&to=1e400&sel=999999.1&pins=-1,a&fold=%25%25&marks=<b>,9..1&measure=NaN..1&area=1..2:-1");
    assert.equal(await watched.page.locator(".tl-side").count(), 0);
    assert.ok(await watched.page.locator(".tl-rank").count() > 0);
    await watched.close();
  });
});

describe("everybody", () => {
  for (const looks of [{ theme: "light", language: "ja" }, { theme: "dark", language: "en" }] as const) {
    test(`axe-core finds nothing, ${looks.theme}, ${looks.language}`, async () => {
      const watched = await open(ids.demo, looks);
      await watched.checkAxe("the timeline");
      await watched.screenshot(`timeline-${looks.theme}-${looks.language}`);
      await watched.close();
    });
  }

  test("fits at 200%", async () => {
    const watched = await open(ids.demo, { zoomed: true });
    await find(watched.page, "allreduce");
    await watched.checkFits("the timeline");
    await watched.screenshot("timeline-200-percent");
    await watched.close();
  });

  test("what is selected is told in words", async () => {
    const watched = await open(ids.demo);
    await find(watched.page, "allreduce");
    const details = await checkDetails(watched.page, ids.demo);
    const says = await watched.text(".tl-says[role=status]");
    assert.ok(says.includes(visible(details.name)) && says.includes(humanTime(details.duration)), says);
    await watched.close();
  });

  test("names that would be markup are text", async () => {
    const watched = await open(ids.hostile);
    const scripts = await watched.page.locator("script, img").count();
    await find(watched.page, "<script>");
    await watched.page.waitForSelector(".tl-details");
    assert.equal(await watched.text(".tl-details h2"), visible(kHostileNames[0]!));
    for (const key of [".", ".", "l", "f", "f"]) await watched.page.keyboard.press(key);
    assert.equal(await watched.page.locator("script, img").count(), scripts);
    await watched.screenshot("timeline-hostile");
    await watched.close();
  });
});
