// Reads what changes of a job are worth from tables of `whatif`, and keeps a set of changes as the text that `whatif.set` has:
// "link: x2; input: no wait".
import type { Cell, Table } from "../data/report";
import { cellText } from "../report/format";
import { t } from "../text";
import { columnAt, valueAt, type Value } from "./parts";

export interface Change {
  readonly text: string;
  readonly before: Value;  // a step, ns
  readonly after: Value;
  readonly error: Value;
  readonly words: string;  // what it saves, and what bounds the job then
}

export const partsOf = (set: string): string[] => set.split(";").map((part) => part.trim()).filter(Boolean);

// The set with all parts of a change, or without any of them.
export function withChange(set: string, change: string, on: boolean): string {
  const parts = partsOf(change), rest = partsOf(set).filter((part) => !parts.includes(part));
  return [...new Set(on ? [...rest, ...parts] : rest)].join("; ");
}

export const holds = (set: readonly string[], change: string): boolean => partsOf(change).every((part) => set.includes(part));

function wordsOf(read: (key: string) => Value): string {
  const saved = read("saved").number ?? 0, rank = read("critical_rank").text, since = read("since_step");
  const error = read("error"), known = (error.number ?? 0) > 0 ? t("whatif.within", { error: error.text }) : "";
  const words = { before: read("recorded").text, after: read("step_time").text, error: known, ratio: read("saved_ratio").text };
  const worth = saved < 0 ? t("whatif.costs", { ...words, more: cellText(-saved, "ns") }) : t("whatif.saves", { ...words, saved: read("saved").text });
  return [
    since.number === null ? worth : `${worth}, ${t("whatif.since", { step: since.text })}`,
    ...(rank === "-" ? [] : [t("whatif.then", { rank, bound: read("bound_by").text })]),
  ].join("; ");
}

export function changesOf(table: Table | undefined): Change[] {
  return (table?.rows ?? []).flatMap((row: readonly Cell[]): Change[] => {
    const read = (key: string) => valueAt(table!, row, columnAt(table!, key));
    const before = read("recorded"), after = read("step_time");
    if (before.number === null || after.number === null) return [];
    return [{ text: String(row[columnAt(table!, "change")] ?? ""), before, after, error: read("error"), words: wordsOf(read) }];
  });
}
