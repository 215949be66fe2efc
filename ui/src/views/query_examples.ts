// Statements to begin with; docs/query.md has more.
import type { TextKey } from "../text";

export interface Example {
  readonly title: TextKey;
  readonly sql: string;
  readonly events?: true;  // it asks tables of events, which reduced runs have not
}

export const kExamples: readonly [Example, ...Example[]] = [
  { title: "query.example.slow_steps", sql: "SELECT rank, step, step_time / 1e6 AS ms\nFROM steps\nORDER BY step_time DESC\nLIMIT 20" },
  { title: "query.example.of_mean", sql: "SELECT rank, step, step_time / avg(step_time) OVER (PARTITION BY rank) AS of_mean\nFROM steps\nQUALIFY of_mean > 1\nORDER BY of_mean DESC\nLIMIT 100" },
  { title: "query.example.findings", sql: "SELECT severity, analysis, message, impact / 1e6 AS ms\nFROM findings\nORDER BY place" },
  { title: "query.example.kernels_of_rank", sql: "SELECT name, count, sum / 1e6 AS ms\nFROM kernel_breakdown.kernels\nWHERE rank = 0\nORDER BY sum DESC" },
  { title: "query.example.step_curve", sql: "SELECT step, avg(step_time) / 1e6 AS mean_ms, max(step_time) / 1e6 AS longest_ms\nFROM steps\nGROUP BY step\nORDER BY step" },
  { title: "query.example.kernels", events: true, sql: "SELECT name, count(*) AS launches, sum(duration) / 1e6 AS ms\nFROM kernels\nGROUP BY name\nORDER BY ms DESC\nLIMIT 20" },
  { title: "query.example.copies", events: true, sql: "SELECT name, count(*) AS copies, sum(bytes) AS bytes, sum(bytes) / sum(duration) AS gb_per_s\nFROM events\nWHERE kind = 'memcpy'\nGROUP BY name\nORDER BY bytes DESC" },
  { title: "query.example.delays", events: true, sql: "SELECT k.rank, median(k.start - c.\"end\") AS median_ns, max(k.start - c.\"end\") AS longest_ns\nFROM kernels k JOIN events c ON c.run = k.run AND c.rank = k.rank AND c.index = k.launch\nGROUP BY k.rank\nORDER BY k.rank" },
];

export const examplesOf = (events: boolean): readonly Example[] => kExamples.filter((example) => events || !example.events);
