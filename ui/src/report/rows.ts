// Sorts and filters the rows of a table.
import type { Cell, Column, Table } from "../data/report";
import { shortName } from "../data/short_names";
import { shownIn } from "../data/words";
import { humanCell, numberOf } from "./format";

export interface Order {
  readonly column: string;
  readonly down: boolean;
}

// "-time" is by time, the largest first; "name" by name, from a to z; "" as the report has it.
export function parseOrder(text: string): Order | null {
  if (!text) return null;
  return text.startsWith("-") ? { column: text.slice(1), down: true } : { column: text, down: false };
}

export const formatOrder = (order: Order | null): string => (order ? `${order.down ? "-" : ""}${order.column}` : "");

// The next order when a heading is pressed: numbers begin with the largest, texts with a, then the
// other way round, then as the report has it.
export function nextOrder(now: Order | null, column: Column, numeric: boolean): Order | null {
  if (now?.column !== column.key) return { column: column.key, down: numeric };
  return now.down === numeric ? { column: column.key, down: !numeric } : null;
}

const collator = new Intl.Collator("en", { numeric: true });

function compareCells(a: Cell, b: Cell, column: Column): number {
  const left = numberOf(a, column.unit);
  const right = numberOf(b, column.unit);
  if (left !== null && right !== null) return left - right;
  if (left !== null || right !== null) return left !== null ? -1 : 1;
  return collator.compare(String(a), String(b));
}

const blank = (cell: Cell | undefined) => cell === null || cell === undefined || cell === "";

// Indices into table.rows. Words that were typed must all occur in some cell of the row, as printed
// (in the language that is shown) or as it is; blank cells come last in either direction.
export function chosenRows(table: Table, filter: string, order: Order | null): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = table.rows.map((_, index) => index);
  const kept = words.length === 0 ? rows : rows.filter((index) => fits(table, index, words));
  const at = table.columns.findIndex((column) => column.key === order?.column);
  const column = table.columns[at];
  if (!order || !column) return kept;
  const sign = order.down ? -1 : 1;
  return kept.sort((a, b) => {
    const left = table.rows[a]![at] ?? null;
    const right = table.rows[b]![at] ?? null;
    if (blank(left) || blank(right)) return Number(blank(left)) - Number(blank(right)) || a - b;
    return sign * compareCells(left, right, column) || a - b;
  });
}

// What a filter looks through, of each row; made when a table is first filtered. In another language it is another table.
const searched = new WeakMap<Table, string[]>();

function textOf(table: Table, index: number): string {
  const texts = searched.get(table) ?? [];
  searched.set(table, texts);
  return (texts[index] ??= table.rows[index]!
    .map((cell, at) => {
      const column = table.columns[at] ?? { key: "", unit: "" };
      if (typeof cell === "string" && column.unit === "") return `${cell}\n${shortName(cell)}\n${shownIn(column, cell)}`;
      return `${cell ?? ""} ${humanCell(cell, column.unit)}`;
    })
    .join("\n")
    .toLowerCase());
}

function fits(table: Table, index: number, words: readonly string[]): boolean {
  const text = textOf(table, index);
  return words.every((word) => text.includes(word));
}

// Whether a column holds numbers, told by its unit or its first cell with something in it.
export function isNumeric(table: Table, at: number): boolean {
  const column = table.columns[at];
  if (!column) return false;
  if (column.unit !== "") return true;
  const first = table.rows.find((row) => !blank(row[at]));
  return typeof first?.[at] === "number";
}

const kSameInMost = new Set(["device", "window"]);

// The columns that say something, as in the text that the CLI prints: not those without a value, nor the one device or window
// of all rows. A column that orders the rows stays. CSV has all.
export function informing(table: Table, order: Order | null): number[] {
  const says = (column: Column, at: number): boolean => {
    if (column.key === order?.column || table.rows.length === 0) return true;
    if (table.rows.every((row) => blank(row[at]))) return false;
    const first = table.rows[0]![at];
    return column.role !== "key" || !kSameInMost.has(column.key) || typeof first === "string" || table.rows.some((row) => row[at] !== first);
  };
  const columns = table.columns.map((_, at) => at), kept = columns.filter((at) => says(table.columns[at]!, at));
  return kept.length > 0 ? kept : columns;
}
