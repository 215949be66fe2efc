// Steps through search matches in time order and counts their places. Asks the server only beyond the loaded matches.
import type { EventDetails, EventRef, Match, Matches, Source, TimelineInfo } from "../data/source";
import type { View } from "./levels";

const kMatches = 256;

export interface Found {
  readonly total: number;
  readonly first: number;  // the place of matches[0] among all, from 1
  readonly matches: readonly Match[];
}

export interface Search {
  readonly q: string;
  readonly found: Found | null;  // null: not known yet
}

export const kNoSearch: Search = { q: "", found: null };

const indexOf = ({ matches }: Found, ref: EventRef): number =>
  matches.findIndex((match) => match.track === ref.track && match.event === ref.event);

export function placeIn(found: Found, ref: EventRef): number | null {
  const index = indexOf(found, ref);
  return index < 0 ? null : found.first + index;
}

// The match beside `ref`, if it is known.
export function stepIn(found: Found, ref: EventRef, by: 1 | -1): Match | undefined {
  const index = indexOf(found, ref);
  return index < 0 ? undefined : found.matches[index + by];
}

// A server's answer; `at` is the match to go to: the first one beyond `current`, which the answer may begin with,
// after others that begin at the same time.
export function readOn(answer: Matches, by: 1 | -1, current: EventRef | null): Found & { readonly at: number } {
  const { total, place, matches } = answer;
  const found: Found = by > 0
    ? { total, first: place, matches }
    : { total, first: place - matches.length + 1, matches: [...matches].reverse() };
  const here = current ? indexOf(found, current) : -1;
  const edge = by > 0 ? 0 : matches.length - 1;
  return { ...found, at: here < 0 ? edge : here + by };
}

// What a search needs of the timeline.
export interface Searched {
  readonly source: Pick<Source, "find">;
  readonly run: string;
  readonly info: TimelineInfo;
  readonly view: View;
  readonly state: { get(): { readonly search: Search; readonly selected: EventDetails | null } };
  change(part: { readonly search: Search } | { readonly problem: unknown }): void;
  select(ref: EventRef, how: { readonly reveal: "all" }): Promise<void>;
}

export class Searcher {
  constructor(private readonly controller: Searched) {}

  // Which of the matches is selected, counted from 1; null when it is none of them.
  get place(): number | null {
    const { search: { found }, selected } = this.controller.state.get();
    return found && selected ? placeIn(found, selected) : null;
  }

  // Goes to the match after the selected event, or before it; a new text begins at the left of the view.
  async find(q: string, by: 1 | -1): Promise<void> {
    const { controller } = this, { search, selected } = controller.state.get();
    if (!q) return controller.change({ search: kNoSearch });
    const before = q === search.q ? search.found : null;
    controller.change({ search: { q, found: before } });
    const known = before && selected ? stepIn(before, selected, by) : undefined;
    if (known) return controller.select(known, { reveal: "all" });
    try {
      const found = await this.askBeyond(q, by, before ? selected : null);
      if (controller.state.get().search.q !== q) return;
      controller.change({ search: { q, found } });
      const match = found.matches[found.at];
      if (match) await controller.select(match, { reveal: "all" });
    } catch (problem) {
      controller.change({ problem });
    }
  }

  // All matches there are, from the selected event on, which stays selected.
  async locate(q: string): Promise<void> {
    const { controller } = this;
    try {
      const found = await this.ask(q, 1, controller.state.get().selected?.start ?? Math.max(0, controller.view.from), null);
      const { search } = controller.state.get();
      if (search.q === q && !search.found) controller.change({ search: { q, found } });
    } catch (problem) {
      controller.change({ problem });
    }
  }

  // What the server finds beyond `current`, or beyond the edge of the view; past the last it goes round again.
  private async askBeyond(q: string, by: 1 | -1, current: EventDetails | null): Promise<Found & { readonly at: number }> {
    const { view, info } = this.controller, edge = by > 0 ? Math.max(0, view.from) : view.to;
    // Backwards, what begins before a time is found: one more, for what begins with the current.
    const found = await this.ask(q, by, current ? current.start + (by < 0 ? 1 : 0) : edge, current);
    return found.matches[found.at] || found.total === 0 ? found : this.ask(q, by, by > 0 ? 0 : info.end + 1, null);
  }

  private async ask(q: string, by: 1 | -1, from: number, after: EventRef | null): Promise<Found & { readonly at: number }> {
    const { source, run } = this.controller;
    return readOn(await source.find(run, { q, from: Math.round(from), by, limit: kMatches }), by, after);
  }
}
