// Declares the report schema (docs/report-schema.json) as types. The page shows these values; it only chooses units and
// lengths of bars.

export type Unit = "" | "ns" | "ratio" | "count" | "bytes" | "bytes/s" | "FLOP" | "FLOP/s" | "unix_ns" | "ratio_difference";

// A string comes from a trace, that is from strangers: it is text, never markup.
export type Cell = number | string | null;

// What a column or a row measures.
export const kKinds = [
  "compute", "communication", "memory", "overlap", "forward", "backward", "optimizer", "launch", "host", "compilation", "input",
  "output", "wait", "idle", "productive", "in_progress", "startup", "checkpoint", "wasted", "recovery", "elastic", "queued",
  "custom", "excluded", "other",
] as const;
export type Kind = (typeof kKinds)[number];

// The kind of this name. The schema has no others: a name that is missing or unknown is a defect, which tests see on
// the console.
export function kindNamed(name: string | undefined): Kind {
  const kind = kKinds.find((one) => one === name);
  if (!kind) console.error(`unknown kind: ${name}`);
  return kind ?? "other";
}

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly unit: Unit;
  readonly role: "key" | "value";
  readonly kind?: Kind;
}

export interface Table {
  readonly key: string;
  readonly title: string;
  readonly kind_column?: string;  // the key of the column that holds the kind of each row
  readonly bars?: string;  // the key of the column to draw where the table has no picture of its own
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  // Of a table that was cut, how many rows it has; and if they are of ranks by steps, what its grid is called.
  readonly all?: number;
  readonly grid?: string;
}

export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly value: Cell;
  readonly unit: Unit;
}

export interface Series {
  readonly key: string;
  readonly title: string;
  readonly x_unit: Unit;
  readonly y_unit: Unit;
  readonly points: readonly (readonly [number | null, number | null])[];
}

export type Severity = "high" | "medium" | "low";

// What a finding is due to.
export interface Cause {
  readonly kind: string;
  readonly rank: number | null;
  readonly step: number | null;
}

export interface Finding {
  readonly id?: string;
  readonly severity: Severity;
  readonly message: string;
  readonly because: string;
  readonly try: string;
  readonly impact: number;
  readonly table: string;  // the key of the table that shows it, "" where none does
  readonly place: number;  // over all reports, from 1; 0 where findings are not ordered
  readonly share: number | null;
  readonly impact_per_step: number | null;
  readonly since_step?: number | null;  // of steps from this one on
  readonly where?: Where;
  readonly worth?: Worth | null;  // by a replay
  readonly cause?: Cause;
  readonly evidence: readonly Evidence[];
}

// What a finding is due to: the one rank it is on and the one step it is in, if it is on one.
export interface Cause {
  readonly kind: string;
  readonly rank: number | null;
  readonly step: number | null;
}

// The steps a finding is in, of some ranks or of all; none where it is in all, or in all since one. And what takes the time in
// them: an operator, or a function as its message has it.
export interface Where {
  readonly rank: number | null;      // the only one of `ranks`
  readonly ranks: readonly number[];
  readonly device: number | null;    // of that rank, where it has several
  readonly steps: readonly number[];
  readonly event: string;
}

// What a step of the job would take less, ns.
export interface Worth {
  readonly saved: number;
  readonly step_time: number;
  readonly error: number;
}

// What another analysis found of the same cause.
export interface Evidence {
  readonly analysis: string;
  readonly message: string;
  readonly because: string;
  readonly table: string;
}

export interface Note {
  readonly name: string;
  readonly count: number;
  readonly message: string;
  readonly where: string;
}

export interface Report {
  readonly analysis: string;
  readonly title: string;
  readonly label?: string;  // the title in a word or two
  readonly group?: string;  // "overview", "ranks", "device", "host", "memory", or ""
  readonly status: "ok" | "partial" | "unavailable";
  readonly why: string;
  readonly headline: string;
  readonly metrics: readonly Metric[];
  readonly tables: readonly Table[];
  readonly series: readonly Series[];
  readonly findings: readonly Finding[];
  readonly notes: readonly Note[];
}

export interface InputFile {
  readonly path: string;
  readonly rank: number | null;
  readonly window: number;
  readonly events: number;
  readonly gpu_events: number;
  readonly bytes: number;
  readonly problem: string;
}

export interface RunInfo {
  readonly name: string;
  readonly files: readonly InputFile[];
  readonly ranks: number;
  readonly steps: string;
  readonly notes: readonly Note[];
}

// By language code, texts by their English. Only what differs.
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface ReportSet {
  readonly schema: string;
  readonly run: RunInfo;
  readonly subject?: string;
  readonly verdict: string;
  readonly reports: readonly Report[];
  readonly short_names?: Readonly<Record<string, string>>;  // what is shown in place of a name
  readonly words?: Words;  // of what people read, names excepted; words.ts applies them
  readonly cut?: Readonly<Record<string, { readonly rows: number; readonly grid: boolean }>>;  // tables that were cut
}
