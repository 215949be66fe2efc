// Reads what a finding says of ranks and steps, which heat maps frame and whose measure they open on.
import type { Report, ReportSet } from "../data/report";
import type { Guilty } from "./heat_data";
import { columnAt, tableOf } from "./parts";
import { foundIn, type Found } from "./verdict";

// The steps of several ranks, where these are what a finding is about.
const kTurns = "in_turn", kOfRanks: readonly string[] = [kTurns, "rank_steps"];

function stepsOfRanks(report: Report, key: string): NonNullable<Guilty["cells"]> {
  const table = tableOf(report, key);
  return table ? table.rows.map((row) => ({ rank: Number(row[columnAt(table, "rank")]), step: Number(row[columnAt(table, "step")]) })) : [];
}

function guiltyOf(found: Found | undefined): Guilty {
  const { where, cause, since_step, table = "" } = found?.finding ?? {}, step = cause?.step ?? null, kind = cause?.kind ?? "";
  const since = since_step ?? null, { steps = [], device = null } = where ?? {};
  if (found && kOfRanks.includes(table)) return { ranks: [], device: null, since, steps: null, cells: stepsOfRanks(found.report, table), inTurn: table === kTurns, kind };
  const named = where?.ranks ?? [], one = cause?.rank ?? null;
  if (steps.length > 0) return { ranks: named, device, since: null, steps, kind };
  return { ranks: named.length > 0 ? named : one === null ? [] : [one], device, since, steps: step === null ? null : [step], kind };
}

// The ranks and steps that the first finding names.
export const guiltyIn = (answer: ReportSet): Guilty => guiltyOf(foundIn(answer)[0]);

// Those that the report's own first finding names, or else the first of all.
export function guiltyOn(report: Report, answer: ReportSet | undefined): Guilty | undefined {
  const own = answer && foundIn(answer).find((found) => found.report.analysis === report.analysis);
  return own ? guiltyOf(own) : answer && foundIn(answer).length > 0 ? guiltyIn(answer) : undefined;
}
