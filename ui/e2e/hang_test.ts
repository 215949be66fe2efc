// Tests the page of a hang: a directory of dumps opens on it, served, beside a run and in a file.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { serve, stepscope, type Server } from "./job";

// dp x tp = 8 x 4; rank 6 is late in dp, its tensor group waits in tp, and so do those of the ranks that wait for it.
const kRanks = 32, kTp = 4, kLate = 6;

function dumpOf(rank: number): object {
  const members = (own: (other: number) => boolean) => JSON.stringify([...Array(kRanks).keys()].filter(own));
  const groups = {
    tp: { name: `${1 + Math.floor(rank / kTp)}`, desc: "tp", ranks: members((other) => Math.floor(other / kTp) === Math.floor(rank / kTp)) },
    dp: { name: `${100 + (rank % kTp)}`, desc: "dp", ranks: members((other) => other % kTp === rank % kTp) },
  };
  const group = rank % kTp === kLate % kTp ? groups.dp : groups.tp;
  const entry = {
    record_id: 0, process_group: [group.name, group.desc], collective_seq_id: 1, p2p_seq_id: 0, profiling_name: "nccl:all_reduce", time_created_ns: 1_700_000_000_000_000_000,
    input_sizes: [[8]], output_sizes: [[8]], input_dtypes: ["Float"], state: "scheduled", retired: false, is_p2p: false,
    frames: [{ name: "<img src=x onerror=alert(1)>", filename: "/job/train.py", line: 7 }],
  };
  return { version: "2.10", pg_config: { [groups.tp.name]: groups.tp, [groups.dp.name]: groups.dp }, pg_status: {}, entries: rank === kLate ? [] : [entry] };
}

let folder: string;
let browser: Browser;
const dumps = (): string => join(folder, "dumps");

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "stepscope-hang-"));
  mkdirSync(dumps());
  for (let rank = 0; rank < kRanks; ++rank) writeFileSync(join(dumps(), `rank_${rank}.json`), JSON.stringify(dumpOf(rank)));
  stepscope("demo", join(folder, "run"), "--steps", "3", "--layers", "2");
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const kVerdict = "Rank 6 stopped the job: its host did not arrive at all_reduce 1 of group dp.";

async function checkHang(watched: Watched): Promise<void> {
  const { page } = watched;
  await page.waitForSelector(".waits");
  assert.equal(await page.locator(".verdict").textContent(), kVerdict);
  const boxes = await page.locator(".wait-box strong").allTextContents();
  assert.equal(boxes[0], "rank 6");
  assert.equal(boxes.length, 4);
  const sentences = await page.locator(".wait-sentences li").allTextContents();
  assert.ok(sentences.some((text) => text.includes("wait for rank 6 in all_reduce of dp: not arrived")), sentences.join("\n"));
  assert.ok(sentences.includes("ranks 4, 5, 7 wait for rank 6 in all_reduce of tp: not arrived"), sentences.join("\n"));
}

test("a directory of dumps opens with the hang first", async () => {
  const server: Server = await serve(dumps());
  try {
    for (const looks of [{}, { theme: "dark", language: "ja" }] as const) {
      const watched = await Watched.open(browser, server.url, looks);
      await watched.page.waitForSelector(".waits");
      if (!("language" in looks)) await checkHang(watched);
      await watched.page.locator(".wait-sentences a").first().focus();
      await watched.page.keyboard.press("Enter");
      await watched.page.waitForFunction(() => location.hash.includes("at=table-waits"));
      await watched.checkAxe("the hang");
      await watched.screenshot(`hang${"language" in looks ? "-dark-ja" : ""}`);
      await watched.close();
    }
    const narrow = await Watched.open(browser, server.url);
    await narrow.page.setViewportSize({ width: 420, height: 900 });
    await narrow.page.waitForSelector(".waits");
    await narrow.checkFits("the hang");
    await narrow.screenshot("hang-narrow");
    await narrow.close();
  } finally {
    server.stop();
  }
});

test("beside a run the hang has a page of its own", async () => {
  const server: Server = await serve(join(folder, "run"), "--hang", dumps());
  try {
    const watched = await Watched.open(browser, server.url);
    const state = await watched.state();
    await watched.page.waitForSelector(`.hang-verdicts:has-text("${kVerdict}")`);
    assert.equal(await watched.page.locator(".hang-verdicts li").textContent(), `Hang: ${kVerdict}`);
    assert.deepEqual(state.hangs.map(({ name }) => name), ["dumps"]);
    await watched.go(`#/hang/${state.hangs[0]!.id}`);
    await checkHang(watched);
    await watched.close();
  } finally {
    server.stop();
  }
});

test("report.html holds the hang", async () => {
  const file = join(folder, "report.html");
  stepscope("report", join(folder, "run"), "--hang", dumps(), "-o", file);
  const page = await (await browser.newContext()).newPage();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector(`.hang-verdicts:has-text("${kVerdict}")`);
  await page.locator("nav a", { hasText: "Hang" }).first().click();
  await page.waitForSelector(".waits");
  assert.equal(await page.locator(".verdict").textContent(), kVerdict);
  await page.close();
});
