// Lays out the lanes: ranks, groups within ranks, tracks within groups, and pinned tracks on top. Lengths are CSS pixels.
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
  // The tracks drawn in it: its own, or all those below it when it is folded.
  readonly tracks: readonly number[];
  readonly counter: boolean;
  readonly rows: number;
  readonly rowHeight: number;
  readonly canFold: boolean;
  readonly folded: boolean;
  readonly pinned: boolean;
}

export interface LaneChoice {
  readonly flipped: ReadonlySet<string>;  // keys of lanes folded or unfolded against what is usual
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

type Draft = Omit<Lane, "y" | "height" | "pinned">;

export function rankTitle(info: TimelineInfo, rankIndex: number): string {
  const rank = info.ranks[rankIndex];
  return rank ? rank.name || `rank ${rank.rank}` : "";
}

// With several ranks, what runs on devices is compared first: the hosts begin folded. So does what is
// past the first sixteen ranks.
function foldedAtFirst(info: TimelineInfo, draft: { kind: Lane["kind"]; rankIndex: number; onDevice: boolean }): boolean {
  if (draft.kind === "rank") return draft.rankIndex >= 16;
  return draft.kind === "group" && info.ranks.length > 1 && !draft.onDevice;
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

// Whether the header's choice of ranks has this one; what is no choice chooses all.
export function chosenRank(choice: string, rank: number): boolean {
  const parts = choice.split(",").map((part) => /^\s*(\d+)(?:\.\.(\d+))?\s*$/.exec(part));
  if (parts.some((part) => part === null)) return true;
  return parts.some((part) => rank >= Number(part![1]) && rank <= Number(part![2] ?? part![1]));
}

export function layOut(info: TimelineInfo, choice: LaneChoice): Lanes {
  const pins = new Set(choice.pins);
  const pinned = stack(choice.pins.flatMap((id) => {
    const track = info.tracks[id];
    return track ? [trackDraft(info, track, choice, true)] : [];
  }), true);
  const shown = info.tracks.filter((track) => !pins.has(track.id) && passes(info, track, choice.filter) &&
    chosenRank(choice.ranks, info.ranks[track.rank_index]?.rank ?? -1));
  const drafts: Draft[] = [];
  for (const [rankIndex, tracks] of groupBy(shown, (track) => track.rank_index)) {
    drafts.push(...rankDrafts(info, rankIndex, tracks, choice));
  }
  const rest = stack(drafts, false);
  return { pinned: pinned.lanes, pinnedHeight: pinned.height, lanes: rest.lanes, height: rest.height };
}

function rankDrafts(info: TimelineInfo, rankIndex: number, tracks: readonly Track[], choice: LaneChoice): Draft[] {
  const flip = (key: string, usual: boolean): boolean => usual !== choice.flipped.has(key);
  const key = `r${rankIndex}`;
  const folded = flip(key, foldedAtFirst(info, { kind: "rank", rankIndex, onDevice: false }));
  const head = headDraft("rank", key, rankIndex, rankTitle(info, rankIndex), tracks, folded);
  if (folded) return [head];
  const below = [...groupBy(tracks, (track) => track.group)].flatMap(([group, members]) => {
    // Steps are a group of their own and one line: that needs no head.
    if (!group || (members.length === 1 && members[0]?.kind === "steps")) {
      return members.map((track) => trackDraft(info, track, choice, false));
    }
    const onDevice = members.some((track) => track.kind === "stream");
    const groupKey = `g${rankIndex}/${group}`;
    const shut = flip(groupKey, foldedAtFirst(info, { kind: "group", rankIndex, onDevice }));
    const groupHead = headDraft("group", groupKey, rankIndex, group, members, shut);
    return shut ? [groupHead] : [groupHead, ...members.map((track) => trackDraft(info, track, choice, false))];
  });
  return [head, ...below];
}

function headDraft(
  kind: "rank" | "group", key: string, rankIndex: number, title: string, tracks: readonly Track[], folded: boolean,
): Draft {
  const streams = tracks.filter((track) => track.kind === "stream");
  const merged = streams.length > 0 ? streams : tracks.filter((track) => track.kind !== "counter");
  return {
    key, kind, rankIndex, title, tracks: folded ? merged.map((track) => track.id) : [], counter: false, rows: 1,
    rowHeight: (kind === "rank" ? kRankHeight : kGroupHeight) - kGap, canFold: true, folded,
  };
}

function trackDraft(info: TimelineInfo, track: Track, choice: LaneChoice, pinned: boolean): Draft {
  const key = `t${track.id}`;
  const folded = choice.flipped.has(key) && track.rows > 1;
  const counter = track.kind === "counter";
  const place = pinned ? [rankTitle(info, track.rank_index), track.group, track.name] : [track.name];
  return {
    key, kind: "track", rankIndex: track.rank_index, title: place.filter(Boolean).join(" · "), tracks: [track.id], counter,
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
