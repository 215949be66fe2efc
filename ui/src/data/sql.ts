// What the server answers to SQL (/api/query), and the same as a table that the page can show.
import type { Cell, Column, Table } from "./report";

export interface SqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: "whole" | "real" | "boolean" | "text" }[];
  readonly rows: readonly (readonly (Cell | boolean)[])[];
  readonly more: boolean;  // there are more rows
  readonly notes: readonly string[];
}

const kMostLine = 10_000;  // points of a line: more are not told apart

// Cells as the answer has them: their units are not known.
export function tableOfSql({ columns, rows }: SqlAnswer, title: string): Table {
  const column = ({ name }: SqlAnswer["columns"][number]): Column => ({ key: name, title: name, unit: "", role: "value" });
  return { key: "sql", title, columns: columns.map(column), rows: rows.map((row) => row.map((cell) => (typeof cell === "boolean" ? String(cell) : cell))) };
}

export const isNumber = (type: string): boolean => type === "whole" || type === "real";

// The points of a line: x of a column of numbers, or else the place of the row.
export function pointsOf({ columns, rows }: SqlAnswer, x: number, y: number): (readonly [number, number])[] {
  const counts = isNumber(columns[x]?.type ?? "");
  const points = rows.slice(0, kMostLine).flatMap((row, at): (readonly [number, number])[] => {
    const [across, up] = [counts ? row[x] : at, row[y]];
    return typeof across === "number" && typeof up === "number" ? [[across, up]] : [];
  });
  return points.sort(([a], [b]) => a - b);
}

// Where DuckDB says that the error is, "line 2: nme FROM events", in the statement: from where to where.
export function placeOfError(statement: string, where: string): readonly [number, number] | null {
  const [, line, rest] = /^line (\d+): (.*)$/s.exec(where) ?? [], lines = statement.split("\n"), at = Number(line) - 1, text = lines[at];
  if (rest === undefined || text === undefined) return null;
  const before = lines.slice(0, at).reduce((sum, one) => sum + one.length + 1, 0), word = /^(?:\w+|.)/.exec(rest)?.[0] ?? "", column = text.indexOf(rest.slice(0, 40).replace(/\.\.\.$/, ""));
  return column < 0 ? [before, before + text.length] : [before + column, before + column + word.length];
}
