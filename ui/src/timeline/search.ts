// Steps through search matches in time order and counts their places. Asks the server only beyond the loaded matches.
import { SourceError, type EventDetails, type EventRef, type Match, type Matches, type Source, type TimelineInfo } from "../data/source";
import type { View } from "./levels";

const kMatches = 256;

export interface Found {
  readonly total: number;
  readonly first: number;  // the place of matches[0] among all, from 1
  readonly matches: readonly Match[];
}

export interface Search {
  readonly q: string;
  readonly regex: boolean;       // q is a regular expression
  readonly found: Found | null;  // null: not known yet
  readonly typed: boolean;       // nobody has gone to a match of it yet
  readonly wrong: string;        // why there can be no match, or empty
}

export const kNoSearch: Search = { q: "", regex: false, found: null, typed: false, wrong: "" };

const same = (a: Search, b: Pick<Search, "q" | "regex">): boolean => a.q === b.q && a.regex === b.regex;

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

  // What is typed is found at once; nothing is selected, and nothing moves, until somebody goes to a match.
  async type(q: string, regex: boolean): Promise<void> {
    const { controller } = this;
    if (!q) return controller.change({ search: { ...kNoSearch, regex } });
    if (same(controller.state.get().search, { q, regex })) return;
    controller.change({ search: { ...kNoSearch, q, regex, typed: true } });
    await this.locate();
  }

  // Goes to the match after the selected event, or before it; a new text begins at the left of the view.
  async find(q: string, by: 1 | -1): Promise<void> {
    const { controller } = this, { search, selected } = controller.state.get(), { regex } = search;
    if (!q) return controller.change({ search: { ...kNoSearch, regex } });
    const before = q === search.q && !search.typed ? search.found : null;
    controller.change({ search: { ...kNoSearch, q, regex, found: before } });
    const known = before && selected ? stepIn(before, selected, by) : undefined;
    if (known) return controller.select(known, { reveal: "all" });
    try {
      const found = await this.askBeyond(q, by, before ? selected : null);
      if (!same(controller.state.get().search, { q, regex })) return;
      controller.change({ search: { ...kNoSearch, q, regex, found } });
      const match = found.matches[found.at];
      if (match) await controller.select(match, { reveal: "all" });
    } catch (problem) {
      this.failed(q, regex, problem);
    }
  }

  // All matches there are, from the selected event on, which stays selected.
  async locate(): Promise<void> {
    const { controller } = this, { q, regex } = controller.state.get().search;
    try {
      const found = await this.ask(q, 1, controller.state.get().selected?.start ?? Math.max(0, controller.view.from), null);
      const { search } = controller.state.get();
      if (same(search, { q, regex }) && !search.found) controller.change({ search: { ...search, found } });
    } catch (problem) {
      this.failed(q, regex, problem);
    }
  }

  // What is no regular expression, perhaps not yet, is said beside the field.
  private failed(q: string, regex: boolean, problem: unknown): void {
    const { controller } = this, { search } = controller.state.get();
    if (!same(search, { q, regex })) return;
    if (regex && problem instanceof SourceError && problem.status === 400) controller.change({ search: { ...search, wrong: problem.problem.what } });
    else controller.change({ problem });
  }

  // What the server finds beyond `current`, or beyond the edge of the view; past the last it goes round again.
  private async askBeyond(q: string, by: 1 | -1, current: EventDetails | null): Promise<Found & { readonly at: number }> {
    const { view, info } = this.controller, edge = by > 0 ? Math.max(0, view.from) : view.to;
    // Backwards, what begins before a time is found: one more, for what begins with the current.
    const found = await this.ask(q, by, current ? current.start + (by < 0 ? 1 : 0) : edge, current);
    return found.matches[found.at] || found.total === 0 ? found : this.ask(q, by, by > 0 ? 0 : info.end + 1, null);
  }

  private async ask(q: string, by: 1 | -1, from: number, after: EventRef | null): Promise<Found & { readonly at: number }> {
    const { source, run } = this.controller, regex = this.controller.state.get().search.regex ? 1 : undefined;
    return readOn(await source.find(run, { q, regex, from: Math.round(from), by, limit: kMatches }), by, after);
  }
}
