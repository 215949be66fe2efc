// Reads the data inside a report.html. Blocks of the page hold it deflated, in base64: one JSON of everything but tiles,
// and one block of tiles per level of detail of a run, inflated on first use. Missing data is reported.
import type { ReportSet } from "./report";
import { decodeGrid, withCuts, type GridHead } from "./grid";
import { parseExact } from "./exact";
import { FileEvents } from "./file_events";
import { learnNames } from "./short_names";
import { SourceError, type Analysis, type EventDetails, type EventRef, type Source, type State, type TileId, type TimelineInfo } from "./source";
import { decodeTiles } from "./tile";

interface EmbeddedTimeline {
  readonly info: TimelineInfo;
  readonly finest: readonly number[];  // of each track: the level below which there are no tiles
  // From so many ns on, each event of a device and of another track is there; 0: all are.
  readonly least?: { readonly device: number; readonly other: number };
  readonly events?: Readonly<Record<string, EventDetails>>;  // by "track.event"
}

interface Embedded {
  readonly state: State;
  readonly analyses: readonly Analysis[];
  readonly answers: Readonly<Record<string, ReportSet>>;
  readonly comparisons?: Readonly<Record<string, ReportSet>>;  // by "before after"
  readonly ledgers?: Readonly<Record<string, ReportSet>>;
  readonly snapshots?: Readonly<Record<string, ReportSet>>;
  readonly hangs?: Readonly<Record<string, ReportSet>>;
  readonly jobs?: Readonly<Record<string, ReportSet>>;     // by "ledger N": job N of the ledger's table
  readonly goodput?: Readonly<Record<string, ReportSet>>;  // of the job that a run is of
  readonly timelines?: Readonly<Record<string, EmbeddedTimeline>>;
  readonly pseudonyms?: readonly string[];
}

function missing(what: string): SourceError {
  return new SourceError({ what: `cannot show ${what}: this file does not contain it`, where: "report.html", hint: "open the traces with `stepscope serve`" });
}

// The bytes of a block of the page; none where there is no such block.
async function unpack(block: string): Promise<Uint8Array> {
  const text = atob(document.getElementById(`stepscope-${block}`)?.textContent ?? "");
  if (text === "") return new Uint8Array();
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; ++at) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const kTileMagic = 0x31544c53;
const kTileHead = 40;  // bytes

const tileName = ({ track, level, index }: TileId): string => `${track}.${level}.${index}`;

// The tiles of a block by name. Each says in its head how long it is, and which
// (docs/formats/tiles.md); an index here is small.
export function tilesByName(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const tiles = new Map<string, Uint8Array>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 20 <= bytes.length; ) {
    const word = (which: number): number => view.getUint32(at + 4 * which, true);
    const size = word(1);
    if (size === 0) break;
    tiles.set(tileName({ track: word(2), level: word(3), index: word(4) }), bytes.subarray(at, at + size));
    at += size;
  }
  return tiles;
}

// The list of a ledger's jobs, then the reports of this one; empty: of the first. Undefined: the file does not hold it.
export function ledgerAnswer(data: Pick<Embedded, "ledgers" | "jobs">, id: string, job: string): ReportSet | undefined {
  const answer = data.ledgers?.[id], list = answer?.reports.find(({ analysis }) => analysis === "goodput_jobs");
  if (!answer || job === "") return answer;
  const table = list?.tables.find(({ key }) => key === "jobs");
  const column = table?.columns.findIndex(({ key }) => key === "job") ?? -1;
  const place = table?.rows.findIndex((row) => row[column] === job) ?? -1;
  if (place === 0) return answer;
  const of = data.jobs?.[`${id} ${place}`];
  return list && of && { ...answer, verdict: of.verdict, reports: [list, ...of.reports] };
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

// A tile that a file does not hold, of a level that it does, has nothing in it: a head alone.
export function emptyTile({ track, level, index }: TileId): Uint8Array {
  return new Uint8Array(Uint32Array.of(kTileMagic, kTileHead, track, level, index, 0, 0, 0, 0, 0).buffer);
}

export function embeddedSource(data: Embedded): Source {
  for (const answers of [data.answers, data.comparisons, data.ledgers, data.hangs, data.snapshots, data.jobs, data.goodput]) Object.values(answers ?? {}).forEach(learnNames);
  const levels = new Map<string, Promise<ReadonlyMap<string, Uint8Array>>>();
  const levelOf = (run: string, level: number): Promise<ReadonlyMap<string, Uint8Array>> => {
    const block = `tiles-${run}.${level}`;
    const held = levels.get(block) ?? unpack(block).then(tilesByName);
    levels.set(block, held);
    return held;
  };
  const timeline = (run: string) => data.timelines?.[run];
  const known = new Map<string, Promise<FileEvents>>();
  // All events of a run that its file has: in the finest tiles of each track.
  const readEvents = async (run: string): Promise<FileEvents> => {
    const { info, finest } = await found(timeline(run), "the timeline"), tiles = [];
    for (const level of new Set(finest)) {
      const packed = [...(await levelOf(run, level)).values()].filter((tile) => finest[new DataView(tile.buffer, tile.byteOffset).getUint32(8, true)] === level);
      tiles.push(...decodeTiles(joined(packed)));
    }
    return new FileEvents(info, tiles);
  };
  const eventsOf = (run: string): Promise<FileEvents> => {
    const held = known.get(run) ?? readEvents(run);
    known.set(run, held);
    return held;
  };
  const cut = new Map(Object.entries(data.answers).map(([run, answer]) => [run, withCuts(answer)] as const));
  const grid = async (run: string, name: string): Promise<Uint8Array> => {
    const bytes = await unpack(`grid-${run}.${name}`);
    return bytes.length > 0 ? bytes : no(`the grid ${name}`);
  };
  const no = (what: string) => Promise.reject(missing(what));
  return {
    live: false,
    compares: (before, after) => data.comparisons?.[`${before} ${after}`] !== undefined,
    state: () => Promise.resolve({ ...data.state, pseudonyms: data.pseudonyms ?? [] }),
    analyses: () => Promise.resolve(data.analyses),
    answer: (run, { steps, ranks, param }) =>
      (steps && steps !== "all") || ranks || param ? no("other steps, ranks or parameters") : found(cut.get(run), "this run"),
    gridHead: async (run, name) => JSON.parse(new TextDecoder().decode(await grid(run, name))) as GridHead,
    gridColumn: async (run, name, column) => decodeGrid((await grid(run, `${name}.${column}`)).slice().buffer as ArrayBuffer),
    compare: (before, after, { steps, ranks }) =>
      (steps && steps !== "all") || ranks ? no("other steps or ranks") : found(data.comparisons?.[`${before} ${after}`], "this comparison"),
    ledger: (id, job) => found(ledgerAnswer(data, id, job), job ? "this job of the ledger" : "this ledger"),
    snapshot: (id) => found(data.snapshots?.[id], "this memory snapshot"),
    hang: (id) => found(data.hangs?.[id], "this hang"),
    goodput: (run) => found(data.goodput?.[run], "the goodput of this run"),
    shows: (run) => timeline(run) !== undefined,
    timeline: (run) => {
      const held = timeline(run);
      const tracks = held?.info.tracks.map((track, at) => ({ ...track, finest: held.finest[at] ?? 0 }));
      return found(held && { ...held.info, tracks: tracks!, ...(held.least && { least: held.least }) }, "the timeline");
    },
    async tiles(run, list) {
      return joined(await Promise.all(list.map(async (id) => (await levelOf(run, id.level)).get(tileName(id)) ?? emptyTile(id))));
    },
    async event(run, { track, event }: EventRef) {
      return timeline(run)?.events?.[`${track}.${event}`] ?? found((await eventsOf(run)).details({ track, event }), "details of this event");
    },
    longest: async (run, query) => (await eventsOf(run)).longest(query),
    next: async (run, ref, by) => (await eventsOf(run)).next(ref, by),
    find: async (run, query) => (await eventsOf(run)).find(query),
    query: () => no("answers to SQL"),
    send: () => no("other runs"),
    rankTraces: () => no("other traces"),
    openTrace: () => no("other traces"),
    closeTrace: () => no("other traces"),
    capture: () => no("captures"),
    captured: () => Promise.resolve(null),
    stopCapture: () => no("captures"),
    sent: () => no("other runs"),
    hits: async (run, query) => (await eventsOf(run)).hits(query),
    named: async (run, query) => (await eventsOf(run)).named(query),
    again: () => no("all events of this name"),
    select: () => no("the selected area"),
    occurrences: () => no("all events of this name"),
  };
}

// The data of this page, if it is a report.html.
export async function embeddedData(): Promise<Embedded | null> {
  const bytes = await unpack("data");
  return bytes.length > 0 ? (parseExact(new TextDecoder().decode(bytes)) as Embedded) : null;
}
