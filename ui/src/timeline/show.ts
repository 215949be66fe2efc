// Brings into sight what a link from a report means: its steps, the tracks of its rank on top, and its event selected.
import type { TimelineInfo, Track } from "../data/source";
import { visible } from "../report/format";
import { t } from "../text";
import { alignOn, stepToAlign } from "./align";
import type { Controller } from "./controller";
import { rankTitle, shownTitle } from "./lanes";
import type { Interval } from "./scene";
import type { Target } from "./target";
import { fit } from "./view";

const kMostPins = 4;
const kAround = 4;  // times its length is shown before and behind an event that stands for no step

export interface Shown {
  readonly ranks: readonly number[];  // by index; none: no rank is meant
  readonly span: Interval | null;     // around its steps
  readonly steps: readonly { readonly from: number; readonly to: number; readonly step: string }[];  // each stretch of them
  readonly pins: readonly number[];
  readonly missing: string;           // what of it is not in the run, in words; empty: nothing
}

const lastNumber = (text: string): number => Number(/(\d+)\D*$/.exec(text)?.[1] ?? NaN);

function pinsOf(info: TimelineInfo, ranks: readonly number[], { device, stream }: Target): number[] {
  const fits = (track: Track): boolean => (device === undefined || lastNumber(track.group) === device) && (stream === undefined || lastNumber(track.name) === stream);
  const of = info.tracks.filter((track) => ranks.includes(track.rank_index) && track.events > 0);
  const streams = of.filter((track) => track.kind === "stream" && fits(track));
  const busiest = (streams.length > 0 ? streams : of.filter((track) => track.kind === "thread")).sort((a, b) => b.events - a.events);
  return busiest.slice(0, kMostPins).map(({ id }) => id).sort((a, b) => a - b);
}

// "4,8,12..14" is three.
const stretchesOf = (info: TimelineInfo, ranks: readonly number[], steps: string): Shown["steps"] => steps.split(",").flatMap((step) => {
  const span = spanOf(info, ranks, step);
  return span ? [{ ...span, step }] : [];
});

function spanOf(info: TimelineInfo, ranks: readonly number[], step: string): Interval | null {
  const [, first, last] = /^(\d+)(?:\.\.(\d+))?$/.exec(step) ?? [];
  const steps = first === undefined ? [] : info.steps.filter(({ rank_index, number }) =>
    (ranks.length === 0 || ranks.includes(rank_index)) && number >= Number(first) && number <= Number(last ?? first));
  if (steps.length === 0) return null;
  return { from: Math.min(...steps.map(({ start }) => start)), to: Math.max(...steps.map(({ end }) => end)) };
}

// Where it is; of one rank nothing has to be pinned.
export function shownOf(info: TimelineInfo, target: Target): Shown {
  const ranks = target.rank === undefined ? [] : info.ranks.flatMap(({ rank, window }, index) =>
    (rank === target.rank && (target.window === undefined || window === target.window) ? [index] : []));
  const steps = target.step === undefined ? [] : stretchesOf(info, ranks, target.step);
  const span = steps.length === 0 ? null : { from: Math.min(...steps.map(({ from }) => from)), to: Math.max(...steps.map(({ to }) => to)) };
  const lost = [
    ...(target.rank !== undefined && ranks.length === 0 ? [t("timeline.show_rank", { rank: target.rank })] : []),
    ...(target.step !== undefined && !span ? [t("timeline.show_step", { step: visible(target.step) })] : []),
  ];
  return { ranks, span, steps, pins: info.ranks.length > 1 ? pinsOf(info, ranks, target) : [], missing: lost.join(", ") };
}

export async function show(controller: Controller, target: Target): Promise<void> {
  const { info, source, run } = controller, { ranks, span, steps, pins, missing } = shownOf(info, target);
  controller.change({
    pins, selected: null, measure: null, area: null, marks: steps.map(({ from, to, step }) => ({ from, to, name: t("timeline.show_mark", { step: visible(step) }) })),
    notice: missing && t("timeline.show_missing", { what: missing }),
  });
  if (span) controller.setView(fit(span.from, span.to, info.end));
  if (missing || (!target.name && !target.event && !target.kind)) return;
  const tracks = info.tracks.filter((track) => track.kind !== "counter" && track.kind !== "steps" && ranks.includes(track.rank_index)).map(({ id }) => id);
  const longest = (name: string, kind: string) => source.named(run, { name, kind, from: span?.from ?? 0, to: span?.to ?? info.end + 1, tracks }).catch(() => null);
  const said = target.event ? await longest(target.event, "") : null;
  const event = said ?? (target.name || target.kind ? await longest(target.name ?? "", target.name ? "" : target.kind!) : null);
  const where = ranks.map((index) => visible(shownTitle(info, rankTitle(info, index))))[0] ?? "";
  if (!event) {
    if (target.name) controller.change({ notice: t(source.live ? "timeline.show_none" : "timeline.show_none_file", { name: visible(target.name), where: where && `(${where})` }).trim() });
    return;
  }
  const around = Math.max(1000, event.duration * kAround);
  if (!span) controller.setView(fit(event.start - around, event.start + event.duration + around, info.end));
  await controller.selectFound(Promise.resolve(event));
  const step = span ? null : stepToAlign(info, event);
  if (step !== null) alignOn(controller, step, event);
}
