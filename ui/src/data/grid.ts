// Reads grids: what a table of ranks by steps holds in full where its rows are too many to be sent (docs/formats/grid.md). And tells
// tables how many rows they have of which only the first are here.
import type { Cell, ReportSet } from "./report";

export interface GridHead {
  readonly steps: readonly number[];
  readonly keys: readonly { readonly key: string; readonly cells: readonly Cell[] }[];  // a cell for each row of the grid
  readonly columns: readonly string[];
}

const kHead = 10;  // bytes
const kReal = 1;

// The cells of a column, row after row; NaN: not known.
export function decodeGrid(bytes: ArrayBuffer): Float64Array {
  const view = new DataView(bytes), all = new Uint8Array(bytes, kHead), width = view.getUint8(1), count = all.length / width;
  if (view.getUint8(0) === kReal) return decodeReals(all, count);
  const low = Number(view.getBigInt64(2, true)), values = new Float64Array(count);
  for (let byte = 0, times = 1; byte < width; ++byte, times *= 256) {
    const plane = all.subarray(byte * count, (byte + 1) * count);
    for (let at = 0; at < count; ++at) values[at]! += plane[at]! * times;
  }
  for (let at = 0; at < count; ++at) values[at] = values[at] === 0 ? NaN : low + (values[at]! - 1);
  return values;
}

function decodeReals(all: Uint8Array, count: number): Float64Array {
  const bytes = new Uint8Array(8 * count);
  for (let byte = 0; byte < 8; ++byte) for (let at = 0; at < count; ++at) bytes[8 * at + byte] = all[byte * count + at]!;
  return new Float64Array(bytes.buffer);
}

// The answer whose tables know that they were cut. `cut` of an answer: by "analysis.table".
export function withCuts(answer: ReportSet): ReportSet {
  const { cut } = answer;
  if (!cut) return answer;
  return {
    ...answer,
    reports: answer.reports.map((report) => ({
      ...report,
      tables: report.tables.map((table) => {
        const name = `${report.analysis}.${table.key}`, of = Object.hasOwn(cut, name) ? cut[name] : undefined;
        return of ? { ...table, all: of.rows, ...(of.grid && { grid: name }) } : table;
      }),
    })),
  };
}
