// Reads data from `stepscope serve`: JSON and tiles over HTTP, from the page's own address.
import { early } from "./early";
import { decodeGrid, withCuts, type GridHead } from "./grid";
import { parseExact } from "./exact";
import { numbersText } from "./numbers";
import type { ReportSet } from "./report";
import { learnNames } from "./short_names";
import type { SqlAnswer } from "./sql";
import {
  SourceError, type Analysis, type Capture, type EventDetails, type EventRef, type Hits, type Matches, type Problem, type RankTraces, type Selection,
  type Source, type State, type TimelineInfo,
} from "./source";

type Query = Readonly<Record<string, string | number | undefined>>;

function address(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&");
  return `api/${path}${text ? `?${text}` : ""}`;
}

function problemOf(body: unknown, status: number, where: string): Problem {
  const error = (body as { error?: Partial<Problem> } | null)?.error;
  return {
    what: error?.what ?? `HTTP ${status}`,
    where: error?.where ?? where,
    hint: error?.hint ?? "",
  };
}

const kAgain = 400;  // ms between two requests

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

async function post<T>(path: string, query: Query, body: Blob | null): Promise<T> {
  const url = address(path, query);
  const response = await fetch(url, { method: "POST", body, credentials: "same-origin" }).catch(() => {
    throw new SourceError({ what: "network", where: url, hint: "" });
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new SourceError(problemOf(answer, response.status, `api/${path}`), response.status);
  return answer as T;
}

// A run that is not in memory is read when it is asked for. The server answers once it is there; after a while it
// says 202, not yet, and is asked again.
async function get(url: string, signal: AbortSignal | undefined): Promise<Response> {
  const began = performance.now();
  let response: Response;
  try {
    response = await (early.take(url, signal) ?? fetch(url, { ...(signal && { signal }), credentials: "same-origin" }));
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new SourceError({ what: "network", where: url, hint: "" });
  }
  if (response.status === 202) {
    await pause(Math.max(0, kAgain - (performance.now() - began)));
    signal?.throwIfAborted();
    return get(url, signal);
  }
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw new SourceError(problemOf(body, response.status, url), response.status);
}

async function getJson<T>(path: string, query: Query, signal: AbortSignal | undefined): Promise<T> {
  return parseExact(await (await get(address(path, query), signal)).text()) as T;
}

async function getAnswer(path: string, query: Query, signal: AbortSignal | undefined): Promise<ReportSet> {
  return withCuts(learnNames(await getJson<ReportSet>(path, query, signal)));
}

function selected({ steps, ranks, only, param, brief }: Selection): Query {
  return { steps: steps === "all" ? "" : steps, ranks, only: only?.join(","), param, brief: brief ? 1 : "" };
}

// What names an event: what is known of it besides, its name above all, may be too long for an address.
const named = ({ track, event }: EventRef): Query => ({ track, event });

export function serverSource(): Source {
  const run = (id: string, rest: string) => `runs/${encodeURIComponent(id)}/${rest}`;
  return {
    live: true,
    compares: (before, after) => before !== after,
    shows: () => true,
    state: (signal) => getJson<State>("state", {}, signal),
    analyses: (signal) => getJson<readonly Analysis[]>("analyses", {}, signal),
    answer: (id, selection, signal) => getAnswer(run(id, "answer"), selected(selection), signal),
    query: (runs, sql, client, { steps, ranks }, signal) => getJson<SqlAnswer>("query", { runs: runs.join(","), client, ...selected({ steps: steps ?? "", ranks: ranks ?? "" }), sql }, signal),
    gridHead: (id, table, { steps, ranks }, signal) => getJson<GridHead>(run(id, "grid"), { table, ...selected({ steps: steps ?? "", ranks: ranks ?? "" }) }, signal),
    gridColumn: async (id, table, column, { steps, ranks }, signal) =>
      decodeGrid(await (await get(address(run(id, "grid"), { table, column, ...selected({ steps: steps ?? "", ranks: ranks ?? "" }) }), signal)).arrayBuffer()),
    compare: (base, other, selection, signal) =>
      getAnswer("compare", { base, with: other, ...selected(selection) }, signal),
    ledger: (id, job, signal) => getAnswer(`ledgers/${encodeURIComponent(id)}`, { job }, signal),
    snapshot: (id, signal) => getAnswer(`snapshots/${encodeURIComponent(id)}`, {}, signal),
    hang: (id, signal) => getAnswer(`hangs/${encodeURIComponent(id)}`, {}, signal),
    goodput: (id, signal) => getAnswer(run(id, "goodput"), {}, signal),
    timeline: (id, signal) => getJson<TimelineInfo>(run(id, "timeline"), {}, signal),
    async tiles(id, list, signal) {
      const names = list.map(({ track, level, index }) => `${track}.${level}.${index}`).join(",");
      return (await get(address(run(id, "timeline/tiles"), { list: names }), signal)).arrayBuffer();
    },
    event: (id, ref, signal) => getJson<EventDetails>(run(id, "timeline/event"), named(ref), signal),
    longest: (id, query, signal) => getJson<EventDetails | null>(run(id, "timeline/longest"), { ...query }, signal),
    next: (id, ref, by, signal) => getJson<EventDetails | null>(run(id, "timeline/next"), { ...named(ref), by }, signal),
    find: (id, query, signal) => getJson<Matches>(run(id, "timeline/find"), { ...query }, signal),
    send: (part, bytes) => post<void>("files", { ...part }, bytes),
    rankTraces: (id, rank, signal) => getJson<RankTraces>(run(id, "trace"), { rank }, signal),
    openTrace: async (id, rank) => (await post<{ readonly id: string }>("traces", { run: id, rank }, null)).id,
    closeTrace: (id) => post<void>("traces/close", { run: id }, null),
    capture: async (ask) => (await post<{ readonly number: number }>("capture", { ...ask }, null)).number,
    captured: (signal) => getJson<Capture | null>("captures", {}, signal),
    stopCapture: () => post<void>("capture/stop", {}, null),
    sent: async (drop) => (await post<{ readonly id: string }>("files", { drop, done: 1 }, null)).id,
    hits: (id, { tracks, ...query }, signal) => getJson<Hits>(run(id, "timeline/hits"), { ...query, tracks: numbersText(tracks) }, signal),
    named: (id, { tracks, ...query }, signal) =>
      getJson<EventDetails | null>(run(id, "timeline/named"), { ...query, tracks: numbersText(tracks) }, signal),
    again: (id, ref, least, most, signal) => getJson<EventDetails | null>(run(id, "timeline/again"), { ...named(ref), least, most }, signal),
    select: (id, { tracks, around, ...query }, signal) =>
      getAnswer(run(id, "timeline/select"), { ...query, tracks: numbersText(tracks), ...(around && named(around)) }, signal),
    occurrences: (id, ref, signal) => getAnswer(run(id, "timeline/occurrences"), named(ref), signal),
  };
}
