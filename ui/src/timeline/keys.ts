// Registers the timeline's commands for keys, menu and help.
import { useCommands, type Command } from "../shell/commands";
import type { Controller } from "./controller";
import { anyUnfolded } from "./lanes";
import type { Push } from "./motion";

const kScroll = 60;  // pixels

// Marks fields, so that keys find them.
export const kSearchId = "timeline-search";
export const kFilterId = "timeline-filter";

type Words = readonly [id: string, keys: readonly string[], title: Command["title"]];

function hold(controller: Controller, push: Push, ...[id, keys, title]: Words): Command {
  return {
    id: `timeline.${id}`, keys, title, group: "timeline",
    run: () => controller.push(push),
    release: () => controller.motion.release(push),
  };
}

const once = (run: () => void, ...[id, keys, title]: Words): Command =>
  ({ id: `timeline.${id}`, keys, title, group: "timeline", run });

const again = (run: () => void, ...words: Words): Command => ({ ...once(run, ...words), repeat: true });

const focus = (id: string) => () => document.getElementById(id)?.focus();

function moves(controller: Controller): Command[] {
  return [
    hold(controller, "in", "in", ["w", "+"], "timeline.key.in"),
    hold(controller, "out", "out", ["s", "-"], "timeline.key.out"),
    hold(controller, "left", "left", ["a", "ArrowLeft"], "timeline.key.left"),
    hold(controller, "right", "right", ["d", "ArrowRight"], "timeline.key.right"),
    again(() => controller.scrollBy(-kScroll), "up", ["ArrowUp"], "timeline.key.up"),
    again(() => controller.scrollBy(kScroll), "down", ["ArrowDown"], "timeline.key.down"),
    once(() => controller.showAll(), "all", ["0"], "timeline.key.all"),
    once(() => controller.centerOrFit(), "fit", ["f"], "timeline.key.fit"),
  ];
}

function selects(controller: Controller): Command[] {
  const search = (by: 1 | -1) => () => void controller.searcher.find(controller.state.get().search.q, by);
  return [
    again(() => void controller.step(1), "next_event", ["."], "timeline.key.next_event"),
    again(() => void controller.step(-1), "previous_event", [","], "timeline.key.previous_event"),
    again(() => void controller.stepTrack(1), "next_track", ["j"], "timeline.key.next_track"),
    again(() => void controller.stepTrack(-1), "previous_track", ["k"], "timeline.key.previous_track"),
    once(() => void controller.follow(1), "link", ["l"], "timeline.key.link"),
    once(() => void controller.follow(-1), "link_back", ["shift+l"], "timeline.key.link_back"),
    once(focus(kSearchId), "search", ["/"], "timeline.key.search"),
    again(search(1), "find_next", ["n"], "timeline.key.find_next"),
    again(search(-1), "find_previous", ["p"], "timeline.key.find_previous"),
    once(focus(kFilterId), "filter", ["shift+f"], "timeline.key.filter"),
  ];
}

function marks(controller: Controller): Command[] {
  const selected = (act: (track: number) => void) => () => {
    const track = controller.state.get().selected?.track;
    if (track !== undefined) act(track);
  };
  const mode = () => controller.setMode(controller.state.get().mode === "area" ? "measure" : "area");
  return [
    once(() => controller.mark(), "mark", ["m"], "timeline.key.mark"),
    once(() => controller.areaFromSpan(), "area", ["r"], "timeline.key.area"),
    once(mode, "mode", ["b"], "timeline.key.mode"),
    once(selected((track) => controller.pin(track)), "pin", ["shift+p"], "timeline.key.pin"),
    once(selected((track) => controller.foldTrack(track)), "fold", ["c"], "timeline.key.fold"),
    once(() => controller.foldAll(anyUnfolded(controller.info, controller.lanes)), "fold_all", ["shift+c"], "timeline.key.fold_all"),
    once(() => controller.clear(), "clear", ["Escape"], "timeline.key.clear"),
  ];
}

// What a report's file cannot do: only a server knows all events, and can sum them up.
const kAsk = ["area", "mode"];

export function useTimelineKeys(controller: Controller): void {
  useCommands(() => {
    const all = [...moves(controller), ...selects(controller), ...marks(controller)];
    return controller.source.live ? all : all.filter(({ id }) => !kAsk.includes(id.replace("timeline.", "")));
  }, [controller]);
}
