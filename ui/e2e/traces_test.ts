// Tests traces of your own: `./dev ui-test TRACES...` opens every page of each and compares its numbers.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { visible } from "../src/report/format";
import { openBrowser, Watched } from "./browser";
import { answerOf, serve, type Server } from "./job";
import { checkReport } from "./numbers";

const kTraces = (process.env["TRACES"] ?? "").split(":").filter(Boolean);

describe("traces of your own", { skip: kTraces.length === 0 && "none were named" }, () => {
  let browser: Browser;
  let server: Server;
  before(async () => {
    browser = await openBrowser();
    server = await serve(...kTraces);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  for (const [at, path] of kTraces.entries()) {
    test(path, async () => {
      const watched = await Watched.open(browser, server.url);
      const run = (await watched.state()).runs[at]!;
      const answer = answerOf(path);
      await watched.go(`#/run/${run.id}`);
      await watched.page.waitForSelector(".tiles", { timeout: 120_000 });
      assert.equal(await watched.verdict(), visible(answer.verdict));
      await watched.checkAxe("the first screen");
      await watched.screenshot(`trace-${at + 1}`);
      for (const report of answer.reports) {
        await watched.go(`#/run/${run.id}/report/${report.analysis}`);
        await checkReport(watched, report);
        await watched.checkFits(report.analysis);
      }
      await watched.checkAxe("the last report");
      await watched.close();
    });
  }
});
