// Makes one table of the same table of two runs: what each row has before, what after, and the difference.
import type { Cell, Column, Table } from "../data/report";
import { numberOf } from "../report/format";
import { t } from "../text";

// What a run that has no such row has of it: none of these.
const kSums = new Set(["count", "sum", "total", "self"]);

// Names that each run gives on its own.
const kOwn = new Set(["track"]);

type Row = readonly Cell[];

function sidesOf(value: Column, before: Row | undefined, after: Row | undefined, at: number): Cell[] {
  const nothing = kSums.has(value.key) ? 0 : null;
  const [a, b] = [before, after].map((row) => (row ? numberOf(row[at], value.unit) : nothing));
  const change = a === null || b === null ? null : b! - a!;
  return [before?.[at] ?? null, after?.[at] ?? null, change, change !== null && a! > 0 ? change / a! : null];
}

const columnsOf = (value: Column): Column[] => [
  { ...value, key: `${value.key}_a`, title: t("area.before", { title: value.title }) },
  { ...value, key: `${value.key}_b`, title: t("area.after", { title: value.title }) },
  { ...value, key: `${value.key}_change`, title: t("area.change", { title: value.title }), unit: value.unit === "ratio" ? "ratio_difference" : value.unit },
  { ...value, key: `${value.key}_change_ratio`, title: t("area.change_ratio", { title: value.title }), unit: "ratio" },
];

// Rows with the same keys are one. A table of paths keeps its order, so that callers come before callees; others begin with the
// largest difference. Of what is a share already there is no share of the difference.
export function mergedTable(before: Table, after: Table, title: string): Table {
  const keys = after.columns.map((_, at) => at).filter((at) => after.columns[at]!.role === "key" && !kOwn.has(after.columns[at]!.key));
  const isTime = (at: number): number => Number(after.columns[at]!.key === "sum" || after.columns[at]!.key === "total");
  const values = after.columns.map((_, at) => at).filter((at) => after.columns[at]!.role === "value").sort((x, y) => isTime(y) - isTime(x));
  const nameOf = (row: Row): string => JSON.stringify(keys.map((at) => row[at] ?? null));
  const [ofBefore, ofAfter] = [before, after].map(({ rows }) => new Map(rows.map((row) => [nameOf(row), row])));
  const names = [...new Set([...ofAfter!.keys(), ...ofBefore!.keys()])];
  const kept = (at: number): number => (after.columns[at]!.unit === "ratio" ? 3 : 4);
  const rows = names.map((name): Cell[] => {
    const a = ofBefore!.get(name), b = ofAfter!.get(name);
    return [...keys.map((at) => (b ?? a)![at] ?? null), ...values.flatMap((at) => sidesOf(after.columns[at]!, a, b, at).slice(0, kept(at)))];
  });
  const columns = [...keys.map((at) => after.columns[at]!), ...values.flatMap((at) => columnsOf(after.columns[at]!).slice(0, kept(at)))];
  const by = columns.findIndex(({ key }) => key === "sum_change"), size = (row: Row): number => Math.abs(numberOf(row[by], "ns") ?? 0);
  const ordered = by < 0 ? rows : rows.sort((x, y) => size(y) - size(x));
  return { key: after.key, title, columns, rows: ordered };
}

// How the second run's table is called beside the first's (pair.ts).
export const kBesideKey = "_with";

// The tables of an answer about two runs: those that both have are one. The run that is shown beside the first is before it.
export function mergedTables(tables: readonly Table[], title: string): readonly Table[] {
  return tables.flatMap((table) => {
    if (table.key.endsWith(kBesideKey) && tables.some(({ key }) => key + kBesideKey === table.key)) return [];
    const other = tables.find(({ key }) => key === table.key + kBesideKey);
    return [other ? mergedTable(other, table, title) : table];
  });
}
