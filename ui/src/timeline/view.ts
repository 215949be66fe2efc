// Moves the view: zoom, pan, fit. A view stays within the run plus a margin, and spans at least 10 ns.
import type { TimelineInfo } from "../data/source";
import type { View } from "./levels";

const kLeast = 10;
const kMargin = 0.02;  // of the run, seen beyond its ends

export function whole(end: number): View {
  const margin = Math.max(1, end) * kMargin;
  return { from: -margin, to: Math.max(1, end) + margin };
}

const kMost = 0.9;  // of the run: what ranks did for longer is shown with the rest

// When ranks did something, with a margin: what the overview shows, and at first the chart. Python frames, moments and the
// profiler's own records may lie before and behind.
export function working({ end, work_begin: from = 0, work_end: to = end }: Pick<TimelineInfo, "end" | "work_begin" | "work_end">): View {
  if (!(from < to) || to - from > kMost * end) return whole(end);
  const margin = (to - from) * kMargin;
  return clamp({ from: from - margin, to: to + margin }, end);
}

// The nearest view that is allowed: its length first, then its place.
export function clamp(view: View, end: number): View {
  const all = whole(end);
  const longest = Math.max(kLeast, all.to - all.from);
  const length = Math.min(longest, Math.max(kLeast, view.to - view.from));
  const middle = (view.from + view.to) / 2;
  if (!Number.isFinite(middle) || length > longest * (1 - 1e-9)) return all;
  const from = Math.min(Math.max(middle - length / 2, all.from), Math.max(all.from, all.to - length));
  return { from, to: from + length };
}

// Makes the view `factor` times as long and keeps the time `at` where it is on the screen.
export function zoomAt(view: View, at: number, factor: number, end: number): View {
  const length = view.to - view.from;
  const all = whole(end);
  const longest = Math.max(kLeast, all.to - all.from);
  const wanted = Math.min(longest, Math.max(kLeast, length * factor));
  const share = (at - view.from) / length;
  return clamp({ from: at - share * wanted, to: at + (1 - share) * wanted }, end);
}

// Moves the view by a share of its length.
export function pan(view: View, share: number, end: number): View {
  const by = (view.to - view.from) * share;
  return clamp({ from: view.from + by, to: view.to + by }, end);
}

// Shows from..to with room on both sides.
export function fit(from: number, to: number, end: number): View {
  const room = Math.max(kLeast, to - from) * 0.15;
  return clamp({ from: from - room, to: to + room }, end);
}

// The same length, around from..to; as it is when that is well in sight already.
export function reveal(view: View, from: number, to: number, end: number): View {
  const length = view.to - view.from;
  const inSight = from >= view.from + length * 0.02 && to <= view.to - length * 0.02;
  const covers = from <= view.from && to >= view.to;
  if (inSight || covers) return view;
  const middle = to - from > length ? from + length * 0.4 : (from + to) / 2;
  return clamp({ from: middle - length / 2, to: middle + length / 2 }, end);
}
