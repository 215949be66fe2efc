// Handles mouse, pen, touch and wheel. Drag measures, shift+drag or area mode selects an area, the middle button or a finger
// pans, a click selects.
import type { Chart } from "./chart";
import { kAxisHeight, lanesBetween } from "./lanes";
import { timeOf, type Scene } from "./scene";
import { fit } from "./view";

const kClick = 4;         // pixels that a click may move
const kWheelZoom = 0.0022;
const kMostPixels = 120;  // that one turn of a wheel counts

type Drag = "measure" | "area" | "pan";

interface Begun {
  readonly drag: Drag;
  readonly x: number;
  readonly y: number;
  readonly time: number;
  readonly from: number;  // of the view
  moved: boolean;
}

// Listens on the canvas; returns what ends that.
export function followPointer(chart: Chart, canvas: HTMLCanvasElement): () => void {
  const { controller } = chart;
  const stop = new AbortController();
  let begun: Begun | null = null;
  const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void): void =>
    canvas.addEventListener(type, act, { signal: stop.signal, passive: false });

  on("pointerdown", (event) => {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    const { x, y } = placeIn(canvas, event);
    const time = chart.scene ? timeOf(chart.scene, x) : 0;
    begun = { drag: dragOf(event, controller.state.get().mode), x, y, time, from: controller.view.from, moved: false };
    controller.motion.stop();
  });
  on("pointermove", (event) => {
    const at = placeIn(canvas, event);
    chart.pointer = at;
    if (chart.scene) controller.anchor = timeOf(chart.scene, at.x);
    if (begun && chart.scene) continueDrag(chart, chart.scene, begun, at);
    chart.dirty();
  });
  on("pointerup", (event) => {
    if (!begun || !chart.scene) return;
    if (begun.moved) endDrag(chart, begun);
    else click(chart, placeIn(canvas, event));
    begun = null;
  });
  on("pointercancel", () => {
    begun = null;
    chart.draft = null;
  });
  on("pointerleave", () => {
    chart.pointer = controller.anchor = null;
    chart.dirty();
  });
  on("dblclick", () => zoomInto(chart));
  on("wheel", (event) => wheel(chart, event));
  return () => stop.abort();
}

function placeIn(canvas: HTMLElement, event: MouseEvent): { x: number; y: number } {
  const rect = canvas.getBoundingClientRect();
  return { x: event.clientX - rect.left, y: event.clientY - rect.top };
}

function dragOf(event: PointerEvent, mode: "measure" | "area"): Drag {
  if (event.button === 1 || event.pointerType === "touch") return "pan";
  return (mode === "area") !== event.shiftKey ? "area" : "measure";
}

function continueDrag(chart: Chart, scene: Scene, begun: Begun, at: { x: number; y: number }): void {
  if (Math.abs(at.x - begun.x) + Math.abs(at.y - begun.y) >= kClick) begun.moved = true;
  if (!begun.moved) return;
  const time = timeOf(scene, at.x);
  const span = { from: Math.min(begun.time, time), to: Math.max(begun.time, time) };
  const { controller } = chart;
  if (begun.drag === "measure") controller.setMeasure(span);
  else if (begun.drag === "area") chart.draft = { ...span, y0: Math.min(begun.y, at.y), y1: Math.max(begun.y, at.y) };
  else {
    const length = controller.view.to - controller.view.from;
    const from = begun.from + ((begun.x - at.x) / scene.width) * length;
    controller.setView({ from, to: from + length });
  }
}

function endDrag(chart: Chart, begun: Begun): void {
  const { draft, scene, controller } = chart;
  if (begun.drag !== "area" || !draft || !scene) return;
  chart.draft = null;
  controller.setArea({ from: draft.from, to: draft.to, tracks: tracksBetween(scene, draft.y0, draft.y1) });
}

// The tracks of all lanes that a part of the screen meets, pinned ones too.
export function tracksBetween(scene: Scene, y0: number, y1: number): number[] {
  const { lanes, scroll } = scene, below = kAxisHeight + lanes.pinnedHeight;
  const pinned = lanesBetween(lanes.pinned, y0 - kAxisHeight, Math.min(y1, below) - kAxisHeight);
  const rest = lanesBetween(lanes.lanes, Math.max(y0, below) - below + scroll, y1 - below + scroll);
  const tracks = [...pinned, ...(y1 > below ? rest : [])].flatMap((lane) => (lane.counter ? [] : lane.tracks));
  return [...new Set(tracks)];
}

function click(chart: Chart, at: { x: number; y: number }): void {
  chart.pointer = at;
  const hit = chart.hit(), { controller } = chart;
  if (hit?.what === "box") void controller.selectBox(hit.at, "nothing");
  else if (hit?.what === "span") void controller.selectLongest(hit.query);
  else {
    controller.change({ selected: null, measure: null });
  }
}

// A double click shows the box, or what is in a density.
function zoomInto(chart: Chart): void {
  const hit = chart.hit(), { controller } = chart;
  if (hit?.what === "box") {
    const { boxes } = hit.at.tile, start = boxes.start[hit.at.box]!;
    controller.glideTo(fit(start, start + boxes.duration[hit.at.box]!, controller.info.end));
  } else if (hit?.what === "span") {
    const length = (controller.view.to - controller.view.from) / 32;
    controller.glideTo({ from: hit.time - length, to: hit.time + length });
  }
}

function wheel(chart: Chart, event: WheelEvent): void {
  const { controller, scene } = chart;
  if (!scene) return;
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? scene.height : 1;
  const down = event.deltaY * unit, across = event.deltaX * unit;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    const { x } = placeIn(event.currentTarget as HTMLElement, event);
    const turned = Math.max(-kMostPixels, Math.min(kMostPixels, down));
    controller.zoomBy(Math.exp(turned * kWheelZoom), timeOf(scene, x));
  } else if (event.shiftKey || Math.abs(across) > Math.abs(down)) {
    event.preventDefault();
    const length = controller.view.to - controller.view.from;
    const by = ((event.shiftKey && across === 0 ? down : across) / scene.width) * length;
    controller.setView({ from: controller.view.from + by, to: controller.view.to + by });
  }  // else the page scrolls the tracks
}
