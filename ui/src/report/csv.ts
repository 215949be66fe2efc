// Writes a table as CSV (RFC 4180): exact values as the server sent them, titles with their units as header, as the CLI does.
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
  const lines = [table.columns.map(({ title, unit }) => field(unit ? `${title} [${unit}]` : title)), ...table.rows.map((row) => row.map(field))];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

export function saveText(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }));
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
