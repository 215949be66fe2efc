// Tests the Capture button: what it says where there is nothing to capture, and a real JAX program, whose profile becomes a run.
//
// The program needs a Python with JAX: `./dev capture-check` sets JAX_PYTHON.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, Watched } from "./browser";
import { makeJob, removeJob, serve, type Job, type Server } from "./job";

const kJax = process.env["JAX_PYTHON"] ?? "";

const kProgram = `
import sys, jax, jax.numpy as np
jax.profiler.start_server(int(sys.argv[1]))
step = jax.jit(lambda x: np.tanh(x @ x))
x = np.ones((256, 256)) / 256
print("ready", flush=True)
while True:
    x = step(x).block_until_ready()
`;

const freePort = () => new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});

describe("Capture", () => {
  let browser: Browser;
  let server: Server, traces: Job;
  before(async () => {
    browser = await openBrowser();
    traces = makeJob();
    server = await serve(traces.folder);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
    removeJob(traces);
  });

  const openDialog = async (looks = {}) => {
    const watched = await Watched.open(browser, server.url, looks);
    await watched.page.click("header button:has-text('Capture')");
    await watched.page.waitForSelector("dialog[open] form.capture");
    return watched;
  };

  test("a port without a server is told, and what to do", async () => {
    const watched = await openDialog(), { page } = watched, port = await freePort();
    await page.check("dialog input[type=radio] >> nth=1");
    await page.fill("dialog input[type=text]", `127.0.0.1:${port}`);
    await page.fill("dialog input[type=number]", "0.2");
    await watched.checkAxe("the dialog");
    await page.click("dialog button[type=submit]");
    const said = await page.waitForSelector("dialog .headline, dialog .problem", { timeout: 30_000 });
    assert.match(await said.innerText(), new RegExp(`127.0.0.1:${port} gave no trace: .*nothing listens`, "i"));
    await watched.screenshot("capture-refused");
    await watched.close();
  });

  test("a JAX program's profile becomes a run", { skip: !kJax && "JAX_PYTHON is not set" }, async () => {
    const port = await freePort();
    const job: ChildProcess = spawn(kJax, ["-c", kProgram, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await new Promise((resolve) => job.stdout!.once("data", resolve));
      const watched = await openDialog(), { page } = watched;
      await page.check("dialog input[type=radio] >> nth=1");
      await page.fill("dialog input[type=text]", `localhost:${port}`);
      await page.fill("dialog input[type=number]", "0.5");
      await page.click("dialog button[type=submit]");
      await page.waitForFunction(() => !document.querySelector("dialog[open]") && document.querySelector("main h1"), undefined, { timeout: 60_000 });
      const { runs } = await watched.state(), captured = runs.find(({ id }) => page.url().includes(id));
      assert.match(captured?.path ?? "", /captures/);
      await watched.screenshot("captured");
      assert.equal(job.exitCode, null, "the job runs on");
      await watched.close();
    } finally {
      job.kill("SIGKILL");
    }
  });
});
