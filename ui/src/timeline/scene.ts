// Declares what one frame of the timeline shows.
import type { EventDetails, TimelineInfo, TimelineStep } from "../data/source";
import type { Colors } from "./colors";
import type { Lanes } from "./lanes";
import type { HitRows } from "./hits";
import type { View } from "./levels";
import type { Tile } from "../data/tile";

export interface Interval { readonly from: number; readonly to: number }

// A stretch or a moment that somebody wants to come back to; `name` may be empty.
export interface Mark extends Interval { readonly name: string }

// An area: a stretch of time on some tracks.
export interface Area extends Interval { readonly tracks: readonly number[] }

// A moment of a rank.
export interface Moment { readonly rankIndex: number; readonly at: number }

export interface Scene {
  readonly info: TimelineInfo;
  readonly view: View;
  readonly width: number;   // of the canvas, CSS pixels
  readonly height: number;
  readonly dpr: number;
  readonly scroll: number;
  readonly lanes: Lanes;
  readonly colors: Colors;
  readonly selected: EventDetails | null;
  readonly measure: Interval | null;
  readonly area: Area | null;
  readonly draft: Draft | null;  // of an area that is being drawn
  readonly marks: readonly Mark[];
  readonly hits: HitRows | null;  // of a search
  readonly chain: readonly Moment[];  // arrows go from one to the next
  readonly hover: { readonly box: BoxHit | null; readonly x: number } | null;
}

// A rectangle on the screen that becomes an area.
export interface Draft extends Interval { readonly y0: number; readonly y1: number }

// A box of a tile; `row` is the row of its lane.
export interface BoxHit {
  readonly tile: Tile;
  readonly box: number;
}

export const xOf = (scene: Pick<Scene, "view" | "width">, time: number): number =>
  ((time - scene.view.from) / (scene.view.to - scene.view.from)) * scene.width;

export const timeOf = (scene: Pick<Scene, "view" | "width">, x: number): number =>
  scene.view.from + (x / Math.max(1, scene.width)) * (scene.view.to - scene.view.from);

const kStepsByRank = new WeakMap<TimelineInfo, Map<number, TimelineStep[]>>();

// The steps of one rank; sorted out once for each run.
export function stepsOf(info: TimelineInfo, rankIndex: number): readonly TimelineStep[] {
  let byRank = kStepsByRank.get(info);
  if (!byRank) {
    byRank = new Map();
    for (const step of info.steps) {
      const steps = byRank.get(step.rank_index);
      if (steps) steps.push(step);
      else byRank.set(step.rank_index, [step]);
    }
    kStepsByRank.set(info, byRank);
  }
  return byRank.get(rankIndex) ?? [];
}
