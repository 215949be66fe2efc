// Assembles the timeline of a run: all ranks on one axis. controller.ts implements its actions, chart.ts draws it.
import type { ComponentChildren } from "preact";
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { EventDetails, Run, Source, TimelineInfo } from "../data/source";
import { humanTime, visible } from "../report/format";
import { Mentions } from "../report/mentions";
import { problemOf, useLoad } from "../shell/load";
import { firstPictureIsThere } from "../shell/first_picture";
import { ProblemPanel } from "../shell/status";
import { makeStore, useStore } from "../shell/store";
import { currentPlace, linkTo, setQuery, usePlace, type Query } from "../shell/url";
import { t } from "../text";
import { alignOf } from "./align";
import { AreaPanel } from "./area_panel";
import { Chart } from "./chart";
import { Controller } from "./controller";
import { Details } from "./details";
import { Heads, PinnedHeads } from "./heads";
import { useTimelineKeys } from "./keys";
import { kindOfEvent } from "./kinds";
import { kAxisHeight } from "./lanes";
import { Overview } from "./overview";
import { Marks } from "./marks";
import { askedOnce, pairedSource } from "./pair";
import { fromQuery, homeView, kPlaceKeys, toQuery } from "./place";
import { followPointer } from "./pointer";
import { show } from "./show";
import { kHome, kTargetKeys, targetOf } from "./target";
import { startText } from "./ticks";
import { Tip, type Pointed } from "./tip";
import { Tools } from "./tools";
import "./timeline.css";

const kUrlMs = 250;
const kLateMs = 3000;  // after which the rest of the page waits no longer for the picture
const kRestMs = 100;  // that the view stays where it is before it is told in words

// `revision` changes when the run's files do, and with it what is known of them. `meanwhile` is shown until the run is
// read.
// `beside`: another run, on the same axis if the source has it.
export function Timeline({ run: { id: run, revision = 0, name }, beside, source: alone, meanwhile }: {
  run: Run; beside: Run | undefined; source: Source; meanwhile: ComponentChildren;
}) {
  const other = beside && alone.shows(beside.id) ? { id: beside.id, name: beside.name } : undefined, asked = alignOf(usePlace().query);
  const runs = `${run} ${revision}${other ? ` ${other.id} ${beside?.revision ?? 0}` : ""}`, align = other && asked;
  const held = useMemo(() => askedOnce(alone), [alone, runs]);
  const source = useMemo(() => (other ? pairedSource(held, { id: run, name }, other, align) : alone), [held, name, other?.name, align]);
  const key = align === undefined ? runs : `${runs} ${align}`;
  const { value, problem, busy } = useLoad("timeline", key, (signal) => source.timeline(run, signal));
  const shows = value && value.tracks.length > 0;
  useEffect(() => {
    if (problem || (value && !shows)) firstPictureIsThere();
    const late = shows ? setTimeout(firstPictureIsThere, kLateMs) : 0;
    return () => clearTimeout(late);
  }, [problem, value]);
  if (problem) return <ProblemPanel problem={problem} />;
  if (!value || busy) return <>{meanwhile}</>;
  if (value.tracks.length === 0) return <p class="panel">{t("timeline.empty")}</p>;
  return <Shown key={key} run={run} loads={key} source={source} info={value} without={other ? "" : visible(beside?.name ?? "")} />;
}

// `without`: the run that is chosen to be beside it and is not in the file.
function Shown({ run, loads, source, info, without }: { run: string; loads: string; source: Source; info: TimelineInfo; without: string }) {
  const make = () => new Controller(source, { id: run, loads }, info, fromQuery(currentPlace().query, info));
  const controller = useMemo(make, [source, run, info]);
  useEffect(() => () => controller.stop(), [controller]);
  useTimelineKeys(controller);
  useUrl(controller);
  const state = useStore(controller.state);
  const minimap = useRef<HTMLCanvasElement>(null);
  // What changes every frame is watched by what shows it alone: the rest is not drawn again.
  const shown = useMemo(() => makeStore(controller.view), [controller]);
  return (
    <div class="timeline" ref={useRestOfPage()}>
      <h1 class="tl-hidden">{t("timeline.title")}</h1>
      <Tools controller={controller}><Back run={run} /></Tools>
      {without !== "" && <p class="tl-notice" role="status">{t("timeline.without", { name: without })}</p>}
      {state.notice && <p class="tl-notice" role="status">{state.notice}</p>}
      <Overview controller={controller} shown={shown} canvas={minimap} />
      <Marks controller={controller} />
      <div class="tl-body">
        <Tracks controller={controller} minimap={minimap} onView={shown.set} />
        {(state.selected || state.area) && (
          <aside class="tl-side" tabIndex={0} aria-label={t("timeline.details")}>
            {state.area && <AreaPanel area={state.area} controller={controller} />}
            {state.selected && <Details event={state.selected} controller={controller} />}
          </aside>
        )}
      </div>
      <p class="tl-says" role="status">{state.selected ? eventText(state.selected, controller) : state.marks.length > 0 ? "" : t("timeline.selected_nothing")}</p>
      {state.problem !== null && <ProblemPanel problem={problemOf(state.problem, run)} />}
    </div>
  );
}

// To the page of the analysis that a link has led here from.
function Back({ run }: { run: string }) {
  const { reports } = useContext(Mentions);
  const [, compared, analysis = "", table] = /^(compare:)?(\w+)(?:\.(\w+))?$/.exec(usePlace().query["back"] ?? "") ?? [];
  if (analysis === "") return null;
  const home = analysis === kHome, title = home ? t("page.home") : visible(reports.find((report) => report.analysis === analysis)?.title ?? analysis);
  const path = home ? [] : [compared ? "compare" : "report", analysis];
  return <a class="tl-back" href={linkTo(["run", run, ...path], table ? { at: `table-${table}` } : {})}>‹ {t("timeline.back", { title })}</a>;
}

function eventText(event: EventDetails, { info }: Controller): string {
  const track = info.tracks[event.track];
  return t("timeline.selected", {
    name: visible(event.name), kind: t(`kind.${kindOfEvent(info, event.kind)}`), duration: humanTime(event.duration),
    start: startText(event.start, event.duration), rank: event.rank, track: visible(track ? `${track.group} · ${track.name}` : ""),
  });
}

// As high as what is left of the window.
function useRestOfPage() {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const fill = () => {
      const top = element.current ? element.current.getBoundingClientRect().top + scrollY : 0;
      element.current?.style.setProperty("--above", `${Math.ceil(top)}px`);
    };
    scrollTo(0, 0);  // the page before may have been a long one
    fill();
    addEventListener("resize", fill);
    const page = new ResizeObserver(fill);  // what is above may come, or wrap, later
    if (element.current?.parentElement) page.observe(element.current.parentElement);
    return () => {
      page.disconnect();
      removeEventListener("resize", fill);
    };
  }, []);
  return element;
}

// The view follows the URL, and the URL the view, a little later.
function useUrl(controller: Controller): void {
  const written = useRef<string>(""), steps = useRef<string>("");
  const { query } = usePlace();
  const mine = (all: Query): string => JSON.stringify(kPlaceKeys.map((key) => all[key] ?? ""));
  useEffect(() => {
    const first = written.current === "";
    if (written.current === mine(query)) return;
    written.current = mine(query);
    if (first) steps.current = query["steps"] ?? "";
    else controller.restore(fromQuery(query, controller.info));
    if (steps.current === (query["steps"] ?? "")) return;
    steps.current = query["steps"] ?? "";
    controller.glideTo(homeView(controller.info, steps.current));
  }, [query]);
  useEffect(() => {
    const target = targetOf(query);
    if (!target) return;
    const align = controller.info.pair ? alignOf(query) : undefined;
    setQuery({ ...Object.fromEntries(kTargetKeys.map((key) => [key, ""])), ...(align !== undefined && { align: String(align) }) }, "replace");
    void show(controller, target);
  }, [query]);
  useEffect(() => {
    const timer = setInterval(() => {
      const { query: { ranks = "", steps = "" } } = currentPlace();
      const next = { ...toQuery(controller.placed, homeView(controller.info, steps)), ranks, steps };
      if (controller.busy || controller.motion.moving || mine(next) === written.current) return;
      written.current = mine(next);
      setQuery(next, "replace");
    }, kUrlMs);
    return () => clearInterval(timer);
  }, [controller]);
}

const kNowhere: Pointed = { hit: null, x: 0, y: 0 };

function Tracks({ controller, minimap, onView }: {
  controller: Controller; minimap: { readonly current: HTMLCanvasElement | null }; onView: (view: Controller["view"]) => void;
}) {
  const { info } = controller;
  const state = useStore(controller.state);
  const scroller = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null);
  const [height, setHeight] = useState(400);
  const [scroll, setScroll] = useState(0);
  const pointed = useMemo(() => makeStore<Pointed>(kNowhere), [controller]);
  useLayoutEffect(() => {
    if (!canvas.current || !minimap.current || !scroller.current) return;
    const element = scroller.current;
    // The first picture is as high as it stays: its tiles are asked for once.
    canvas.current.style.height = `${element.clientHeight}px`;
    setHeight(element.clientHeight);
    const sized = new ResizeObserver(() => {
      controller.resized(element.clientHeight);
      setHeight(element.clientHeight);
    });
    sized.observe(element);
    controller.onScroll = (top) => requestAnimationFrame(() => {
      element.scrollTo({ top });
      controller.scrolled(element.scrollTop);
    });
    // Elements do not follow each frame: what runs by under the pointer need not be told.
    let rest = 0;
    const chart = new Chart(controller, {
      canvas: canvas.current, minimap: minimap.current,
      drawn: (scene) => {
        clearTimeout(rest);
        rest = window.setTimeout(() => onView(scene.view), kRestMs);
        pointed.set(chart.pointer && !controller.motion.moving ? { hit: chart.hit() ?? null, ...chart.pointer } : kNowhere);
      },
    });
    controller.scrollToTop();
    const leave = followPointer(chart, canvas.current);
    return () => {
      clearTimeout(rest);
      leave();
      chart.stop();
      sized.disconnect();
    };
  }, [controller]);
  const onScroll = () => {
    controller.scrolled(scroller.current?.scrollTop ?? 0);
    setScroll(controller.scroll);
  };
  const { lanes, pinnedHeight, height: all } = controller.lanes;
  return (
    <div class="tl-scroll" ref={scroller} onScroll={onScroll}>
      <div class="tl-stick">
        <canvas
          ref={canvas} tabIndex={0} role="img" style={{ height: `${height}px` }} class={`tl-${state.mode}`}
          aria-label={t("timeline.canvas", { tracks: info.tracks.length, ranks: info.ranks.length })}
        />
        <PinnedHeads controller={controller} />
        <Tip pointed={pointed} controller={controller} />
      </div>
      <Heads controller={controller} scroll={scroll} height={height} />
      <div style={{ height: `${kAxisHeight + pinnedHeight + all}px` }}>
        {lanes.length === 0 && <p class="tl-none">{t("timeline.nothing_shown")}</p>}
      </div>
    </div>
  );
}
