// Opens one trace in other trace viewers: time to the first picture, zoom, memory. Each is a small site on loopback.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { framesWhile, kTimes, memoryOfPage, repeat, withPage } from "./measure.mjs";

const kLongestMs = 120_000;

const kTypes = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

// Serves `files` (path -> text or absolute file) and what lies in `folder`.
async function site(files, folder) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://site").pathname;
    const file = files[path] ?? join(folder, normalize(path));
    response.setHeader("content-type", kTypes[extname(path || ".html")] ?? (path === "/" ? "text/html" : "application/octet-stream"));
    if (typeof file === "object") return response.end(file.text);
    if (!existsSync(file)) return response.writeHead(404).end();
    return createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();  // a peer that fails leaves it open
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const kTraceviewerPage = `<!doctype html><script src="/webcomponents.js"></script>
<script>window.WebKitMutationObserver = window.MutationObserver;</script>
<link rel="import" href="/viewer.html"><style>html, body { margin: 0; height: 100%; }</style><body></body>`;

// Runs in the page.
async function showInTraceviewer() {
  const text = await (await fetch("/trace.json")).text();
  const viewer = document.createElement("tr-ui-timeline-view"), tracks = document.createElement("track-view-container");
  viewer.style.cssText = "display: flex; height: 100%";
  tracks.id = "track_view_container";
  viewer.appendChild(tracks);
  viewer.trackViewContainer_ = tracks;
  document.body.appendChild(viewer);
  const model = new tr.Model();
  new tr.importer.Import(model).importTraces([text]);
  viewer.model = model;
  viewer.globalMode = true;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

async function openTraceviewer(page, modules, trace) {
  const files = {
    "/": { text: kTraceviewerPage }, "/trace.json": trace,
    "/webcomponents.js": join(modules, "webcomponents.js/webcomponents.min.js"),
    "/viewer.html": join(modules, "traceviewer/tracing/bin/trace_viewer_full.html"),
  };
  const served = await site(files, modules);
  const opened = performance.now();
  await page.goto(served.url);
  await page.waitForFunction(() => window.tr?.ui && document.querySelector("link[rel=import]"));
  const loaded = (performance.now() - opened) / 1000;
  await page.waitForTimeout(1000);
  const start = performance.now();
  await page.evaluate(showInTraceviewer);
  return { served, loaded, seconds: (performance.now() - start) / 1000 };
}

async function openSpeedscope(page, modules, trace) {
  const folder = join(modules, "speedscope/dist/release");
  const served = await site({ "/": { text: readFileSync(join(folder, "index.html")) }, "/trace.json": trace }, folder);
  const start = performance.now();
  await page.goto(`${served.url}#profileURL=${encodeURIComponent(`${served.url}trace.json`)}&title=trace`);
  await page.waitForFunction(() => document.body.innerText.includes("Time Order"), null, { timeout: kLongestMs, polling: 200 });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return { served, loaded: 0, seconds: (performance.now() - start) / 1000 };
}

// Each opens a trace: seconds until its own page is `loaded`, where that can be told, and from there to the picture.
export const kPeers = { "traceviewer 1.0.11": openTraceviewer, "speedscope 1.25.0": openSpeedscope };

// Opens the trace several times, each in a browser of its own; in the first zooms in and out with the keys that all of
// them have.
export async function measurePeer(open, modules, trace) {
  const opened = async (more) => withPage(async (page, browser) => {
    // What a peer complains of, an event at a time, is not what is measured.
    await page.addInitScript(() => { for (const say of ["log", "warn", "error"]) console[say] = () => undefined; });
    const { served, loaded, seconds } = await open(page, modules, trace);
    const found = more ? await more(page, browser) : {};
    served.close();
    return { loaded, seconds, ...found };
  });
  const whole = await opened(async (page, browser) => {
    await page.mouse.move(700, 300);
    await page.mouse.click(700, 300);
    const frames = await framesWhile(page, async () => {
      for (const key of ["w", "s"]) {
        for (let i = 0; i < 40; ++i) {
          await page.keyboard.press(key);
          await page.waitForTimeout(30);
        }
      }
    });
    return { frames, ...await memoryOfPage(browser, page) };
  });
  const first = [whole.seconds];
  const drawn = await repeat(kTimes, async () => first.pop() ?? (await opened()).seconds);
  return { ...whole, drawn };
}
