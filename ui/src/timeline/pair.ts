// Puts two runs on one axis: a Source whose timeline has the ranks of both, one run moved so that their steps begin together.
//
// Tracks, ranks and times of the second run follow those of the first; numbers of the first are what they are alone.
import type {
  EventDetails, EventRef, Hits, Match, Matches, Source, TileId, TimelineInfo, Track,
} from "../data/source";
import { joinedWords, prefixedWords } from "../data/words";
import { kBesideKey } from "./merged";

export interface PairedRun {
  readonly id: string;
  readonly name: string;
}

// Where a run's numbers begin on the common axis.
interface Side {
  readonly run: PairedRun;
  readonly info: TimelineInfo;
  readonly tracks: number;  // of the runs before
  readonly ranks: number;
  readonly shift: number;   // ns
  readonly step: number | null;  // that begins together with one of the other's
}

const hasStep = ({ steps }: TimelineInfo, step: number): boolean => steps.some(({ number }) => number === step);

// Where a step begins; without one, the second step, where there is one: the first begins with the recording.
export function beginOf({ steps }: TimelineInfo, wanted?: number): { readonly step: number; readonly at: number } | null {
  const numbers = [...new Set(steps.map(({ number }) => number))].sort((a, b) => a - b), step = wanted ?? numbers[1] ?? numbers[0];
  return step === undefined ? null : { step, at: Math.min(...steps.filter(({ number }) => number === step).map(({ start }) => start)) };
}

function sidesOf(first: readonly [PairedRun, TimelineInfo], second: readonly [PairedRun, TimelineInfo], align: number | undefined): [Side, Side] {
  const step = align !== undefined && hasStep(first[1], align) && hasStep(second[1], align) ? align : undefined;
  const a = beginOf(first[1], step), b = beginOf(second[1], step), later = a && b ? a.at - b.at : 0;
  return [
    { run: first[0], info: first[1], tracks: 0, ranks: 0, shift: Math.max(0, -later), step: a && b && a.step },
    { run: second[0], info: second[1], tracks: first[1].tracks.length, ranks: first[1].ranks.length, shift: Math.max(0, later), step: a && b && b.step },
  ];
}

export function pairedInfo(sides: readonly [Side, Side]): TimelineInfo {
  const [{ step: a, info: { ranks, least } }, { step: b, info: { least: other } }] = sides;
  return {
    end: Math.max(...sides.map(({ info, shift }) => info.end + shift)),
    work_begin: Math.min(...sides.map(({ info, shift }) => (info.work_begin ?? 0) + shift)),
    work_end: Math.max(...sides.map(({ info, shift }) => (info.work_end ?? info.end) + shift)),
    ranks: sides.flatMap(({ info, run }) => info.ranks.map((rank) => ({ ...rank, name: `${run.name}: ${rank.name || `rank ${rank.rank}`}` }))),
    steps: sides.flatMap(({ info, ranks, shift }) => info.steps.map((step) =>
      ({ ...step, rank_index: step.rank_index + ranks, start: step.start + shift, end: step.end + shift }))),
    tracks: sides.flatMap(({ info, tracks, ranks, shift }) => info.tracks.map((track): Track =>
      ({ ...track, id: track.id + tracks, rank_index: track.rank_index + ranks, shift, until: info.end + shift }))),
    kinds: sides[0].info.kinds, column_kinds: sides[0].info.column_kinds,
    ...(sides.some(({ info }) => info.words) && { words: joinedWords(sides.map(({ info }) => info.words ?? {})) }),
    pair: { names: [sides[0].run.name, sides[1].run.name], steps: a === null || b === null ? null : [a, b], ranks: ranks.length },
    ...((least || other) && { least: { device: Math.max(least?.device ?? 0, other?.device ?? 0), other: Math.max(least?.other ?? 0, other?.other ?? 0) } }),
  };
}

const moved = <T extends EventRef & { readonly start: number }>(event: T, { tracks, shift }: Side): T =>
  ({ ...event, track: event.track + tracks, start: event.start + shift });

function movedDetails(event: EventDetails | null, side: Side): EventDetails | null {
  return event && {
    ...moved(event, side),
    stack: event.stack.map((frame) => ({ ...frame, track: frame.track + side.tracks })),
    links: event.links.map((link) => ({ ...moved(link, side), end: link.end + side.shift })),
  };
}

const kMagicAt = 0, kBytesAt = 4, kTrackAt = 8, kBoxesAt = 20, kHead = 40;

// Gives tiles of a run their track here, and their boxes their time (docs/formats/tiles.md); spans stay in their buckets, and a
// track's `shift` says how far these are moved.
export function moveTiles(answer: ArrayBuffer, { tracks, shift }: Pick<Side, "tracks" | "shift">): ArrayBuffer {
  const view = new DataView(answer);
  for (let at = 0; at + kHead <= answer.byteLength && view.getUint32(at + kMagicAt, true) === 0x31544c53;) {
    view.setUint32(at + kTrackAt, view.getUint32(at + kTrackAt, true) + tracks, true);
    const starts = at + kHead, boxes = view.getUint32(at + kBoxesAt, true), bytes = view.getUint32(at + kBytesAt, true);
    for (let box = 0; box < boxes && starts + 8 * box + 8 <= answer.byteLength; ++box) {
      view.setFloat64(starts + 8 * box, view.getFloat64(starts + 8 * box, true) + shift, true);
    }
    if (bytes < kHead) break;
    at += bytes;
  }
  return answer;
}

// What a search finds in both, in the order of time.
export function mergedMatches(answers: readonly Matches[], by: 1 | -1, limit: number): Matches {
  const before = (one: Matches): number => (by < 0 ? one.place : one.matches.length > 0 ? one.place - 1 : one.total);
  const matches = answers.flatMap((one): readonly Match[] => one.matches)
    .sort((a, b) => by * (a.start - b.start || a.track - b.track || a.event - b.event)).slice(0, limit);
  const sum = answers.reduce((all, one) => all + before(one), 0);
  return { total: answers.reduce((all, { total }) => all + total, 0), matches, place: matches.length === 0 ? 0 : by > 0 ? sum + 1 : sum };
}

// A source that is asked for the timeline of each run once.
export function askedOnce(source: Source): Source {
  const known = new Map<string, Promise<TimelineInfo>>();
  const ask = (run: string, signal?: AbortSignal): Promise<TimelineInfo> => {
    const asked = source.timeline(run, signal).catch((problem: unknown) => {
      known.delete(run);
      throw problem;
    });
    known.set(run, asked);
    return asked;
  };
  return { ...source, timeline: (run, signal) => known.get(run) ?? ask(run, signal) };
}

// The source of a run, beside which another is shown. `align`: the step that begins together, where both have it.
export function pairedSource(source: Source, first: PairedRun, second: PairedRun, align?: number): Source {
  let known: Promise<[Side, Side]> | undefined;
  const ask = async (signal?: AbortSignal): Promise<[Side, Side]> => {
    const [a, b] = await Promise.all([source.timeline(first.id, signal), source.timeline(second.id, signal)]);
    return sidesOf([first, a], [second, b], align);
  };
  const sides = (signal?: AbortSignal): Promise<[Side, Side]> => {
    known ??= ask(signal).catch((problem: unknown) => {
      known = undefined;
      throw problem;
    });
    return known;
  };
  const sideOf = async (track: number): Promise<Side> => {
    const [a, b] = await sides();
    return track < b.tracks ? a : b;
  };
  const own = (ref: EventRef, { tracks }: Side): EventRef => ({ track: ref.track - tracks, event: ref.event });
  // Those of a side, and whether any is: to the server none are all.
  const tracksOf = (tracks: readonly number[], side: Side): number[] | null => {
    const here = tracks.map((id) => id - side.tracks).filter((id) => id >= 0 && id < side.info.tracks.length);
    return tracks.length > 0 && here.length === 0 ? null : here;
  };
  const each = async <T>(tracks: readonly number[], act: (side: Side, here: number[]) => Promise<T>): Promise<T[]> =>
    (await Promise.all((await sides()).map((side) => {
      const here = tracksOf(tracks, side);
      return here && act(side, here);
    }))).filter((one): one is Awaited<T> => one !== null);
  const times = ({ from, to }: { from: number; to: number }, { shift }: Side) => ({ from: from - shift, to: to - shift });
  return {
    ...source,
    timeline: async (_, signal) => pairedInfo(await sides(signal)),
    async tiles(_, list, signal) {
      const [a, b] = await sides();
      const parts = await Promise.all([a, b].map(async (side) => {
        const here = list.filter(({ track }) => (track < b.tracks) === (side === a));
        const asked = here.map((id): TileId => ({ ...id, track: id.track - side.tracks }));
        return asked.length === 0 ? new ArrayBuffer(0) : moveTiles(await source.tiles(side.run.id, asked, signal), side);
      }));
      const all = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
      all.set(new Uint8Array(parts[0]!));
      all.set(new Uint8Array(parts[1]!), parts[0]!.byteLength);
      return all.buffer;
    },
    async event(_, ref, signal) {
      const side = await sideOf(ref.track);
      return movedDetails(await source.event(side.run.id, own(ref, side), signal), side)!;
    },
    async longest(_, query, signal) {
      const side = await sideOf(query.track), { from, to } = times(query, side);
      const asked = { ...query, track: query.track - side.tracks, from: Math.max(0, from), to: Math.max(0, to) };
      return movedDetails(await source.longest(side.run.id, asked, signal), side);
    },
    async next(_, ref, by, signal) {
      const side = await sideOf(ref.track);
      return movedDetails(await source.next(side.run.id, own(ref, side), by, signal), side);
    },
    async again(_, ref, least, most, signal) {
      const side = await sideOf(ref.track);
      return movedDetails(await source.again(side.run.id, own(ref, side), least, most, signal), side);
    },
    async find(_, query, signal) {
      const answers = await each([], async (side) => {
        const found = await source.find(side.run.id, { ...query, from: query.from - side.shift }, signal);
        return { ...found, matches: found.matches.map((match) => moved(match, side)) };
      });
      return mergedMatches(answers, query.by, query.limit);
    },
    async hits(_, query, signal) {
      const answers = await each(query.tracks, async (side, tracks): Promise<Hits["rows"]> => {
        const { rows } = await source.hits(side.run.id, { ...query, ...times(query, side), tracks }, signal);
        return rows.map((row) => ({ ...row, rank_index: row.rank_index + side.ranks, track: row.track + side.tracks }));
      });
      return { rows: answers.flat() };
    },
    async named(_, query, signal) {
      const found = await each(query.tracks, async (side, tracks) =>
        movedDetails(await source.named(side.run.id, { ...query, ...times(query, side), tracks }, signal), side));
      return found.filter((one) => one !== null).sort((a, b) => b.duration - a.duration)[0] ?? null;
    },
    async select(_, query, signal) {
      const answers = await each(query.tracks, async (side, tracks) => {
        const { around, ...rest } = query, asked = { ...rest, ...times(query, side), tracks, ...(around && { around: own(around, side) }) };
        const set = await source.select(side.run.id, asked, signal);
        const prefixed = (title: string) => `${side.run.name}: ${title}`;
        const reports = set.reports.map((report) => ({
          ...report, tables: report.tables.map((table) => ({ ...table, key: side.tracks > 0 ? table.key + kBesideKey : table.key, title: prefixed(table.title) })),
        }));
        return { ...set, reports, words: prefixedWords(set, prefixed) };
      });
      return { ...answers[0]!, reports: answers.flatMap(({ reports }) => reports), words: joinedWords(answers.map(({ words }) => words)) };
    },
    async occurrences(_, ref, signal) {
      const side = await sideOf(ref.track);
      return source.occurrences(side.run.id, own(ref, side), signal);
    },
  };
}
