// Implements the timeline's actions for keys, pointer, buttons and the URL. It holds the view, which changes every frame,
// and a store of everything else, which components watch.
import type { EventDetails, EventRef, Source, SpanQuery, TimelineInfo } from "../data/source";
import { makeStore, type Store } from "../shell/store";
import { setQuery } from "../shell/url";
import { TileCache } from "./cache";
import { HitMarks } from "./hits";
import { allFlipped, kAxisHeight, layOut, placeOf, scrollOf, topAt, type Lane, type Lanes } from "./lanes";
import { levelFor, type View } from "./levels";
import { TileLoader } from "./loader";
import { Motion, type Push } from "./motion";
import { boxAt, detailsOf } from "./hit";
import { piecesOf } from "./pieces";
import { kMostMarks, roundTime, type Placed } from "./place";
import { kNoSearch, Searcher, type Search } from "./search";
import type { Area, BoxHit, Interval, Mark, Moment } from "./scene";
import { fit, reveal, whole, working, zoomAt, clamp } from "./view";

const kCacheBytes = 16 * 2 ** 20;

// What of a newly selected event is brought into sight: its track and time, its track if that is not hidden, or nothing.
export type Reveal = "all" | "track" | "nothing";

export type Mode = "measure" | "area";

export interface ChartState {
  readonly selected: EventDetails | null;
  readonly measure: Interval | null;
  readonly area: Area | null;
  readonly marks: readonly Mark[];
  readonly chain: readonly Moment[];
  readonly mode: Mode;
  readonly search: Search;
  readonly pins: readonly number[];
  readonly filter: string;
  readonly ranks: string;  // as the header has them
  readonly flipped: ReadonlySet<string>;
  readonly problem: unknown;  // of the last request that failed
  readonly notice: string;    // what could not be shown, in the reader's language
}

export interface RunOf {
  readonly id: string;
  readonly loads: string;  // what answers about it are kept under: changes with its files
}

export class Controller {
  readonly run: string;
  readonly loads: string;  // what answers about the run are kept under
  readonly state: Store<ChartState>;
  readonly loader: TileLoader;
  readonly searcher = new Searcher(this);
  readonly hits: HitMarks;
  readonly motion = new Motion(prefersCalm);
  view: View;
  // Set by the chart: where the pointer or the middle is, how large the picture is, how far down.
  anchor: number | null = null;
  size = { width: 1000, height: 600, dpr: 1 };
  scroll = 0;
  onDirty: () => void = () => undefined;
  onScroll: (top: number) => void = () => undefined;
  private coming: number | null = null;  // where it scrolls to before the next frame
  private wantedTop: string;  // as a link says it, until it is there
  private laid: { readonly of: ChartState; readonly lanes: Lanes } | null = null;
  private asking: AbortController | null = null;

  constructor(readonly source: Source, run: RunOf, readonly info: TimelineInfo, placed: Placed) {
    this.run = run.id;
    this.loads = run.loads;
    this.view = placed.view;
    this.state = makeStore<ChartState>({
      selected: null, mode: "measure", problem: null, notice: "", ...this.choices(placed),
    });
    this.wantedTop = placed.top;
    this.hits = new HitMarks(source, run.id, info, () => this.onDirty());
    this.loader = new TileLoader((list, signal) => source.tiles(run.id, list, signal), new TileCache(kCacheBytes), {
      arrived: () => this.onDirty(),
      failed: (problem) => this.change({ problem }),
    });
    this.state.watch(() => this.onDirty());
    void this.recall(placed);
  }

  // An event that was asked for is not here yet.
  get busy(): boolean { return this.asking !== null; }

  stop(): void {
    this.loader.stop();
    this.asking?.abort();
    this.hits.stop();
  }

  get lanes(): Lanes {
    const state = this.state.get();
    const { of, lanes } = this.laid ?? {}, same = of && of.pins === state.pins && of.filter === state.filter && of.ranks === state.ranks && of.flipped === state.flipped;
    if (lanes && same) return lanes;
    this.laid = { of: state, lanes: layOut(this.info, state) };
    return this.laid.lanes;
  }

  // What the URL says has changed, by Back or by hand.
  restore(placed: Placed): void {
    this.change(this.choices(placed, this.state.get().search));
    this.setView(placed.view);
    const now = this.state.get().selected;
    const same = placed.selected && now?.track === placed.selected.track && now.event === placed.selected.event;
    if (!placed.selected) this.change({ selected: null });
    this.wantedTop = placed.top;
    this.scrollToTop();
    void this.recall({ ...placed, selected: same ? null : placed.selected });
  }

  // What a link selects and searches for, from the server: the search says which of its matches is selected.
  private async recall({ selected, top }: Placed): Promise<void> {
    if (selected) await this.select(selected, { reveal: top ? "nothing" : "track" });
    const { search: { q, found } } = this.state.get();
    if (q && !found) await this.searcher.locate();
  }

  // Scrolls to where the link's sender had, once the chart is there to scroll.
  scrollToTop(): void {
    const wanted = scrollOf(this.lanes, this.wantedTop);
    this.wantedTop = "";
    if (wanted !== null) this.onScroll((this.coming = wanted));
  }

  get placed(): Placed {
    const { selected, pins, filter, search, ranks, flipped, measure, area, marks, chain } = this.state.get();
    return { view: this.view, selected, pins, filter, find: search.q, regex: search.regex, top: this.wantedTop || topAt(this.lanes, this.top), ranks, flipped, measure, area, marks, chain };
  }

  // What is as the URL says; an area only where there is a server to sum up.
  private choices({ pins, filter, find, regex, ranks, flipped, measure, area, marks, chain }: Placed, now = kNoSearch) {
    const search: Search = find === now.q && (!find || regex === now.regex) ? now : { ...kNoSearch, q: find, regex };
    return { pins, filter, search, ranks, flipped, measure, marks, chain, area: this.source.live ? area : null };
  }

  // --- the view ---

  setView(view: View): void {
    this.motion.stop();
    this.view = clamp(view, this.info.end);
    this.onDirty();
  }

  glideTo(view: View): void {
    this.motion.glideTo(this.view, clamp(view, this.info.end), performance.now());
    this.onDirty();
  }

  push(push: Push): void {
    this.motion.press(push, performance.now());
    this.onDirty();
  }

  zoomBy(factor: number, at: number): void { this.setView(zoomAt(this.view, at, factor, this.info.end)); }
  showAll(): void { this.glideTo(working(this.info)); }
  scrollBy(pixels: number): void { this.onScroll(this.scroll + pixels); }
  private get top(): number { return this.coming ?? this.scroll; }

  // First into the middle; when it is there already, as large as it gets.
  centerOrFit(): void {
    const { selected, area, measure } = this.state.get();
    const span = selected ? { from: selected.start, to: selected.start + selected.duration } : (measure ?? area);
    if (!span) return this.showAll();
    const length = this.view.to - this.view.from, middle = (span.from + span.to) / 2;
    const there = clamp({ from: middle - length / 2, to: middle + length / 2 }, this.info.end);
    const centered = Math.abs(there.from - this.view.from) < length * 0.01;
    this.glideTo(centered || span.to - span.from > length ? fit(span.from, span.to, this.info.end) : there);
    if (selected) this.showTrack(selected.track, selected.row);
  }

  // Scrolls to where a row of a track is shown, and unfolds or unfilters what hides it.
  showTrack(track: number, row: number): void {
    let place = placeOf(this.lanes, this.scroll, track);
    if (!place) {
      const key = `r${this.info.tracks[track]?.rank_index}`;
      const rank = this.lanes.lanes.find((lane) => lane.key === key);
      if (!rank) this.change({ filter: "" });  // a rank that the header leaves out stays out
      else this.toggle(rank.folded ? key : (this.groupOf(track)?.key ?? key));
      place = placeOf(this.lanes, this.scroll, track);
    }
    if (place) this.scrollTo(track, row);
  }

  // Scrolls to where a row of a track is shown, if it is.
  private scrollTo(track: number, row: number): void {
    const there = this.rowOnScreen(track, row);
    if (!there || there.inSight) return;
    this.coming = Math.max(0, this.top + there.y - there.above - Math.max(0, (there.room - there.height) / 2));
    this.onScroll(this.coming);
  }

  // Where a row that scrolls is on the screen, and whether all of it is seen there.
  private rowOnScreen(track: number, row: number) {
    const place = placeOf(this.lanes, this.top, track);
    if (!place || place.lane.pinned) return undefined;
    const above = kAxisHeight + this.lanes.pinnedHeight, room = this.size.height - above;
    const { rows, rowHeight: height } = place.lane, y = place.top + Math.min(row, rows - 1) * height;
    return { y, height, above, room, inSight: y >= above && y + Math.min(height, room) <= this.size.height };
  }

  // The chart is higher or lower now, by a panel that opens or fills: what is selected and was in sight stays there.
  resized(height: number): void {
    const { selected } = this.state.get();
    const before = selected && this.rowOnScreen(selected.track, selected.row);
    this.size = { ...this.size, height };
    if (selected && before?.inSight) this.scrollTo(selected.track, selected.row);
  }

  scrolled(top: number): void {
    this.scroll = top;
    this.coming = null;
    this.onDirty();
  }

  private groupOf(track: number): Lane | undefined {
    const of = this.info.tracks[track];
    return this.lanes.lanes.find((lane) => lane.key === `g${of?.rank_index}/${of?.group}`);
  }

  // --- tracks ---

  toggle(key: string): void {
    const flipped = new Set(this.state.get().flipped);
    if (!flipped.delete(key)) flipped.add(key);
    this.change({ flipped });
  }

  // All ranks folded, of a single rank its groups; or everything unfolded. What is selected stays in sight.
  foldAll(fold: boolean): void {
    const { flipped, selected } = this.state.get();
    this.change({ flipped: allFlipped(flipped, fold) });
    if (selected) this.scrollTo(selected.track, selected.row);
  }

  // Folds the rows of a track, or the group of one that has a single row.
  foldTrack(track: number): void {
    const place = placeOf(this.lanes, this.scroll, track);
    const group = this.groupOf(track);
    const key = place?.lane.canFold ? place.lane.key : group?.key;
    if (key) this.toggle(key);
  }

  pin(track: number): void {
    const { pins } = this.state.get();
    this.change({ pins: pins.includes(track) ? pins.filter((id) => id !== track) : [...pins, track] });
  }

  setFilter(filter: string): void { this.change({ filter }); }
  // --- selection ---

  async select(ref: EventRef, how: { readonly reveal: Reveal }): Promise<void> {
    await this.take((signal) => this.source.event(this.run, ref, signal), how.reveal);
  }

  async selectFound(event: Promise<EventDetails | null>): Promise<void> {
    await this.take(() => event, "all");
  }

  // A box of a tile. A report's file has the details of few: of others what the tile says (steps are none of its events).
  async selectBox({ tile, box }: BoxHit, reveals: Reveal): Promise<void> {
    const ref = { track: tile.track, event: tile.boxes.event[box]! };
    await this.take((signal) => this.source.event(this.run, ref, signal).catch((problem: unknown) => {
      if (this.source.live) throw problem;
      return detailsOf(this.info, { tile, box });
    }), reveals);
  }

  // What a click on density means.
  async selectLongest(query: SpanQuery): Promise<void> {
    await this.take((signal) => this.source.longest(this.run, query, signal), "nothing");
  }

  // The next event of the selected one's name that lasts from `least` to `most`.
  async selectAgain(least: number, most: number): Promise<void> {
    const { selected: of } = this.state.get();
    if (of) await this.take((signal) => this.source.again(this.run, of, least, most, signal), "all");
  }

  // The next or previous event on its track; without a selection the first in sight.
  async step(by: 1 | -1): Promise<void> {
    const { selected } = this.state.get();
    if (!selected) return this.selectInSight(0);
    await this.take((signal) => this.source.next(this.run, selected, by, signal), "all");
  }

  // From the selected event along its links, in their order, and round again.
  async follow(by: 1 | -1): Promise<void> {
    const { selected } = this.state.get();
    const link = by > 0 ? selected?.links[0] : selected?.links[selected.links.length - 1];
    if (link) await this.select(link, { reveal: "all" });
  }

  // The event nearest to the same time on the next or previous track that shows one.
  async stepTrack(by: 1 | -1): Promise<void> {
    await this.selectInSight(by);
  }

  private async selectInSight(by: -1 | 0 | 1): Promise<void> {
    const { selected } = this.state.get();
    const lanes = [...this.lanes.pinned, ...this.lanes.lanes].filter((lane) => !lane.counter && lane.tracks.length > 0);
    const here = selected ? lanes.findIndex((lane) => lane.tracks.includes(selected.track)) : -1;
    const time = Math.min(Math.max(selected?.start ?? this.view.from, this.view.from), this.view.to);
    const order = here < 0 ? lanes : by > 0 ? lanes.slice(here + 1) : lanes.slice(0, here).reverse();
    const level = levelFor(this.view, this.size.width * this.size.dpr);
    for (const lane of order) {
      const others = lane.tracks.filter((track) => track !== selected?.track);  // a pinned one is in a folded lane too
      const pieces = others.flatMap((track) => piecesOf(this.loader, this.info, track, this.view, level));
      const hit = boxAt(pieces, -1, time, this.view.to - this.view.from);
      if (hit) return this.selectBox(hit, "all");
    }
  }

  private async take(ask: (signal: AbortSignal) => Promise<EventDetails | null>, reveals: Reveal): Promise<void> {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    try {
      const selected = await ask(asking.signal);
      if (asking.signal.aborted || !selected) return;  // none: past the ends of a track all stays as it is
      this.change({ selected, problem: null });
      if (reveals === "nothing") return;
      await twoFrames();  // the panel of details has opened, and left the chart less room
      if (asking.signal.aborted) return;
      if (reveals === "track") return this.scrollTo(selected.track, selected.row);
      this.showTrack(selected.track, selected.row);
      const there = reveal(this.view, selected.start, selected.start + selected.duration, this.info.end);
      if (there !== this.view) this.glideTo(there);
    } catch (problem) {
      if (!asking.signal.aborted) this.change({ problem });
    } finally {
      if (this.asking === asking) this.asking = null;
    }
  }

  setMeasure(measure: Interval | null): void { this.change({ measure: measure && this.rounded(measure) }); }
  setArea(area: Area | null): void { this.change({ area: area && { ...this.rounded(area), tracks: area.tracks } }); }

  // As the URL has it, so that it is the same there and back; within the run.
  private rounded({ from, to }: Interval): Interval {
    const all = whole(this.info.end), first = Math.ceil(all.from), last = Math.floor(all.to);
    const round = (time: number): number => Math.min(Math.max(roundTime(time, this.view), first), last);
    return { from: round(from), to: round(to) };
  }
  setMode(mode: Mode): void { this.change({ mode }); }
  // Keeps what is measured or selected, or where the pointer is, as lines.
  mark(): void {
    const { marks } = this.state.get();
    const at = this.anchor ?? (this.view.from + this.view.to) / 2;
    this.change({ marks: [...marks, { ...this.rounded(this.span() ?? { from: at, to: at }), name: "" }].slice(-kMostMarks) });
  }

  nameMark(at: number, name: string): void {
    this.change({ marks: this.state.get().marks.map((mark, i) => (i === at ? { ...mark, name } : mark)) });
  }

  removeMark(at: number): void { this.change({ marks: this.state.get().marks.filter((_, i) => i !== at) }); }

  // A stretch with room on both sides, a moment in the middle.
  showMark({ from, to }: Mark): void {
    const length = this.view.to - this.view.from;
    this.glideTo(from < to ? fit(from, to, this.info.end) : { from: from - length / 2, to: from + length / 2 });
  }

  // What is measured, or selected; as an area on all tracks shown, else what is in sight.
  areaFromSpan(): void {
    const tracks = this.lanes.lanes.concat(this.lanes.pinned).flatMap((lane) => (lane.counter ? [] : lane.tracks));
    const span = this.span() ?? { from: Math.max(0, this.view.from), to: Math.min(this.info.end, this.view.to) };
    this.setArea({ ...span, tracks: [...new Set(tracks)] });
  }

  // A flame graph of a thread or stream: of what is measured, or the whole run.
  flameOf(track: number): void {
    setQuery({ by: "stack" }, "replace");
    this.setArea({ ...(this.state.get().measure ?? { from: 0, to: this.info.end }), tracks: [track] });
  }

  private span(): Interval | null {
    const { measure, selected } = this.state.get();
    return measure ?? (selected && { from: selected.start, to: selected.start + selected.duration });
  }

  // One thing at a time, what was made last first.
  clear(): void {
    const { measure, area, selected, marks, chain, search } = this.state.get();
    if (measure) this.change({ measure: null });
    else if (area) this.change({ area: null });
    else if (selected) this.change({ selected: null });
    else if (search.q) this.change({ search: { ...kNoSearch, regex: search.regex } });
    else if (marks.length > 0) this.change({ marks: [] });
    else if (chain.length > 0) this.change({ chain: [] });
  }

  change(part: Partial<ChartState>): void { this.state.set({ ...this.state.get(), ...part }); }
}

const twoFrames = (): Promise<unknown> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

const prefersCalm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
