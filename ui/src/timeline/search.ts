// What a search found: a stretch of all matches in the order of time, and which of all they are. Within it
// the next and the one before are known without asking again.
import type { EventRef, Match, Matches } from "../data/source";

export interface Found {
  readonly total: number;
  readonly first: number;  // the place of matches[0] among all, from 1
  readonly matches: readonly Match[];
}

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
