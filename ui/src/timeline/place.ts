// What of the timeline is in the URL: the view, the selected event, pins, the filter, what is folded.
// What a stranger wrote there is checked: anything odd is as if it were not there.
import type { EventRef, TimelineInfo } from "../data/source";
import type { Query } from "../shell/url";
import type { View } from "./levels";
import { clamp, fit, whole } from "./view";

export interface Placed {
  readonly view: View;
  readonly selected: EventRef | null;
  readonly pins: readonly number[];
  readonly filter: string;
  readonly ranks: string;  // the header's choice, as text
  readonly flipped: ReadonlySet<string>;
}

// Times in ns, as short as can be without losing what the eye could see.
function timeText(time: number, view: View): string {
  const places = Math.min(3, Math.max(0, Math.ceil(3 - Math.log10(view.to - view.from))));
  return String(Number(time.toFixed(places)));
}

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

// What shows the steps that the header chooses, "7" or "3..7"; null when that is all of them.
export function stepsView(info: TimelineInfo, choice: string): View | null {
  const [, first, last] = /^(\d+)(?:\.\.(\d+))?$/.exec(choice) ?? [];
  if (first === undefined) return null;
  let from = Infinity, to = -Infinity;
  for (const step of info.steps) {
    if (step.number < Number(first) || step.number > Number(last ?? first)) continue;
    from = Math.min(from, step.start);
    to = Math.max(to, step.end);
  }
  return from < to ? fit(from, to, info.end) : null;
}

export function fromQuery(query: Query, info: TimelineInfo): Placed {
  const from = numberOf(query["from"]), to = numberOf(query["to"]);
  const given = from !== undefined && to !== undefined && from < to;
  const isTrack = (id: number): boolean => id < info.tracks.length;
  const [track, event, more] = (query["sel"] ?? "").split(".");
  const names = kWhole.test(track ?? "") && kWhole.test(event ?? "") && more === undefined && isTrack(Number(track));
  return {
    view: given ? clamp({ from, to }, info.end) : stepsView(info, query["steps"] ?? "") ?? whole(info.end),
    selected: names ? { track: Number(track), event: Number(event) } : null,
    pins: [...new Set((query["pins"] ?? "").split(",").filter((id) => kWhole.test(id)).map(Number))].filter(isTrack),
    filter: query["filter"] ?? "",
    ranks: query["ranks"] ?? "",
    flipped: new Set(keysOf(query["fold"])),
  };
}
