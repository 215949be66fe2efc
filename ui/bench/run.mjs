// `./dev ui-bench [--events N] [--peers]`: measures the speed of the page. README.md lists the measurements.
//
//   node run.mjs STEPSCOPE FOLDER [--events N] [--peers]
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { emptyRenderer, framesWhile, hold, kTimes, memoryOf, memoryOfPage, processorOf, repeat, withPage } from "./measure.mjs";
import { kPeers, measurePeer } from "./peers.mjs";

const { values: options, positionals: [stepscope, folder] } = parseArgs({
  allowPositionals: true,
  options: { events: { type: "string", default: "20000000" }, peers: { type: "boolean", default: false } },
});

const kBytesOfEvent = 288;  // of the timeline, in a demo's trace with stacks

// A job of so many events; made once.
function makeJob(name, ranks, events, ...more) {
  const bytes = Math.ceil((events / ranks) * kBytesOfEvent);
  const path = join(folder, name), made = `${ranks} ${bytes} ${more}`, mark = join(folder, `${name}.made`);
  if (existsSync(mark) && readFileSync(mark, "utf8") === made) return path;
  rmSync(path, { recursive: true, force: true });
  execFileSync(stepscope, ["demo", path, "--ranks", `${ranks}`, "--min-raw-bytes", `${bytes}`, ...more]);
  writeFileSync(mark, made);
  return path;
}

// The server, once it says where it listens.
function serve(path) {
  const child = spawn(stepscope, ["serve", path], { stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`stepscope serve ended with ${code}`)));
    child.stdout.on("data", (data) => {
      text += data;
      const url = /https?:\/\/\S+/.exec(text)?.[0];
      if (url) resolve({ url, pid: child.pid, stop: () => { child.removeAllListeners("exit"); child.kill(); } });
    });
  });
}

// Told by the browser, not asked every frame, which would take time itself. What is drawn is on the screen two frames
// later, as with the peers.
const complete = (page) => page.evaluate(() => new Promise((resolve) => {
  const shown = () => requestAnimationFrame(() => requestAnimationFrame(resolve));
  const seen = (list) => { if (list.getEntriesByName("timeline complete").length > 0) shown(); };
  new PerformanceObserver(seen).observe({ type: "mark", buffered: true });
}));

// The name that the server gave its run, asked as the page does: the token once, then a cookie.
async function runOf(server) {
  const first = await fetch(server.url, { redirect: "manual" });
  const cookie = first.headers.get("set-cookie").split(";")[0];
  const state = await fetch(new URL("api/state", new URL("/", server.url)), { headers: { cookie } });
  return (await state.json()).runs[0].id;
}

// Seconds from a link to the first whole picture of the timeline; the trace may be read meanwhile.
async function openTimeline(page, server, run) {
  const start = performance.now();
  await page.goto(`${server.url}#/run/${run}/timeline`);
  await complete(page);
  return (performance.now() - start) / 1000;
}

// From the whole run to a kernel and back, keys held as a reader would: the frames of the slower way.
async function zoomAbout(page) {
  const box = await page.locator(".tl-stick canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + 120);
  const inwards = await framesWhile(page, async () => {
    await hold(page, "w", 4200);
    await hold(page, "d", 700);
  });
  await page.waitForTimeout(500);  // what is in sight is told when it rests
  const deep = await page.evaluate(() => document.querySelector(".tl-overview").getAttribute("aria-valuetext"));
  const outwards = await framesWhile(page, () => hold(page, "s", 4200));
  return { deep, frames: inwards.p95 > outwards.p95 ? inwards : outwards, worst: Math.max(inwards.worst, outwards.worst) };
}

// Calls use(server, run) with a server of its own and the name of its run, which a server gives the same path again.
async function withServer(path, use) {
  const server = await serve(path);
  try {
    return await use(server, await runOf(server));
  } finally {
    server.stop();
  }
}

// Seconds from starting the server to the picture: the trace is read in it.
const firstPicture = (path, run) => withPage(async (page) => {
  const since = performance.now(), server = await serve(path);
  try {
    await openTimeline(page, server, run);
    return (performance.now() - since) / 1000;
  } finally {
    server.stop();
  }
});

// A look at a trace that is read already: what of the wait is the page's, and what comes after it.
const look = (server, run) => withPage(async (page, browser) => {
  const processor = processorOf(server.pid);
  const seconds = await openTimeline(page, server, run);
  const { deep, frames, worst } = await zoomAbout(page);
  const memory = await memoryOfPage(browser, page);
  const events = await page.evaluate(async (id) => (await (await fetch(`api/runs/${id}/timeline`)).json()).tracks.reduce((sum, { events: some }) => sum + some, 0), run);
  return { events, seconds, frames: { ...frames, worst }, deep, ...memory, server: { ...memoryOf(server.pid), processor: processorOf(server.pid) - processor } };
});

async function measureOurs(path) {
  const run = await withServer(path, async (_, name) => name);
  const read = await repeat(kTimes, () => firstPicture(path, run));
  return withServer(path, async (server, run) => {
    await withPage((page) => openTimeline(page, server, run));
    return { read, ...await look(server, run) };
  });
}

const number = (value, digits = 1) => value.toFixed(digits);
const frameText = ({ median, p95 }) => `${number(median)} ms median, ${number(p95)} ms p95`;

const timesText = ({ times, least, median, most }) => `${number(median, 2)} s, the median of ${times} (${number(least, 2)} to ${number(most, 2)} s)`;

function sayOurs(what, one) {
  console.log(`${what}: ${(one.events / 1e6).toFixed(2)} million events`);
  console.log(`  picture after starting the server   ${timesText(one.read)} (the trace is read in it)`);
  console.log(`  first whole picture of a read trace ${number(one.seconds, 2)} s`);
  console.log(`  frame while zooming                 ${frameText(one.frames)}, worst ${number(one.frames.worst)} ms; deepest view: ${one.deep}`);
  console.log(`  JS heap; renderer, resident and own ${number(one.heap)} MB; ${number(one.renderer.now, 0)} MB, ${number(one.renderer.own, 0)} MB`);
  console.log(`  server: processor while looking     ${number(one.server.processor, 2)} s; memory ${number(one.server.now, 0)} MB, at most ${number(one.server.most, 0)} MB`);
}

function modulesOf() {
  const at = join(folder, "peers");
  mkdirSync(at, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) writeFileSync(join(at, name), readFileSync(new URL(name, import.meta.url)));
  execFileSync("npm", ["ci", "--silent", "--no-audit", "--no-fund"], { cwd: at, stdio: ["ignore", "ignore", "inherit"] });
  return join(at, "node_modules");
}

async function comparePeers() {
  const path = makeJob("one_rank", 1, 1_050_000, "--no-compress");
  const trace = join(path, readdirSync(path).find((name) => name.endsWith(".trace.json")));
  const ours = await measureOurs(trace);
  sayOurs(`\nthe same file in every viewer (${number(readFileSync(trace).length / 1e6, 0)} MB)`, ours);
  const modules = modulesOf(), empty = await emptyRenderer();
  for (const [name, open] of Object.entries(kPeers)) {
    try {
      const peer = await measurePeer(open, modules, trace);
      console.log(`${name}: drawn ${timesText(peer.drawn)} after ${number(peer.loaded, 2)} s for its own page, frame ${frameText(peer.frames)}, JS heap ${number(peer.heap)} MB, renderer ${number(peer.renderer.now, 0)} MB resident, ${number(peer.renderer.own, 0)} MB its own`);
      const less = (of) => number(of(peer.renderer) / of(ours.renderer));
      console.log(`  this page: ${number(peer.drawn.median / ours.read.median)} times faster, ${number((peer.loaded + peer.drawn.median) / ours.read.median)} times with that page, as its own is counted; ${number(peer.heap / ours.heap)} times less heap; renderer ${less(({ own }) => own)} times less of its own, ${less(({ now }) => now)} times less resident, ${less(({ now }) => now - empty.now)} times less above an empty page's ${number(empty.now, 0)} MB`);
    } catch (error) {
      console.log(`${name}: failed: ${String(error).split("\n")[0]}`);
    }
  }
}

mkdirSync(folder, { recursive: true });
// Times are worth little on a machine that is busy with something else.
console.log(`processors: ${cpus().length}; load of the last minute: ${number(loadavg()[0])}`);
sayOurs("a large job", await measureOurs(makeJob("large", 8, Number(options.events))));
if (options.peers) await comparePeers();
process.exit(0);
