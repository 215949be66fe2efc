// Lays out the lanes: ranks, groups within ranks, tracks within groups, and pinned tracks on top. Lengths are CSS pixels.
import { describedIn } from "../data/words";
import { t } from "../text";
import type { TimelineInfo, Track } from "../data/source";

export const kAxisHeight = 26;
// No lane is lower than 24 pixels with its gap: its buttons are to be hit.
export const kRankHeight = 26;
export const kGroupHeight = 24;
export const kRowHeight = 19;
export const kCounterHeight = 25;
const kGap = 5;  // below a track

export interface Lane {
  readonly key: string;  // "r0", "g0/GPU 0", "t12"
  readonly kind: "rank" | "group" | "track";
  readonly rankIndex: number;
  readonly title: string;
  readonly y: number;
  readonly height: number;
  // The tracks drawn in it: its own, or all those below it when it is folded, pinned ones too.
  readonly tracks: readonly number[];
  readonly counter: boolean;
  readonly rows: number;
  readonly rowHeight: number;
  readonly canFold: boolean;
  readonly folded: boolean;
  readonly pinned: boolean;
}

export interface LaneChoice {
  // Keys of lanes folded or unfolded against what is usual; kShut or kOpen where all are told to be.
  readonly flipped: ReadonlySet<string>;
  readonly pins: readonly number[];       // tracks
  readonly filter: string;
  readonly ranks: string;  // "0,2..5"; empty: all
}

export interface Lanes {
  readonly pinned: readonly Lane[];  // y from the top of the pinned part
  readonly pinnedHeight: number;
  readonly lanes: readonly Lane[];   // y from below it
  readonly height: number;
}

// All ranks folded (of a single rank its groups), or everything unfolded, whatever is usual.
export const kShut = "shut";
export const kOpen = "open";

const kMostUnfolded = 4;  // ranks that begin unfolded: of more, one line each is what fits a screen

type Draft = Omit<Lane, "y" | "height" | "pinned">;

export function rankTitle(info: TimelineInfo, rankIndex: number): string {
  const rank = info.ranks[rankIndex];
  return rank ? rank.name || `rank ${rank.rank}` : "";
}

// With several ranks, what runs on devices is compared first: the hosts begin folded. Of many ranks each is one line.
function foldedAtFirst(info: TimelineInfo, flipped: ReadonlySet<string>, draft: { kind: Lane["kind"]; onDevice: boolean }): boolean {
  if (flipped.has(kOpen)) return false;
  const several = info.ranks.length > 1, shut = flipped.has(kShut);
  if (draft.kind === "rank") return several && (shut || info.ranks.length > kMostUnfolded);
  return draft.kind === "group" && ((shut && !several) || (several && !draft.onDevice));
}

// Whether all words of the filter are in the track's rank, group or name. A number belongs to the word
// before it: "rank 1" is not rank 12, nor rank 0 with a stream 1. It hides nothing for good.
export function passes(info: TimelineInfo, track: Track, filter: string): boolean {
  const text = `${rankTitle(info, track.rank_index)} ${track.group} ${track.name}`.toLowerCase();
  const words = filter.toLowerCase().match(/[^\s\d]+\s+\d+|\S+/g) ?? [];
  return words.every((word) => {
    const at = text.indexOf(word.replace(/\s+/, " "));
    return at >= 0 && !(/\s\d+$/.test(word) && /\d/.test(text[at + word.replace(/\s+/, " ").length] ?? ""));
  });
}

// What the header's choice of ranks, "0,2..5", says: stretches of ranks; null where it is no choice.
function stretchesOf(choice: string): (readonly [number, number])[] | null {
  const parts = choice.split(",").map((part) => /^\s*(\d+)(?:\.\.(\d+))?\s*$/.exec(part));
  return parts.some((part) => part === null) ? null : parts.map((part) => [Number(part![1]), Number(part![2] ?? part![1])] as const);
}

const inStretches = (stretches: readonly (readonly [number, number])[], rank: number): boolean =>
  stretches.some(([first, last]) => rank >= first && rank <= last);

// Whether the header's choice of ranks has this one; what is no choice chooses all.
export function chosenRank(choice: string, rank: number): boolean {
  const stretches = stretchesOf(choice);
  return !stretches || inStretches(stretches, rank);
}

// What is wrong with the header's choice of ranks: it is none, or no rank of it is in the run.
export function wrongRanks(info: TimelineInfo, choice: string): "odd" | "absent" | null {
  if (!choice) return null;
  const stretches = stretchesOf(choice);
  if (!stretches) return "odd";
  return info.ranks.some(({ rank }) => inStretches(stretches, rank)) ? null : "absent";
}

export function layOut(info: TimelineInfo, choice: LaneChoice): Lanes {
  const pins = new Set(choice.pins);
  const pinned = stack(choice.pins.flatMap((id) => {
    const track = info.tracks[id];
    return track ? [trackDraft(info, track, choice, true)] : [];
  }), true);
  const shown = info.tracks.filter((track) => passes(info, track, choice.filter) &&
    chosenRank(choice.ranks, info.ranks[track.rank_index]?.rank ?? -1));
  const drafts: Draft[] = [];
  for (const [rankIndex, tracks] of groupBy(shown, (track) => track.rank_index)) {
    drafts.push(...rankDrafts(info, rankIndex, tracks, choice).filter(({ kind, tracks: [id] }) => kind !== "track" || !pins.has(id!)));
  }
  const rest = stack(drafts, false);
  return { pinned: pinned.lanes, pinnedHeight: pinned.height, lanes: rest.lanes, height: rest.height };
}

function rankDrafts(info: TimelineInfo, rankIndex: number, tracks: readonly Track[], choice: LaneChoice): Draft[] {
  const flip = (key: string, usual: boolean): boolean => usual !== choice.flipped.has(key);
  const key = `r${rankIndex}`;
  const folded = flip(key, foldedAtFirst(info, choice.flipped, { kind: "rank", onDevice: false }));
  const head = headDraft("rank", key, rankIndex, rankTitle(info, rankIndex), tracks, folded);
  if (folded) return [head];
  const below = [...groupBy(tracks, (track) => track.group)].flatMap(([group, members]) => {
    // Steps are a group of their own and one line: that needs no head.
    if (!group || (members.length === 1 && members[0]?.kind === "steps")) {
      return members.map((track) => trackDraft(info, track, choice, false));
    }
    const onDevice = members.some((track) => track.kind === "stream");
    const groupKey = `g${rankIndex}/${group}`;
    const shut = flip(groupKey, foldedAtFirst(info, choice.flipped, { kind: "group", onDevice }));
    const groupHead = headDraft("group", groupKey, rankIndex, group, members, shut);
    return shut ? [groupHead] : [groupHead, ...members.map((track) => trackDraft(info, track, choice, false))];
  });
  return [head, ...below];
}

// Tracks, as the server calls them, that would hide others in one line with them: a stream's waits, Python frames, and what the
// profiler says of itself.
const kWaits = /: synchronization$/;
const kAround = /: (?:Python|moments)$/;
const kProfiler = "profiler";

// The tracks that say in one line what a rank or group did: work on streams; without any, operators and annotations of threads.
export function busyTracks(tracks: readonly Track[]): Track[] {
  const streams = tracks.filter((track) => track.kind === "stream"), work = streams.filter(({ name }) => !kWaits.test(name));
  const threads = tracks.filter(({ kind, group }) => kind === "thread" && group !== kProfiler), busy = threads.filter(({ name }) => !kAround.test(name));
  return [work, streams, busy, threads, tracks.filter(({ kind }) => kind !== "counter")].find((some) => some.length > 0) ?? [];
}

function headDraft(
  kind: "rank" | "group", key: string, rankIndex: number, title: string, tracks: readonly Track[], folded: boolean,
): Draft {
  return {
    key, kind, rankIndex, title, tracks: folded ? busyTracks(tracks).map((track) => track.id) : [], counter: false, rows: 1,
    rowHeight: (kind === "rank" ? kRankHeight : kGroupHeight) - kGap, canFold: true, folded,
  };
}

const kBetween = " · ";

// A lane's title in the language that is shown.
export function shownTitle(info: TimelineInfo, title: string): string {
  const run = info.pair?.names.find((name) => title.startsWith(`${name}: `));  // that a rank of two is of
  const prefix = run === undefined ? "" : `${run}: `;
  const shown = (part: string) => (/^rank \d+$/.test(part) ? t("timeline.show_rank", { rank: part.slice(5) }) : describedIn(info.words, part));
  return prefix + title.slice(prefix.length).split(kBetween).map(shown).join(kBetween);
}

function trackDraft(info: TimelineInfo, track: Track, choice: LaneChoice, pinned: boolean): Draft {
  const key = `t${track.id}`;
  const folded = choice.flipped.has(key) && track.rows > 1;
  const counter = track.kind === "counter";
  const place = pinned ? [rankTitle(info, track.rank_index), track.group, track.name] : [track.name];
  return {
    key, kind: "track", rankIndex: track.rank_index, title: place.filter(Boolean).join(kBetween), tracks: [track.id], counter,
    rows: folded || counter ? 1 : Math.max(1, track.rows),
    rowHeight: counter ? kCounterHeight : kRowHeight, canFold: !counter && track.rows > 1, folded,
  };
}

function stack(drafts: readonly Draft[], pinned: boolean): { lanes: Lane[]; height: number } {
  let y = 0;
  const lanes = drafts.map((draft) => {
    const lane = { ...draft, y, height: draft.rows * draft.rowHeight + kGap, pinned };
    y += lane.height;
    return lane;
  });
  return { lanes, height: y };
}

function groupBy<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const of = key(item);
    const group = groups.get(of);
    if (group) group.push(item);
    else groups.set(of, [item]);
  }
  return groups;
}

// The lanes that meet y0..y1; lanes are ordered by y.
export function lanesBetween(lanes: readonly Lane[], y0: number, y1: number): readonly Lane[] {
  let low = 0, high = lanes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lanes[middle]!.y + lanes[middle]!.height <= y0) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < lanes.length && lanes[end]!.y < y1) ++end;
  return lanes.slice(low, end);
}

// All told to be folded or unfolded; what is said of the rows of single tracks stays.
export function allFlipped(flipped: ReadonlySet<string>, fold: boolean): ReadonlySet<string> {
  return new Set([...[...flipped].filter((key) => key.startsWith("t")), fold ? kShut : kOpen]);
}

export function anyUnfolded(info: TimelineInfo, { lanes }: Lanes): boolean {
  const kind = info.ranks.length > 1 ? "rank" : "group";
  return lanes.some((lane) => lane.kind === kind && !lane.folded);
}

// What is at the top when it is scrolled so far, "12:r3": 12 pixels into the lane of that key; empty at the very top.
export function topAt({ lanes }: Lanes, scroll: number): string {
  const [lane] = lanesBetween(lanes, scroll, scroll + 1);
  return lane && scroll > 0 ? `${Math.round(scroll - lane.y)}:${lane.key}` : "";
}

// How far to scroll for that; null where there is no such lane.
export function scrollOf({ lanes }: Lanes, top: string): number | null {
  const [, pixels, key] = /^(\d{1,5}):(.+)$/.exec(top) ?? [], lane = lanes.find((one) => one.key === key);
  return lane ? lane.y + Math.min(Number(pixels), lane.height) : null;
}

// What a lane is at a height of the screen, with the pinned part on top and the rest scrolled.
export interface Spot {
  readonly lane: Lane;
  readonly top: number;  // of the lane, on the screen
  readonly row: number;
}

export function spotAt(lanes: Lanes, scroll: number, y: number): Spot | undefined {
  const inPinned = y < kAxisHeight + lanes.pinnedHeight;
  const offset = inPinned ? kAxisHeight : kAxisHeight + lanes.pinnedHeight - scroll;
  const at = y - offset;
  if (y < kAxisHeight) return undefined;
  const lane = lanesBetween(inPinned ? lanes.pinned : lanes.lanes, at, at + 0.5)[0];
  if (!lane) return undefined;
  return { lane, top: lane.y + offset, row: Math.min(lane.rows - 1, Math.floor((at - lane.y) / lane.rowHeight)) };
}

// The lane that shows a track, be it folded into a head, and its top on the screen.
export function placeOf(lanes: Lanes, scroll: number, track: number): { lane: Lane; top: number } | undefined {
  const pinned = lanes.pinned.find((lane) => lane.tracks.includes(track));
  if (pinned) return { lane: pinned, top: pinned.y + kAxisHeight };
  const lane = lanes.lanes.find((other) => other.tracks.includes(track));
  return lane && { lane, top: lane.y + kAxisHeight + lanes.pinnedHeight - scroll };
}
