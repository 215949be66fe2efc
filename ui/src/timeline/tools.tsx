// Shows the bar above the chart: search, filter, drag mode, and the legend.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { kindNamed, type Kind } from "../data/report";
import { humanCount, humanTime, visible } from "../report/format";
import { colorOf, kLooks, textColorOn } from "../shell/palette";
import { useStore } from "../shell/store";
import { useTheme } from "../shell/theme";
import { t } from "../text";
import { alignOn, stepToAlign } from "./align";
import { kPatternBits } from "./colors";
import type { Controller } from "./controller";
import { kFilterId, kSearchId } from "./keys";
import { wrongRanks } from "./lanes";

const kTypingMs = 180;  // without a key, after which what is typed is searched for

function SearchField({ controller }: { controller: Controller }) {
  const { search } = useStore(controller.state), { searcher } = controller, { place } = searcher;
  const [text, setText] = useState(search.q), timer = useRef(0);
  useEffect(() => setText((now) => (now.trim() === search.q ? now : search.q)), [search.q]);
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void searcher.type(next.trim(), controller.state.get().search.regex), kTypingMs);
  };
  const go = (by: 1 | -1) => {
    clearTimeout(timer.current);
    void searcher.find(text.trim(), by);
  };
  const switchRegex = () => {
    clearTimeout(timer.current);
    void searcher.type(text.trim(), !search.regex);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") (event.currentTarget as HTMLElement).blur();
    if (event.key === "Enter" || event.key === "Escape") event.preventDefault();
  };
  const total = humanCount(search.found?.total ?? 0);
  const found = place === null ? t("timeline.found", { total }) : t("timeline.found_place", { place: humanCount(place), total });
  return (
    <div class="tl-search" role="search">
      <label for={kSearchId}>{t("timeline.search")}</label>
      <input
        id={kSearchId} type="search" value={text} placeholder={t("timeline.search_hint")} spellcheck={false} autocomplete="off"
        onInput={(event) => type(event.currentTarget.value)} onKeyDown={onKey}
        aria-invalid={search.wrong !== ""} aria-describedby="timeline-found"
      />
      <button type="button" class="tl-regex" aria-pressed={search.regex} aria-label={t("timeline.regex")} title={t("timeline.regex")} onClick={switchRegex}>.*</button>
      <button type="button" aria-label={t("timeline.previous")} onClick={() => go(-1)}>‹</button>
      <button type="button" aria-label={t("timeline.next")} onClick={() => go(1)}>›</button>
      <span role="status" class={search.wrong ? "tl-wrong" : "faint"} id="timeline-found">
        {!search.q ? "" : search.wrong ? visible(search.wrong) : search.found ? found : t("timeline.searching")}
      </span>
    </div>
  );
}

function FilterField({ controller }: { controller: Controller }) {
  const { filter } = useStore(controller.state);
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    (event.currentTarget as HTMLElement).blur();
    event.preventDefault();
  };
  return (
    <div class="tl-filter">
      <label for={kFilterId}>{t("timeline.filter")}</label>
      <input
        id={kFilterId} type="search" value={filter} placeholder={t("timeline.filter_hint")} spellcheck={false} autocomplete="off"
        onInput={(event) => controller.setFilter(event.currentTarget.value)} onKeyDown={leave}
      />
    </div>
  );
}

// Which color and pattern is what. Kinds that look alike are told once.
function Legend({ controller }: { controller: Controller }) {
  const theme = useTheme();
  const kinds = [...new Set<Kind>(controller.info.column_kinds.map(kindNamed))];
  return (
    <ul class="tl-legend" aria-label={t("timeline.legend")}>
      {kinds.map((kind) => (
        <li key={kind}>
          <svg width="16" height="16" viewBox="0 0 8 8" aria-hidden="true" shapeRendering="crispEdges">
            <rect width="8" height="8" fill={colorOf(kind, theme)} />
            <path d={dotsOf(kind)} fill={textColorOn(kind, theme)} fillOpacity="0.45" />
          </svg>
          {t(`kind.${kind}`)}
        </li>
      ))}
    </ul>
  );
}

// The points of a kind's pattern as a path.
function dotsOf(kind: Kind): string {
  return kPatternBits[kLooks[kind].pattern]
    .flatMap((bits, y) => Array.from({ length: 8 }, (_, x) => ((bits >> x) & 1 ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
}

// Which two runs are on the axis, and what they begin with: another step once an event of it is selected.
function Pair({ controller }: { controller: Controller }) {
  const { selected } = useStore(controller.state), { pair } = controller.info;
  if (!pair) return null;
  const step = selected && stepToAlign(controller.info, selected);
  const [a, b] = pair.names.map(visible), [stepA, stepB] = pair.steps ?? [];
  return (
    <p class="faint">
      {pair.steps ? t("timeline.pair_steps", { a: a!, b: b!, stepA: stepA!, stepB: stepB! }) : t("timeline.pair", { a: a!, b: b! })}
      {selected && step !== null && <> <button type="button" class="tl-align" onClick={() => alignOn(controller, step, selected)}>{t("timeline.align", { step })}</button></>}
    </p>
  );
}

// The header's ranks, where they choose none.
function WrongRanks({ controller }: { controller: Controller }) {
  const { ranks } = useStore(controller.state), wrong = wrongRanks(controller.info, ranks);
  if (!wrong) return null;
  const all = controller.info.ranks.map(({ rank }) => rank);
  const args = { ranks: visible(ranks), first: Math.min(...all), last: Math.max(...all) };
  return <p class="tl-wrong" role="alert">{t(wrong === "odd" ? "timeline.ranks_odd" : "timeline.ranks_absent", args)}</p>;
}

// What of the run a report's file has: events that are not in it are neither drawn as boxes nor found.
function Holds({ controller: { info: { least } } }: { controller: Controller }) {
  if (!least) return null;
  if (least.device === 0 && least.other === 0) return <p class="faint">{t("timeline.file_all")}</p>;
  const said = (from: number): string => (from === 0 ? t("timeline.file_every") : t("timeline.file_from", { time: humanTime(from) }));
  return <p class="faint">{t("timeline.file_some", { device: said(least.device), other: said(least.other) })}</p>;
}

// `children`: before all else.
export function Tools({ controller, children }: { controller: Controller; children?: ComponentChildren }) {
  const { mode } = useStore(controller.state);
  return (
    <div class="tl-tools" role="group" aria-label={t("timeline.tools")}>
      {children}
      <SearchField controller={controller} />
      <FilterField controller={controller} />
      {controller.source.live && <button
        type="button" aria-pressed={mode === "area"} title={t("timeline.mode_area")}
        onClick={() => controller.setMode(mode === "area" ? "measure" : "area")}
      >
        {t("timeline.area")}
      </button>}
      <button type="button" onClick={() => controller.showAll()}>{t("timeline.all")}</button>
      <span class="tl-folds" role="group" aria-label={t("timeline.folds")}>
        <button type="button" onClick={() => controller.foldAll(true)}>{t("timeline.fold_all")}</button>
        <button type="button" onClick={() => controller.foldAll(false)}>{t("timeline.unfold_all")}</button>
      </span>
      <Legend controller={controller} />
      <Pair controller={controller} />
      <WrongRanks controller={controller} />
      <Holds controller={controller} />
    </div>
  );
}
