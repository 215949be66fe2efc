// Declares the interface to the page's data. server.ts implements it for `stepscope serve`, embedded.ts for report.html.
import type { GridHead } from "./grid";
import type { ReportSet, Unit, Words } from "./report";
import type { SqlAnswer } from "./sql";

// What went wrong, where, and what to try; every rejected promise of a Source carries one.
export interface Problem {
  readonly what: string;
  readonly where: string;
  readonly hint: string;
}

export class SourceError extends Error {
  constructor(readonly problem: Problem, readonly status = 0) {
    super(problem.what);
  }
}

export interface Progress {
  readonly bytes_done: number;
  readonly bytes_total: number;
  readonly files_done: number;
  readonly files_total: number;
}

export interface Run {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly state: "waiting" | "loading" | "ready" | "failed";
  readonly progress: Progress;
  readonly error: Problem | null;
  readonly revision?: number;  // changes when its files do
  readonly timeline?: boolean;  // false: it was read, and has no events
  readonly trace_of?: { readonly run: string; readonly rank: number };  // it is the trace of a rank of that run
}

// The traces that the partial of a rank was made of.
export interface RankTraces {
  readonly rank: number;
  readonly traces: readonly { readonly path: string; readonly bytes: number }[];
  readonly opens: boolean;  // the server may open them
}

// A capture from running jobs.
export interface Capture {
  readonly number: number;
  readonly done: boolean;
  readonly dry_run: boolean;  // it only lists who would be captured
  readonly doing: string;
  readonly traces: number;    // that are there
  readonly targets: number;
  readonly run: string;       // the run that it became; empty: none
  readonly error: Problem | null;
  readonly answer: ReportSet | null;
}

// Of processes of this machine, or of servers.
export interface CaptureAsk {
  readonly door: "torch" | "grpc";
  readonly for?: number;  // ms
  readonly servers?: string;
  readonly job?: string;
  readonly dry_run?: 1;
}

export interface State {
  readonly version: string;
  readonly takes_files?: boolean;  // that are dropped on the page
  readonly runs: readonly Run[];
  readonly ledgers: readonly { readonly id: string; readonly name: string }[];
  readonly snapshots: readonly { readonly id: string; readonly name: string }[];  // of memory
  readonly hangs: readonly { readonly id: string; readonly name: string }[];  // what stuck jobs left behind
  readonly pseudonyms?: readonly string[];  // the kinds of names that pseudonyms stand for in a report.html: "host", "path"
}

export interface Parameter {
  readonly name: string;
  readonly doc: string;
  readonly default?: string | number | null;
}

export interface Analysis {
  readonly name: string;
  readonly title: string;
  readonly doc: string;  // Markdown
  readonly params: readonly Parameter[];
  readonly words?: Words;  // of title, doc and parameters
}

// Which part of a run counts. Empty strings and lists mean all of it.
export interface Selection {
  readonly steps?: string;  // "all", "complete", "7", "3..7"
  readonly ranks?: string;  // "0,2..5"
  readonly only?: readonly string[];  // analyses
  readonly param?: string;  // "whatif.set=link: x2"
  readonly brief?: boolean;  // which reports there are, without their numbers; a report.html gives all
}

// --- the timeline; times are ns from the run's first event, on aligned clocks, below 2^53 ---

export interface TimelineRank {
  readonly rank: number;
  readonly window: number;
  readonly name: string;
  readonly aligned: boolean;
  readonly own_begin: number | string;  // its own clock at 0 and at the end, ns; text beyond 2^53
  readonly own_end: number | string;
}

export interface TimelineStep {
  readonly rank_index: number;
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

export interface Track {
  readonly id: number;
  readonly rank_index: number;
  readonly kind: "steps" | "annotations" | "thread" | "stream" | "counter";
  readonly group: string;
  readonly name: string;
  readonly rows: number;
  readonly events: number;
  readonly unit: Unit;
  readonly max: number;
  readonly finest?: number;  // level below which there are no tiles; else 0
  readonly until?: number;   // where its run ends; else where the timeline does
  readonly shift?: number;   // ns that its tiles' buckets are moved by on the axis; else 0
}

export interface TimelineInfo {
  readonly end: number;
  readonly work_begin?: number;  // ns between which ranks did something; all, where nothing is said
  readonly work_end?: number;
  readonly ranks: readonly TimelineRank[];
  readonly steps: readonly TimelineStep[];
  readonly tracks: readonly Track[];
  readonly kinds: readonly string[];         // what tiles and events name
  readonly column_kinds: readonly string[];  // in the same order: the kind that reports give to it
  // Of two runs on one axis: their names, and the steps that begin together, if both have steps.
  // `ranks`: how many are of the first.
  readonly pair?: { readonly names: readonly [string, string]; readonly steps: readonly [number, number] | null; readonly ranks: number };
  // Of a report's file, from so many ns on each event of a device and of another track is in it; 0: all are.
  readonly least?: { readonly device: number; readonly other: number };
  readonly words?: Words;     // of names of tracks and groups
}

export interface TileId {
  readonly track: number;
  readonly level: number;
  readonly index: number;
}

export interface EventRef {
  readonly track: number;
  readonly event: number;
}

export interface EventDetails extends EventRef {
  readonly name: string;
  readonly kind: string;
  readonly row: number;
  readonly start: number;
  readonly duration: number;
  readonly rank: number;
  readonly fields: readonly {
    readonly key: string;
    readonly title: string;
    readonly value: number | string | null;
    readonly unit: Unit;
  }[];
  readonly words?: Words;  // of titles
  readonly stack: readonly (EventRef & { readonly name: string })[];  // innermost first
  readonly links: readonly (EventRef & {
    readonly relation: "launch" | "work" | "peer" | "wait";
    readonly row?: number;
    readonly name: string;
    readonly start: number;
    readonly end: number;
  })[];
}

export interface Match extends EventRef {
  readonly start: number;
  readonly duration: number;
  readonly name: string;
}

export interface Matches {
  readonly total: number;
  readonly place: number;  // of the first of these among all, from 1 in the order of time; 0 without any
  readonly matches: readonly Match[];
}

export interface FindQuery {
  readonly q: string;
  readonly regex?: 1 | undefined;  // q is a regular expression
  readonly from: number;
  readonly by: 1 | -1;
  readonly limit: number;
}

// Where matches lie: in which buckets, equal parts of the time.
export interface HitsQuery {
  readonly q: string;
  readonly regex?: 1 | undefined;
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  readonly tracks: readonly number[];  // row by row; none: all there are, rank by rank
}

export interface Hits {
  readonly rows: readonly {
    readonly rank_index: number;
    readonly track: number;
    readonly row: number;
    readonly stretches: readonly number[];  // first and last bucket of each, ascending
  }[];
}

// An event by its whole name, or of a kind: the longest that meets the time.
export interface NamedQuery {
  readonly name: string;  // empty: any
  readonly kind: string;  // a column's; empty: any
  readonly from: number;
  readonly to: number;
  readonly tracks: readonly number[];  // none: all
}

export interface SpanQuery {
  readonly track: number;
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

export interface BoxQuery {
  readonly from: number;
  readonly to: number;
  readonly tracks: readonly number[];
  readonly by: "name" | "kind" | "track" | "rank" | "stack";
  readonly around?: EventRef;  // by stack: callers and callees of its name
}

// A part of a file: of one drop, at a byte of the file.
export interface FilePart {
  readonly drop: number;
  readonly name: string;
  readonly at: number;
}

export interface Source {
  readonly live: boolean;  // false: what state() says never changes
  compares(before: string, after: string): boolean;  // whether it can, once both are read
  state(signal?: AbortSignal): Promise<State>;
  analyses(signal?: AbortSignal): Promise<readonly Analysis[]>;
  answer(run: string, selection: Selection, signal?: AbortSignal): Promise<ReportSet>;
  // At most 10,000 rows. `client`: a later statement of the same ends this one.
  query(runs: readonly string[], sql: string, client: string, selection: Selection, signal?: AbortSignal): Promise<SqlAnswer>;
  // The grid of a table, and a column of it, as decodeGrid() and GridHead have them.
  gridHead(run: string, grid: string, selection: Selection, signal?: AbortSignal): Promise<GridHead>;
  gridColumn(run: string, grid: string, column: string, selection: Selection, signal?: AbortSignal): Promise<Float64Array>;
  compare(base: string, other: string, selection: Selection, signal?: AbortSignal): Promise<ReportSet>;
  // Of the ledger's jobs all in a table, and one in full: `job`, or the first.
  ledger(id: string, job: string, signal?: AbortSignal): Promise<LedgerAnswer>;
  snapshot(id: string, signal?: AbortSignal): Promise<ReportSet>;  // the report "memory_snapshot", with its pictures
  hang(id: string, signal?: AbortSignal): Promise<ReportSet>;  // what `stepscope hang` prints
  // Which job of the ledgers the run is of, with its goodput: the report "goodput_match", and if it is of one, whose ledger
  // is its metric `ledger`, the reports of that job.
  goodput(run: string, signal?: AbortSignal): Promise<ReportSet>;
  shows(run: string): boolean;  // whether it has the run's timeline
  timeline(run: string, signal?: AbortSignal): Promise<TimelineInfo>;
  // The bytes of these tiles, one after another; at most 256. A source may leave out tiles it does
  // not have: each says in its header which it is.
  tiles(run: string, list: readonly TileId[], signal?: AbortSignal): Promise<ArrayBuffer>;
  event(run: string, ref: EventRef, signal?: AbortSignal): Promise<EventDetails>;
  // The longest event of a row that meets the time: what a click on density means.
  longest(run: string, query: SpanQuery, signal?: AbortSignal): Promise<EventDetails | null>;
  // Null past the ends of a track.
  next(run: string, ref: EventRef, by: 1 | -1, signal?: AbortSignal): Promise<EventDetails | null>;
  find(run: string, query: FindQuery, signal?: AbortSignal): Promise<Matches>;
  hits(run: string, query: HitsQuery, signal?: AbortSignal): Promise<Hits>;
  named(run: string, query: NamedQuery, signal?: AbortSignal): Promise<EventDetails | null>;
  // The next event of the same name that lasts from `least` to `most` ns, and round again; null: none does.
  again(run: string, ref: EventRef, least: number, most: number, signal?: AbortSignal): Promise<EventDetails | null>;
  select(run: string, query: BoxQuery, signal?: AbortSignal): Promise<ReportSet>;
  send(part: FilePart, bytes: Blob): Promise<void>;
  sent(drop: number): Promise<string>;  // all of a drop; the id of its run
  // None where the rank has no partial that names its trace.
  rankTraces(run: string, rank: number, signal?: AbortSignal): Promise<RankTraces>;
  openTrace(run: string, rank: number): Promise<string>;  // the id of the run that it becomes
  closeTrace(run: string): Promise<void>;
  capture(ask: CaptureAsk): Promise<number>;  // begins one; its number
  captured(signal?: AbortSignal): Promise<Capture | null>;  // the one that runs, or the last
  stopCapture(): Promise<void>;
  occurrences(run: string, ref: EventRef, signal?: AbortSignal): Promise<ReportSet>;
}

// The table of all jobs, then what `goodput analyze --format json` prints for one of them.
export type LedgerAnswer = ReportSet;
