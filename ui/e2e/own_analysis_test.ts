// Tests an analysis of one's own in Python: in the navigation, with a report page of its own. Needs the wheel's stepscope.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { serveWith, stepscope, type Server } from "./job";

const kPlugin = `
import stepscope
@stepscope.analysis(title="Count kernels", summary="How many kernels")
def count_kernels(ctx):
    """**Question:** How many kernels are there?"""
    rows = [{"rank": rank, "kernels": len(ctx.events(rank, ["start"], kind="kernel"))} for rank in ctx.ranks]
    return stepscope.Result(stepscope.table("ranks", rows, units={"kernels": "count"}, bars="kernels"), headline="Counted <b>all</b>.")
@stepscope.analysis(title="Fails")
def fails(ctx):
    raise KeyError("no such thing")
`;

const program = process.env["STEPSCOPE_OF_WHEEL"] ?? "";
let folder: string;
let server: Server;
let browser: Browser;

describe("an analysis of one's own", { skip: program === "" && "the wheel is not installed: ./dev wheel --test" }, () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "stepscope-own-"));
    stepscope("demo", join(folder, "job"), "--steps", "3");
    writeFileSync(join(folder, "count_kernels.py"), kPlugin);
    server = await serveWith(program, join(folder, "job"), "--plugin", join(folder, "count_kernels.py"));
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test("stands among the others, and has a page with its sentence, bars and table", async () => {
    const watched = await Watched.open(browser, server.url);
    const { job } = await watched.readRuns({ job: join(folder, "job") });
    await watched.page.waitForSelector("nav >> text=Count kernels");
    await watched.go(`#/run/${job}/report/count_kernels`);
    await watched.page.waitForSelector("figure.bars .bar");
    assert.equal(await watched.page.locator("figure.bars .bar").count(), 4);
    assert.ok((await watched.text("main")).includes("Counted <b>all</b>."));
    assert.equal(await watched.page.locator("main table tbody tr").count(), 4);
    await watched.checkAxe("an analysis of one's own");
    await watched.screenshot("own-analysis");
    await watched.go(`#/run/${job}/report/fails`);
    await watched.page.waitForSelector("main >> text=no such thing");
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
