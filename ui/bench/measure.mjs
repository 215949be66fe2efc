// What the benchmark measures: a page in a browser, and a process of this machine. Linux only.
import { existsSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

export const kWindow = { width: 1400, height: 900 };

export async function openBrowser() {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
  if (!executablePath) throw new Error("the benchmark needs Debian's chromium");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

// MB that the process holds, and the most it ever held; and what of it is its own. The rest it shares, above all the
// browser's program, which is resident once and counted in each of its processes.
export function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/status`, "utf8") + readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const mb = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? NaN) / 1024;
  return { now: mb("VmRSS"), most: mb("VmHWM"), own: mb("Private_Clean") + mb("Private_Dirty") };
}

// Seconds of processor time that the process took so far.
export function processorOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

// The renderer that holds the page: the one that works when the page does. There are others, spare and of the
// browser's own pages, some larger than an empty page's.
async function rendererOf(browser, page) {
  const session = await browser.newBrowserCDPSession();
  const worked = async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return new Map(processInfo.filter(({ type }) => type === "renderer").map(({ id, cpuTime }) => [id, cpuTime]));
  };
  const before = await worked();
  await page.evaluate(() => { for (const until = performance.now() + 500; performance.now() < until;); });
  const after = [...await worked()].map(([id, time]) => ({ id, time: time - (before.get(id) ?? 0) }));
  await session.detach();
  return after.sort((a, b) => b.time - a.time)[0].id;
}

// What a renderer holds that shows nothing.
export async function emptyRenderer(browser) {
  const context = await browser.newContext({ viewport: kWindow }), page = await context.newPage();
  await page.goto("about:blank");
  const memory = memoryOf(await rendererOf(browser, page));
  await context.close();
  return memory;
}

// Of the script after garbage is gone, and of the whole renderer.
export async function memoryOfPage(browser, page) {
  const session = await page.context().newCDPSession(page);
  const renderer = memoryOf(await rendererOf(browser, page));
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return { heap: usedSize / 1e6, renderer };
}

// The milliseconds between the frames that the page shows while `act` goes on.
export async function framesWhile(page, act) {
  await page.evaluate(() => {
    const frames = (window.benchFrames = []);
    let last = performance.now();
    const next = (now) => {
      frames.push(now - last);
      last = now;
      if (window.benchFrames) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await act();
  const frames = await page.evaluate(() => {
    const all = window.benchFrames;
    window.benchFrames = null;
    return all;
  });
  return share(frames.slice(1));
}

function share(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { frames: sorted.length, median: at(0.5), p95: at(0.95), worst: sorted[sorted.length - 1] ?? NaN };
}

export async function hold(page, key, ms) {
  await page.keyboard.down(key);
  await page.waitForTimeout(ms);
  await page.keyboard.up(key);
}
