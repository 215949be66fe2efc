// Measures a page in a browser and a process of this machine. Linux only.
import { existsSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const kWindow = { width: 1400, height: 900 };
export const kTimes = 5;  // that a picture is waited for

async function openBrowser() {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
  if (!executablePath) throw new Error("the benchmark needs Debian's chromium");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

// A page of a browser that is only for it and has come to rest: for a second or so after its start it makes pages of
// its own ready, which takes a processor as long as what is measured. `use` has it; then it is closed.
export async function withPage(use) {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: kWindow });
    await page.waitForTimeout(2000);
    return await use(page, browser);
  } finally {
    // One that is lost in its work may never close; it is killed when this process ends.
    await Promise.race([browser.close(), new Promise((resolve) => setTimeout(resolve, 10_000))]);
  }
}

// So many times, or once if that took more than half a minute: the least, the middle and the most seconds.
export async function repeat(times, measure) {
  const all = [await measure()];
  while (all.length < times && all[0] < 30) all.push(await measure());
  all.sort((a, b) => a - b);
  return { times: all.length, least: all[0], median: all[Math.floor(all.length / 2)], most: all[all.length - 1] };
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
export function emptyRenderer() {
  return withPage(async (page, browser) => memoryOf(await rendererOf(browser, page)));
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
