// Of two runs on one axis: which step of both begins together, and how another is chosen. The URL says which ("align").
import type { EventRef, TimelineInfo } from "../data/source";
import { setQuery, type Query } from "../shell/url";
import type { Controller } from "./controller";
import { toQuery } from "./place";
import type { Interval } from "./scene";

// What the URL asks for: of a link to steps the last, since a change is shown with the step before it. Undefined: nothing.
export function alignOf(query: Query): number | undefined {
  const text = /(\d{1,9})$/.exec(query["show.step"] ?? "")?.[1] ?? query["align"] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

type Started = EventRef & { readonly start: number };

const inSecond = ({ pair }: TimelineInfo, rankIndex: number): boolean => rankIndex >= pair!.ranks;

const begins = (info: TimelineInfo, step: number, second: boolean): number =>
  Math.min(...info.steps.filter(({ number, rank_index }) => number === step && inSecond(info, rank_index) === second).map(({ start }) => start));

const shiftOf = (info: TimelineInfo, second: boolean): number => info.tracks.find(({ rank_index }) => inSecond(info, rank_index) === second)?.shift ?? 0;

// The step that an event begins in, where both runs have it and it is not the one that begins together; else null.
export function stepToAlign(info: TimelineInfo, { track, start }: Started): number | null {
  const { pair, tracks, steps } = info, rank = tracks[track]?.rank_index;
  if (!pair) return null;
  const step = steps.find(({ rank_index, start: from, end }) => rank_index === rank && from <= start && start < end)?.number;
  if (step === undefined || (step === pair.steps?.[0] && step === pair.steps[1])) return null;
  return Number.isFinite(begins(info, step, false) + begins(info, step, true)) ? step : null;
}

// How far the run of an event is moved, in ns, when this step of both begins together.
export function moveOf(info: TimelineInfo, step: number, { track }: EventRef): number {
  const first = shiftOf(info, false), second = shiftOf(info, true);
  const later = (begins(info, step, false) - first) - (begins(info, step, true) - second);
  return inSecond(info, info.tracks[track]?.rank_index ?? 0) ? Math.max(0, later) - second : Math.max(0, -later) - first;
}

// The picture stays where the event is: what is marked and measured moves with its run.
export function alignOn(controller: Controller, step: number, event: EventRef): void {
  const { info, placed } = controller, by = moveOf(info, step, event);
  const moved = <T extends Interval>(span: T): T => ({ ...span, from: span.from + by, to: span.to + by });
  const { view, measure, area, marks, chain } = placed;
  const there = {
    ...placed, view: moved(view), measure: measure && moved(measure), area: area && moved(area), marks: marks.map(moved),
    chain: chain.map((one) => ({ ...one, at: one.at + by })),
  };
  setQuery({ ...toQuery(there, { from: NaN, to: NaN }), align: String(step) }, "replace");
}
