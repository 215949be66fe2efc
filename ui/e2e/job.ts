// Makes the tests' inputs: synthetic jobs, one with hostile names, and a ledger; reads the CLI's answers about them.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseExact } from "../src/data/exact";
import type { ReportSet } from "../src/data/report";
import { learnNames } from "../src/data/short_names";

export const kStepscope = process.env["STEPSCOPE"] ?? "stepscope";
export const kScreenshots = process.env["SCREENSHOTS"] ?? "screenshots";

export const kHostileNames = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a\u202eb {t(\"x\")} ${1}", "%s%n\u0007 ; -- </table>"];

export interface Job {
  readonly folder: string;
  readonly before: string;
  readonly after: string;
  readonly hostile: string;
  readonly ledger: string;
}

export function stepscope(...args: string[]): string {
  return execFileSync(kStepscope, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
}

export const answerOf = (path: string, ...options: string[]): ReportSet => learnNames(parseExact(stepscope("analyze", path, "--format", "json", ...options)) as ReportSet);

export const comparisonOf = (before: string, after: string): ReportSet =>
  learnNames(parseExact(stepscope("compare", before, after, "--format", "json")) as ReportSet);

export const goodputOf = (store: string, ...options: string[]): ReportSet => parseExact(stepscope("goodput", "analyze", "--store", store, "--format", "json", ...options)) as ReportSet;

// One rank whose kernels and operators have names that would be markup, were they not text.
function writeHostile(folder: string): void {
  mkdirSync(folder);
  const events: object[] = [{ ph: "X", cat: "user_annotation", name: "ProfilerStep#1", pid: 1, tid: 1, ts: 0, dur: 1000 }];
  kHostileNames.forEach((name, at) => {
    const start = 10 + 200 * at;
    events.push(
      { ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts: start, dur: 60, args: { "External id": at } },
      { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: start + 10, dur: 5, args: { correlation: at, "External id": at } },
      { ph: "X", cat: "kernel", name, pid: 0, tid: 7, ts: start + 30, dur: 100, args: { device: 0, stream: 7, correlation: at, "External id": at } },
    );
  });
  writeFileSync(join(folder, "rank0.json"), JSON.stringify({ schemaVersion: 1, distributedInfo: { rank: 0, world_size: 1 }, traceEvents: events }));
}

// Jobs of two attempts: the first is lost after its checkpoint, and made again. Each has lost more than the one before.
export function writeLedger(folder: string, ledger: string, jobs: readonly string[] = ["e2e"]): void {
  const lines = jobs.flatMap((name, at) => eventsOf(name, 120 * (1 + at)));
  const file = join(folder, "events.jsonl");
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  stepscope("goodput", "import", file, "--store", ledger);
}

function eventsOf(name: string, down: number): object[] {
  const lines: object[] = [];
  let time = 1_780_000_000;
  const say = (event: string, step?: number) => lines.push({ job_name: name, event, time, ...(step !== undefined && { step }) });
  const run = (from: number, to: number) => {
    say("job_start");
    time += 30;
    for (let step = from; step <= to; ++step) {
      say("step_start", step);
      time += 10;
    }
  };
  run(0, 40);
  time += down;
  run(20, 80);
  say("job_end");
  return lines;
}

export function makeJob(): Job {
  const folder = mkdtempSync(join(tmpdir(), "stepscope-page-"));
  const job = { folder, before: join(folder, "before"), after: join(folder, "after"), hostile: join(folder, "hostile"), ledger: join(folder, "ledger") };
  stepscope("demo", job.before, "--steps", "6", "--slow-rank", "1", "--slow-factor", "1.1");
  stepscope("demo", job.after, "--steps", "6");
  writeHostile(job.hostile);
  writeLedger(folder, job.ledger);
  return job;
}

export const removeJob = (job: Job): void => rmSync(job.folder, { recursive: true, force: true });

export interface Server {
  readonly url: string;  // with the token
  stop(): void;
}

export const serve = (...paths: string[]): Promise<Server> => serveWith(kStepscope, ...paths);

export function serveWith(program: string, ...paths: string[]): Promise<Server> {
  const child: ChildProcess = spawn(program, ["serve", ...paths], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`stepscope serve ended with ${code}: ${text}`)));
    child.stdout?.on("data", (data: Buffer) => {
      text += data.toString();
      const url = /https?:\/\/\S+/.exec(text)?.[0];
      if (url) resolve({ url, stop: () => { child.removeAllListeners("exit"); child.kill(); } });
    });
  });
}
