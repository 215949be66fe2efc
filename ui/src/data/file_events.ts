// Finds events in the tiles of a report.html, as a server finds them in the traces (include/stepscope/timeline.h). Shorter
// events than the finest tiles of their track show are not known here.
import { SourceError, type EventDetails, type EventRef, type FindQuery, type Hits, type HitsQuery, type Matches, type NamedQuery, type SpanQuery, type TimelineInfo } from "./source";
import type { Tile } from "./tile";

export interface FileEvent extends EventRef {
  readonly name: string;
  readonly kind: number;  // index into the timeline's
  readonly row: number;
  readonly start: number;
  readonly duration: number;
}

export const boxEvent = ({ track, boxes, names }: Tile, box: number): FileEvent => ({
  track, event: boxes.event[box]!, name: names.at(boxes.name[box]!), kind: boxes.kind[box]!,
  row: boxes.row[box]!, start: boxes.start[box]!, duration: boxes.duration[box]!,
});

// What a tile says of an event.
export function eventDetails(info: TimelineInfo, event: FileEvent): EventDetails {
  const rank = info.ranks[info.tracks[event.track]?.rank_index ?? 0]?.rank ?? 0;
  return { ...event, kind: info.kinds[event.kind] ?? "", rank, fields: [], stack: [], links: [] };
}

const inOrder = (a: FileEvent, b: FileEvent): number => a.start - b.start || a.track - b.track || a.event - b.event;

const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

// Which names fit; each is looked at once.
function matcherOf(q: string, regex: boolean): (name: string) => boolean {
  const known = new Map<string, boolean>(), sought = lower(q);
  let expression: RegExp | null = null;
  try {
    if (regex) expression = new RegExp(q, "i");
  } catch (problem) {
    throw new SourceError({ what: problem instanceof Error ? problem.message : String(problem), where: q, hint: "" }, 400);
  }
  return (name) => {
    const fits = known.get(name) ?? (expression ? expression.test(name) : lower(name).includes(sought));
    known.set(name, fits);
    return fits;
  };
}

// Adds a stretch of buckets to those before it; they come in the order of their begin.
function addStretch(stretches: number[], first: number, last: number): void {
  const end = stretches.length - 1;
  if (end > 0 && first <= stretches[end]! + 1) stretches[end] = Math.max(stretches[end]!, last);
  else stretches.push(first, last);
}

// A long name is cut in tiles.
const isCalled = (name: string, wanted: string): boolean => name === wanted || (name.endsWith("…") && wanted.startsWith(name.slice(0, -1)));

// "load (data.py:7)" of the names that profilers give to Python's functions, "jobs/data.py(7): load" of PyTorch and
// "$data.py:7 load" of JAX, as findings call them (src/trace/frame_name); of other names undefined.
export function labelOfFrame(name: string): string | undefined {
  const [, file, line, called] = /^([^()]+)\((\d+)\): (.+)$/.exec(name) ?? /^\$([^ ]+):(\d+) (.+)$/.exec(name) ?? [];
  return file && `${called} (${file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)}:${line})`;
}

export class FileEvents {
  private readonly all: readonly FileEvent[];
  private readonly byRef: ReadonlyMap<string, FileEvent>;
  private readonly byTrack = new Map<number, FileEvent[]>();

  // `tiles`: of each track those of one level. Steps and counters are no events of the trace.
  constructor(private readonly info: TimelineInfo, tiles: Iterable<Tile>) {
    const known = new Map<string, FileEvent>();
    for (const tile of tiles) {
      const { track, boxes } = tile;
      if (info.tracks[track]?.kind === "steps" || info.tracks[track]?.kind === "counter") continue;
      for (let box = 0; box < boxes.size; ++box) {
        const key = `${track}.${boxes.event[box]!}`;  // one in several tiles is one
        if (!known.has(key)) known.set(key, boxEvent(tile, box));
      }
    }
    this.byRef = known;
    this.all = [...known.values()].sort(inOrder);
    for (const event of this.all) {
      const of = this.byTrack.get(event.track);
      if (of) of.push(event);
      else this.byTrack.set(event.track, [event]);
    }
  }

  details({ track, event }: EventRef): EventDetails | undefined {
    const found = this.byRef.get(`${track}.${event}`);
    return found && eventDetails(this.info, found);
  }

  find({ q, regex, from, by, limit }: FindQuery): Matches {
    const fits = matcherOf(q, regex === 1), found = this.all.filter(({ name }) => fits(name));
    const behind = found.findIndex(({ start }) => start >= from), at = behind < 0 ? found.length : behind;
    const some = by > 0 ? found.slice(at, at + limit) : found.slice(Math.max(0, at - limit), at).reverse();
    const place = some.length === 0 ? 0 : by > 0 ? at + 1 : at;
    return { total: found.length, place, matches: some.map(({ track, event, start, duration, name }) => ({ track, event, start, duration, name })) };
  }

  hits({ q, regex, from, to, buckets, tracks }: HitsQuery): Hits {
    const fits = matcherOf(q, regex === 1), byRank = tracks.length === 0, rows = new Map<string, { rank_index: number; track: number; row: number; stretches: number[] }>();
    const bucketAt = (time: number): number => Math.floor(Math.max(0, Math.min(buckets - 1, ((time - from) / Math.max(1, to - from)) * buckets)));
    for (const { name, track, row, start, duration } of byRank ? this.all : tracks.flatMap((id) => this.byTrack.get(id) ?? [])) {
      const last = Math.max(start, start + duration - 1);
      if (start >= to || last < from || !fits(name)) continue;
      const rank = this.info.tracks[track]?.rank_index ?? 0, key = byRank ? String(rank) : `${track}.${row}`;
      const of = rows.get(key) ?? { rank_index: rank, track: byRank ? 0 : track, row: byRank ? 0 : row, stretches: [] };
      rows.set(key, of);
      addStretch(of.stretches, bucketAt(start), bucketAt(last));
    }
    return { rows: [...rows.values()] };
  }

  private longestOf(events: readonly FileEvent[], from: number, to: number, fits: (event: FileEvent) => boolean): EventDetails | null {
    let best: FileEvent | null = null;
    for (const event of events) {
      if (event.start >= to || event.start + event.duration <= from || (best && event.duration <= best.duration) || !fits(event)) continue;
      best = event;
    }
    return best && eventDetails(this.info, best);
  }

  named({ name, kind, from, to, tracks }: NamedQuery): EventDetails | null {
    const events = tracks.length === 0 ? this.all : tracks.flatMap((id) => this.byTrack.get(id) ?? []).sort(inOrder);
    return this.longestOf(events, from, to, (event) => (name === "" || isCalled(event.name, name) || labelOfFrame(event.name) === name) && (kind === "" || this.info.column_kinds[event.kind] === kind));
  }

  longest({ track, row, from, to }: SpanQuery): EventDetails | null {
    return this.longestOf(this.byTrack.get(track) ?? [], from, to, (event) => event.row === row);
  }

  next({ track, event }: EventRef, by: 1 | -1): EventDetails | null {
    const of = this.byTrack.get(track) ?? [], at = of.findIndex((one) => one.event === event), next = at < 0 ? undefined : of[at + by];
    return next ? eventDetails(this.info, next) : null;
  }
}
