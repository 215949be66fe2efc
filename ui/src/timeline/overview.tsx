// Handles the overview strip: the window of the view can be moved or drawn anew.
import type { Ref } from "preact";
import { humanTime } from "../report/format";
import { useStore, type Store } from "../shell/store";
import { t } from "../text";
import type { Controller } from "./controller";
import type { View } from "./levels";
import { kMinimapHeight } from "./minimap";
import { startText } from "./ticks";
import { pan, working, zoomAt } from "./view";

// The time of a place on the strip.
function timeOn(element: HTMLElement, { info }: Controller): (at: PointerEvent) => number {
  const rect = element.getBoundingClientRect(), all = working(info);
  return (at) => all.from + ((at.clientX - rect.left) / rect.width) * (all.to - all.from);
}

// Whether the window is there to be taken.
function hasWindowAt({ view, info }: Controller, time: number): boolean {
  const all = working(info);
  return time >= view.from && time <= view.to && view.to - view.from < (all.to - all.from) * 0.9;
}

const showGrip = (controller: Controller) => (event: PointerEvent): void => {
  const element = event.currentTarget as HTMLElement;
  element.style.cursor = hasWindowAt(controller, timeOn(element, controller)(event)) ? "grab" : "crosshair";
};

function useDrag(controller: Controller) {
  return (event: PointerEvent) => {
    if (event.button !== 0) return;
    const element = event.currentTarget as HTMLElement, timeAt = timeOn(element, controller);
    const start = timeAt(event), before = controller.view, length = before.to - before.from;
    const inside = hasWindowAt(controller, start);
    const show = (now: number): void => {
      if (inside) controller.setView({ from: before.from + now - start, to: before.to + now - start });
      else if (now !== start) controller.setView({ from: Math.min(start, now), to: Math.max(start, now) });
      else controller.setView({ from: now - length / 2, to: now + length / 2 });
    };
    element.setPointerCapture(event.pointerId);
    if (!inside) show(start);
    const stop = new AbortController();
    element.addEventListener("pointermove", (at) => show(timeAt(at)), { signal: stop.signal });
    for (const over of ["pointerup", "pointercancel"] as const) {
      element.addEventListener(over, () => stop.abort(), { signal: stop.signal });
    }
  };
}

// As a slider for keys: arrows move the window, page keys zoom.
function useKeys(controller: Controller) {
  return (event: KeyboardEvent) => {
    const { view, info: { end } } = controller, middle = (view.from + view.to) / 2;
    const next: Readonly<Record<string, () => View>> = {
      ArrowLeft: () => pan(view, -0.2, end), ArrowRight: () => pan(view, 0.2, end),
      ArrowUp: () => pan(view, 0.2, end), ArrowDown: () => pan(view, -0.2, end),
      PageUp: () => zoomAt(view, middle, 0.5, end), PageDown: () => zoomAt(view, middle, 2, end),
      Home: () => pan(view, -1e9, end), End: () => pan(view, 1e9, end),
    };
    const move = next[event.key];
    if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    controller.setView(move());
  };
}

export function Overview({ controller, shown, canvas }: {
  controller: Controller; shown: Store<View>; canvas: Ref<HTMLCanvasElement>;
}) {
  const view = useStore(shown);
  const { end } = controller.info;
  const text = t("timeline.showing", { length: humanTime(view.to - view.from), from: startText(Math.max(0, view.from), view.to - view.from) });
  return (
    <div
      class="tl-overview" style={{ height: `${kMinimapHeight}px` }} onPointerDown={useDrag(controller)} onPointerMove={showGrip(controller)}
      onKeyDown={useKeys(controller)}
      role="slider" tabIndex={0} aria-label={t("timeline.minimap")} aria-orientation="horizontal"
      aria-valuemin={0} aria-valuemax={end} aria-valuenow={Math.min(end, Math.max(0, Math.round((view.from + view.to) / 2)))} aria-valuetext={text}
    >
      <canvas ref={canvas} />
    </div>
  );
}
