// Reads and writes the timeline's part of the URL: view, selected event, search, measurement, marks, chain, area, pins, filter and
// folds. Invalid values count as absent.
import { numbersText } from "../data/numbers";
import type { EventRef, TimelineInfo } from "../data/source";
import type { Query } from "../shell/url";
import type { View } from "./levels";
import type { Area, Interval, Mark, Moment } from "./scene";
import { clamp, fit, whole, working } from "./view";

export interface Placed {
  readonly view: View;
  readonly selected: EventRef | null;
  readonly pins: readonly number[];
  readonly filter: string;
  readonly find: string;  // what is searched for
  readonly regex: boolean;  // it is a regular expression
  readonly top: string;  // the lane that scrolling has brought to the top, as "12:r3": 12 pixels above the top
  readonly ranks: string;  // the header's choice, as text
  readonly flipped: ReadonlySet<string>;
  readonly measure: Interval | null;
  readonly area: Area | null;
  readonly marks: readonly Mark[];
  readonly chain: readonly Moment[];
}

// What of the URL is the timeline's, with the header's choices that it follows.
export const kPlaceKeys = ["from", "to", "sel", "pins", "filter", "find", "regex", "fold", "top", "measure", "area", "marks", "chain", "ranks", "steps"] as const;

export const kMostMarks = 100;

const kMostName = 80;  // characters of a mark's name

// The tracks of an area that holds counters alone.
const kNoTracks = "none";

// A time in ns, as round as can be without losing what the eye could see in this view.
export function roundTime(time: number, view: View): number {
  const places = Math.min(3, Math.max(0, Math.ceil(3 - Math.log10(view.to - view.from))));
  return Number(time.toFixed(places));
}

const timeText = (time: number, view: View): string => String(roundTime(time, view));

// "120..480", or "120" where it is a moment.
const spanText = ({ from, to }: Interval): string => (from === to ? `${from}` : `${from}..${to}`);

// `usual`: the view of a URL without one, which is left out.
export function toQuery(placed: Placed, usual: View): Query {
  const { view, selected } = placed;
  const isAll = view.from === usual.from && view.to === usual.to;
  return {
    from: isAll ? "" : timeText(view.from, view),
    to: isAll ? "" : timeText(view.to, view),
    sel: selected ? `${selected.track}.${selected.event}` : "",
    pins: placed.pins.join(","),
    filter: placed.filter,
    find: placed.find,
    regex: placed.find && placed.regex ? "1" : "",
    top: placed.top,
    measure: placed.measure ? spanText(placed.measure) : "",
    area: placed.area ? `${spanText(placed.area)}:${numbersText(placed.area.tracks) || kNoTracks}` : "",
    marks: placed.marks.map((mark) => `${spanText(mark)}${mark.name && `~${encodeURIComponent(mark.name)}`}`).join(","),
    chain: placed.chain.map(({ rankIndex, at }) => `${rankIndex}:${at}`).join(","),
    fold: [...placed.flipped].map(encodeURIComponent).sort().join(","),
  };
}

const kWhole = /^\d{1,10}$/;

function numberOf(text: string | undefined): number | undefined {
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

function keysOf(text: string | undefined): string[] {
  try {
    return (text ?? "").split(",").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}

const kTime = /^-?\d{1,16}(?:\.\d{1,3})?$/;

// "120..480" or "120", within what a view of the run can show.
function spanOf(text: string, end: number): Interval | null {
  const [first = "", last = first, more] = text.split("..");
  if (!kTime.test(first) || !kTime.test(last) || more !== undefined) return null;
  const from = Number(first), to = Number(last), all = whole(end);
  return from <= to && from >= all.from && to <= all.to ? { from, to } : null;
}

// The numbers below `limit` of an ascending list with ranges; null when it is no such list.
function numbersOf(text: string, limit: number): number[] | null {
  const numbers: number[] = [];
  for (const part of text.split(",")) {
    const [first = "", last = first, more] = part.split("..");
    const next = numbers.length > 0 ? numbers[numbers.length - 1]! + 1 : 0;
    if (!kWhole.test(first) || !kWhole.test(last) || more !== undefined || Number(first) < next) return null;
    for (let n = Number(first); n <= Math.min(Number(last), limit - 1); ++n) numbers.push(n);
  }
  return numbers;
}

// "120..480:0..7,9": a stretch of time on tracks that have events.
function areaOf(text: string, info: TimelineInfo): Area | null {
  const [time = "", list = "", more] = text.split(":");
  const span = spanOf(time, info.end);
  const tracks = numbersOf(list, info.tracks.length)?.filter((id) => info.tracks[id]?.kind !== "counter") ?? [];
  const known = tracks.length > 0 || list === kNoTracks;
  return span && span.from < span.to && known && more === undefined ? { ...span, tracks } : null;
}

// "120..480~a name", the name as a URL has it.
function marksOf(text: string, end: number): Mark[] {
  return text.split(",").slice(0, kMostMarks).flatMap((part) => {
    const [time = "", ...rest] = part.split("~"), name = rest.join("~"), span = spanOf(time, end);
    return span ? [{ ...span, name: (keysOf(name)[0] ?? "").slice(0, kMostName) }] : [];
  });
}

// "3:120,1:480": moments of ranks by their index.
function chainOf(text: string, info: TimelineInfo): Moment[] {
  return text.split(",").slice(0, kMostMarks).flatMap((part) => {
    const [rank = "", time = "", more] = part.split(":"), span = spanOf(time, info.end);
    return kWhole.test(rank) && Number(rank) < info.ranks.length && span && more === undefined ? [{ rankIndex: Number(rank), at: span.from }] : [];
  });
}

// From the first of the steps numbered `first` to `last` to the last; null where there are none.
function stretchOfSteps(info: TimelineInfo, first: number, last: number): Interval | null {
  let from = Infinity, to = -Infinity;
  for (const step of info.steps) {
    if (step.number < first || step.number > last) continue;
    from = Math.min(from, step.start);
    to = Math.max(to, step.end);
  }
  return from < to ? { from, to } : null;
}

// A run whose steps take less of it than this begins with a view of them: before and behind lies what recording
// started early or ended late.
const kLittle = 0.1;

// What is shown where nothing else is asked for: the steps that the header chooses, "7" or "3..7", or all that ranks did.
export function homeView(info: TimelineInfo, choice: string): View {
  const [, first, last] = /^(\d+)(?:\.\.(\d+))?$/.exec(choice) ?? [];
  const chosen = first === undefined ? null : stretchOfSteps(info, Number(first), Number(last ?? first));
  if (chosen) return fit(chosen.from, chosen.to, info.end);
  const all = stretchOfSteps(info, -Infinity, Infinity), home = working(info);
  return all && all.to - all.from < kLittle * (home.to - home.from) ? fit(all.from, all.to, info.end) : home;
}

export function fromQuery(query: Query, info: TimelineInfo): Placed {
  const from = numberOf(query["from"]), to = numberOf(query["to"]);
  const given = from !== undefined && to !== undefined && from < to;
  const isTrack = (id: number): boolean => id < info.tracks.length;
  const [track, event, more] = (query["sel"] ?? "").split(".");
  const names = kWhole.test(track ?? "") && kWhole.test(event ?? "") && more === undefined && isTrack(Number(track));
  const measure = spanOf(query["measure"] ?? "", info.end);
  return {
    view: given ? clamp({ from, to }, info.end) : homeView(info, query["steps"] ?? ""),
    selected: names ? { track: Number(track), event: Number(event) } : null,
    pins: [...new Set((query["pins"] ?? "").split(",").filter((id) => kWhole.test(id)).map(Number))].filter(isTrack),
    filter: query["filter"] ?? "",
    find: query["find"] ?? "",
    regex: query["regex"] === "1",
    top: query["top"] ?? "",
    ranks: query["ranks"] ?? "",
    flipped: new Set(keysOf(query["fold"])),
    measure: measure && measure.from < measure.to ? measure : null,
    area: areaOf(query["area"] ?? "", info),
    marks: marksOf(query["marks"] ?? "", info.end),
    chain: chainOf(query["chain"] ?? "", info),
  };
}
