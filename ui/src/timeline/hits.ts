// Keeps where the matches of a search lie: on the rows in sight, asked for when the view rests, and of each rank in the overview.
import type { Hits, Source, TimelineInfo } from "../data/source";
import type { View } from "./levels";
import type { Search } from "./search";
import { working } from "./view";

const kRestMs = 120;          // that the view stays where it is before the server is asked
const kPixelsOfBucket = 2;
const kMostBuckets = 2048;

// Stretches of a time by row, as `${track}.${row}`, or by index of rank.
export interface HitRows {
  readonly from: number;
  readonly bucket: number;  // ns
  readonly rows: ReadonlyMap<string, readonly number[]>;  // first and last bucket of each stretch
}

export const rowKey = (track: number, row: number): string => `${track}.${row}`;

// The times of the stretches of a row.
export function stretchesOf({ from, bucket, rows }: HitRows, key: string): (readonly [number, number])[] {
  const flat = rows.get(key) ?? [];
  return Array.from({ length: flat.length >> 1 }, (_, i) =>
    [from + flat[2 * i]! * bucket, from + (flat[2 * i + 1]! + 1) * bucket] as const);
}

// What of the timeline is looked at.
export interface Sight {
  readonly view: View;
  readonly width: number;                // CSS pixels
  readonly tracks: readonly number[];
}

interface Asked { key: string; timer: number; abort: AbortController | null }

export class HitMarks {
  rows: HitRows | null = null;     // in sight
  byRank: HitRows | null = null;   // in the whole run
  private readonly near: Asked = { key: "", timer: 0, abort: null };
  private readonly far: Asked = { key: "", timer: 0, abort: null };

  constructor(
    private readonly source: Pick<Source, "hits">, private readonly run: string, private readonly info: TimelineInfo,
    private readonly arrived: () => void,
  ) {}

  // Asks for what is not known of this search and sight; forgets what is of another search.
  follow(search: Search, { view, width, tracks }: Sight): void {
    const none = !search.q || search.wrong !== "";
    const what = none ? "" : `${search.regex} ${search.q}`;
    const from = Math.max(0, Math.floor(view.from)), to = Math.min(this.info.end + 1, Math.ceil(view.to));
    const buckets = Math.max(1, Math.min(kMostBuckets, Math.round(width / kPixelsOfBucket)));
    const sight = { from, to, buckets, tracks };
    this.ask(this.near, what && tracks.length > 0 && from < to ? `${what} ${JSON.stringify(sight)}` : "", search, sight, (rows) => { this.rows = rows; });
    const all = working(this.info);
    const whole = { from: Math.max(0, Math.floor(all.from)), to: Math.min(this.info.end + 1, Math.ceil(all.to)), buckets: kMostBuckets / 2, tracks: [] };
    this.ask(this.far, what, search, whole, (rows) => { this.byRank = rows; });
  }

  stop(): void {
    for (const asked of [this.near, this.far]) {
      clearTimeout(asked.timer);
      asked.abort?.abort();
    }
  }

  private ask(
    asked: Asked, key: string, { q, regex }: Search, query: { from: number; to: number; buckets: number; tracks: readonly number[] }, keep: (rows: HitRows | null) => void,
  ): void {
    if (asked.key === key) return;
    const other = key === "" || !asked.key.startsWith(`${regex} ${q} `);
    asked.key = key;
    clearTimeout(asked.timer);
    asked.abort?.abort();
    if (other) keep(null);
    if (key === "") return this.arrived();
    const abort = (asked.abort = new AbortController());
    asked.timer = window.setTimeout(() => {
      this.source.hits(this.run, { q, regex: regex ? 1 : undefined, ...query }, abort.signal).then((hits) => {
        if (abort.signal.aborted) return;
        keep({ from: query.from, bucket: (query.to - query.from) / query.buckets, rows: rowsOf(hits, query.tracks.length === 0) });
        this.arrived();
      }, () => undefined);  // what is wrong with a search, the search itself says
    }, kRestMs);
  }
}

const rowsOf = ({ rows }: Hits, byRank: boolean): Map<string, readonly number[]> =>
  new Map(rows.map((row) => [byRank ? String(row.rank_index) : rowKey(row.track, row.row), row.stretches]));
