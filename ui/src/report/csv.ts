// Writes a table as CSV (RFC 4180): exact values as the server sent them, column keys as header.
import type { Cell, Table } from "../data/report";

function field(cell: Cell): string {
  if (cell === null) return "";
  // Spreadsheets run a text that begins so as a formula, and names come from strangers. Numbers that no double holds
  // are texts too.
  const runs = typeof cell === "string" && /^[=+\-@]/.test(cell) && !/^-?\d+$/.test(cell);
  const text = runs ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(table: Pick<Table, "columns" | "rows">): string {
  const lines = [table.columns.map((column) => field(column.key)), ...table.rows.map((row) => row.map(field))];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

export function saveText(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
