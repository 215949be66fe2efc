// The report schema, docs/report-schema.json, as types. Everything shown comes from these values;
// the page never reckons with them beyond choosing units and the length of a bar.

export type Unit = "" | "ns" | "ratio" | "count" | "bytes" | "bytes/s" | "FLOP" | "FLOP/s" | "unix_ns";

// A string comes from a trace, that is from strangers: it is text, never markup.
export type Cell = number | string | null;

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly unit: Unit;
  readonly role: "key" | "value";
}

export interface Table {
  readonly key: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
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

export interface Finding {
  readonly severity: Severity;
  readonly says: string;
  readonly because: string;
  readonly try: string;
  readonly worth: number;
  readonly table: string;  // the key of the table that shows it, "" where none does
}

export interface Note {
  readonly name: string;
  readonly count: number;
  readonly says: string;
  readonly where: string;
}

export interface Report {
  readonly analysis: string;
  readonly title: string;
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

export interface ReportSet {
  readonly schema: string;
  readonly run: RunInfo;
  readonly verdict: string;
  readonly reports: readonly Report[];
}
