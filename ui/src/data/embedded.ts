// The Source inside a report.html: everything is in one JSON of the page, and tiles as gzip in
// base64. What the file does not hold says so.
import type { ReportSet } from "./report";
import { parseExact } from "./exact";
import { SourceError, type Analysis, type EventDetails, type EventRef, type Source, type State, type TimelineInfo } from "./source";

// The tiles a file holds of one run, by "track.level.index".
interface EmbeddedTimeline {
  readonly info: TimelineInfo;
  readonly tiles: Readonly<Record<string, string>>;
  readonly says?: string;  // how the events were chosen
  readonly events?: Readonly<Record<string, EventDetails>>;  // by "track.event"
}

interface Embedded {
  readonly state: State;
  readonly analyses: readonly Analysis[];
  readonly answers: Readonly<Record<string, ReportSet>>;
  readonly ledgers?: Readonly<Record<string, ReportSet>>;
  readonly timelines?: Readonly<Record<string, EmbeddedTimeline>>;
}

function missing(what: string): SourceError {
  return new SourceError({ what: `This file holds no ${what}.`, where: "report.html", hint: "`stepscope serve` on the traces answers it" });
}

async function inflate(base64: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function joined(parts: readonly Uint8Array[]): ArrayBuffer {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}

function found<T>(value: T | undefined, what: string): Promise<T> {
  return value === undefined ? Promise.reject(missing(what)) : Promise.resolve(value);
}

export function embeddedSource(data: Embedded): Source {
  const timeline = (run: string) => data.timelines?.[run];
  const no = (what: string) => Promise.reject(missing(what));
  return {
    live: false,
    state: () => Promise.resolve(data.state),
    analyses: () => Promise.resolve(data.analyses),
    answer: (run, { steps, ranks }) =>
      (steps && steps !== "all") || ranks ? no("other selection of steps or ranks") : found(data.answers[run], "answer for this run"),
    compare: () => no("comparison"),
    ledger: (id, job) => (job ? no("other job of the ledger") : found(data.ledgers?.[id], "such ledger")),
    timeline: (run) => {
      const held = timeline(run);
      return found(held && { ...held.info, ...(held.says && { says: held.says }) }, "timeline");
    },
    async tiles(run, list) {
      const tiles = timeline(run)?.tiles ?? {};
      const there = list.flatMap(({ track, level, index }) => tiles[`${track}.${level}.${index}`] ?? []);
      return joined(await Promise.all(there.map(inflate)));
    },
    event: (run, { track, event }: EventRef) => found(timeline(run)?.events?.[`${track}.${event}`], "details of this event"),
    longest: () => no("events this short"),
    next: () => no("neighbours of events"),
    find: () => no("search"),
    select: () => no("selection"),
    occurrences: () => no("occurrences"),
  };
}

// The data of this page, if it is a report.html.
export function embeddedData(): Embedded | null {
  const text = document.getElementById("stepscope-data")?.textContent;
  return text ? (parseExact(text) as Embedded) : null;
}
