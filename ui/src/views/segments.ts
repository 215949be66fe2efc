// Reads segments and their blocks from a report, and places them in rows of one scale.
import type { Report } from "../data/report";
import { columnAt, tableOf } from "./parts";

export type BlockState = "allocated" | "awaiting free" | "free";

export interface SegmentBlock {
  readonly offset: number;
  readonly size: number;
  readonly state: BlockState;
  readonly requested: number;
  readonly site: string;
}

export interface Segment {
  readonly index: number;
  readonly address: string;
  readonly size: number;
  readonly allocated: number;
  readonly unused: number;
  readonly largest: number;  // free block
  readonly blocks: readonly SegmentBlock[];
}

const bytes = (cell: unknown): number => (typeof cell === "number" ? cell : Number(cell ?? 0) || 0);

// The largest first; without those whose blocks the report does not have.
export function segmentsOf(report: Report): Segment[] {
  const table = tableOf(report, "segments"), blocks = tableOf(report, "blocks");
  if (!table || !blocks) return [];
  const [index, offset, size, state, requested, site] = ["index", "offset", "size", "state", "requested", "site"].map((key) => columnAt(blocks, key)) as [number, number, number, number, number, number];
  const of = new Map<number, SegmentBlock[]>();
  for (const row of blocks.rows) {
    const list = of.get(bytes(row[index])) ?? [];
    of.set(bytes(row[index]), list);
    list.push({ offset: bytes(row[offset]), size: bytes(row[size]), state: String(row[state]) as BlockState, requested: bytes(row[requested]), site: String(row[site] ?? "") });
  }
  const at = (key: string): number => columnAt(table, key);
  const [own, address, total, allocated, unused, largest] = ["index", "address", "size", "allocated", "unused", "largest_free"].map(at) as [number, number, number, number, number, number];
  return table.rows.flatMap((row): Segment[] => {
    const held = of.get(bytes(row[own]));
    return held ? [{ index: bytes(row[own]), address: String(row[address]), size: bytes(row[total]), allocated: bytes(row[allocated]), unused: bytes(row[unused]), largest: bytes(row[largest]), blocks: held }] : [];
  }).sort((a, b) => b.size - a.size || a.index - b.index);
}

export interface PlacedSegment {
  readonly segment: Segment;
  readonly row: number;
  readonly at: number;  // bytes from the left
}

export interface Shelves {
  readonly placed: readonly PlacedSegment[];
  readonly rows: number;
  readonly width: number;  // bytes
}

const kRows = 40;  // about so many, where no segment needs a longer row

// One after another, each in the first row with room for it among the last ones.
export function shelvesOf(segments: readonly Segment[]): Shelves {
  const total = segments.reduce((sum, { size }) => sum + size, 0);
  const width = Math.max(1, segments[0]?.size ?? 1, total / kRows);
  const placed: PlacedSegment[] = [];
  let row = 0, at = 0;
  for (const segment of segments) {
    if (at > 0 && at + segment.size > width * 1.000001) [row, at] = [row + 1, 0];
    placed.push({ segment, row, at });
    at += segment.size;
  }
  return { placed, rows: segments.length > 0 ? row + 1 : 0, width };
}

// The largest block that is free, of all segments.
export function largestFree(segments: readonly Segment[]): { readonly segment: Segment; readonly block: SegmentBlock } | null {
  let found: { segment: Segment; block: SegmentBlock } | null = null;
  for (const segment of segments) {
    for (const block of segment.blocks) {
      if (block.state === "free" && block.size > (found?.block.size ?? 0)) found = { segment, block };
    }
  }
  return found;
}
