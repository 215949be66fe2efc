// Measures the page of a memory snapshot: until its picture is there, and the time between frames while it is zoomed.
//
//   node snapshot.mjs STEPSCOPE SNAPSHOT
import { spawn } from "node:child_process";
import { framesWhile, hold, memoryOf, memoryOfPage, withPage } from "./measure.mjs";

const [stepscope, snapshot] = process.argv.slice(2);
const server = spawn(stepscope, ["serve", snapshot], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((resolve) => server.stdout.on("data", (text) => {
  const found = /Listening on (\S+)/.exec(String(text));
  if (found) resolve(found[1]);
}));
const ms = (value) => `${value.toFixed(1)} ms`;
await withPage(async (page, browser) => {
  const began = performance.now();
  await page.goto(url);
  await page.waitForSelector(".memory-area canvas", { timeout: 120_000 });
  console.log(`first picture after ${ms(performance.now() - began)}, server ${memoryOf(server.pid).most.toFixed(0)} MB at most`);
  const canvas = page.locator(".memory-area canvas");
  console.log(`${await canvas.getAttribute("data-moments")} moments`);
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 100);
  const zoom = async (by) => {
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, by);
      await page.keyboard.up("Control");
      await page.waitForTimeout(16);
    }
  };
  for (const [name, act] of [["zoom in", () => zoom(-40)], ["zoom out", () => zoom(40)], ["keys", async () => { await canvas.focus(); await hold(page, "ArrowRight", 2000); }]]) {
    const { frames, median, p95, worst } = await framesWhile(page, act);
    console.log(`${name}: ${frames} frames, median ${ms(median)}, p95 ${ms(p95)}, worst ${ms(worst)}`);
  }
  const { heap } = await memoryOfPage(browser, page);
  console.log(`script ${heap.toFixed(1)} MB`);
});
server.kill();
