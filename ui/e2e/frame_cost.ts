// Measures what frames cost the page: processor time of the renderer's main thread between two of them, which a busy machine stretches
// far less than the time on the wall.
import type { Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;  // microseconds
  readonly dur?: number;
  readonly tdur?: number;  // of its thread
  readonly args: { readonly name?: string };
}

// ms of each frame that `act` makes, ascending.
export async function frameCosts(page: Page, act: () => Promise<void>): Promise<number[]> {
  const client = await page.context().newCDPSession(page), events: TraceEvent[] = [];
  client.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await client.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"] } });
  await act();
  const complete = new Promise<void>((resolve) => { client.once("Tracing.tracingComplete", () => resolve()); });
  await client.send("Tracing.end");
  await complete;
  await client.detach();
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`, mains = new Set(events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(threadOf));
  const commits = events.filter((event) => event.name === "Commit" && mains.has(threadOf(event))).sort((a, b) => a.ts - b.ts), main = commits[0] && threadOf(commits[0]);
  const ends = commits.filter((event) => threadOf(event) === main).map(({ ts, dur = 0 }) => ts + dur), costs = ends.slice(1).map(() => 0);
  for (const { name, ph, ts, tdur = 0, ...on } of events) {
    if (name !== "RunTask" || ph !== "X" || `${on.pid} ${on.tid}` !== main || ts < (ends[0] ?? Infinity)) continue;
    const frame = ends.findIndex((end) => end > ts) - 1;
    if (frame >= 0) costs[frame]! += tdur / 1000;
  }
  return costs.sort((a, b) => a - b);
}
