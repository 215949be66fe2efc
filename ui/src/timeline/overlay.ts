// Draws over a frame's pixels: names on boxes, the axis, the selection and its links, measurements, marks and a chain of moments. Lengths are CSS
// pixels.
import type { EventDetails } from "../data/source";
import { visible } from "../report/format";
import { rowKey, type HitRows } from "./hits";
import type { Label } from "./painter";
import { kAxisHeight, lanesBetween, placeOf, type Lane } from "./lanes";
import { stepsOf, xOf, type Area, type Interval, type Mark, type Moment, type Scene } from "./scene";
import { formatDuration, formatTime, ticks, tickStep } from "./ticks";

type Ctx = CanvasRenderingContext2D;

export const kFont = "11px system-ui, 'Noto Sans', 'Noto Sans JP', sans-serif";
const kTickRoom = 110;   // pixels between the numbers of the axis
const kPad = 4;

export function drawOverlay(ctx: Ctx, scene: Scene, labels: readonly Label[]): void {
  ctx.setTransform(scene.dpr, 0, 0, scene.dpr, 0, 0);
  ctx.font = kFont;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  drawLabels(ctx, scene, labels);
  drawHits(ctx, scene);
  drawStepNumbers(ctx, scene);
  drawChain(ctx, scene);
  if (scene.selected) drawSelected(ctx, scene, scene.selected);
  drawHover(ctx, scene);
  drawIntervals(ctx, scene);
  drawAxis(ctx, scene);
}

// --- names on boxes ---

const widths = new Map<string, number>();
const shown = new Map<string, string>();  // names as they may be shown: no character that is not seen

function shownName(name: string): string {
  let text = shown.get(name);
  if (text === undefined) {
    if (shown.size > 4000) shown.clear();
    text = visible(name);
    shown.set(name, text);
  }
  return text;
}

function widthOf(ctx: Ctx, text: string): number {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 4000) widths.clear();
    width = ctx.measureText(text).width;
    widths.set(text, width);
  }
  return width;
}

// The text, cut to `room` pixels; empty when not even three characters fit.
export function cutToFit(text: string, room: number, width: (text: string) => number): string {
  const full = width(text);
  if (full <= room) return text;
  const fits = Math.floor((room / full) * text.length) - 1;
  return fits < 2 ? "" : `${text.slice(0, fits)}…`;
}

function drawLabels(ctx: Ctx, scene: Scene, labels: readonly Label[]): void {
  let clip = -1;
  for (const label of labels) {
    if (label.clip !== clip) {
      if (clip >= 0) ctx.restore();
      clip = label.clip;
      ctx.save();
      ctx.beginPath();
      ctx.rect(0, clip / scene.dpr, scene.width, scene.height);
      ctx.clip();
    }
    drawLabel(ctx, scene, label);
  }
  if (clip >= 0) ctx.restore();
}

function drawLabel(ctx: Ctx, scene: Scene, label: Label): void {
  const { boxes, names } = label.tile, { colors, dpr } = scene;
  const kind = Math.min(boxes.kind[label.box]!, colors.kinds - 1);
  const x0 = label.x0 / dpr + kPad, room = (label.x1 - label.x0) / dpr - 2 * kPad;
  const name = cutToFit(shownName(names.at(boxes.name[label.box]!)), room, (text) => widthOf(ctx, text));
  if (!name) return;
  ctx.fillStyle = colors.text[kind]!;
  ctx.fillText(name, Math.round(x0), Math.round((label.y + label.height / 2) / dpr));
}

// --- matches of a search ---

const kHit = 3;  // pixels of the line below a match

function drawHits(ctx: Ctx, scene: Scene): void {
  const { hits, lanes: { lanes, pinned, pinnedHeight } } = scene;
  if (!hits || hits.rows.size === 0) return;
  const below = kAxisHeight + pinnedHeight;
  for (const lane of lanesBetween(lanes, scene.scroll, scene.scroll + scene.height - below)) drawHitsOf(ctx, scene, hits, lane, below - scene.scroll, below);
  for (const lane of pinned) drawHitsOf(ctx, scene, hits, lane, kAxisHeight, kAxisHeight);
}

// A line below each row of a lane, where there are matches; `clip`: the height above which the lane is hidden.
function drawHitsOf(ctx: Ctx, scene: Scene, hits: HitRows, lane: Lane, offset: number, clip: number): void {
  const { info, colors: { ink } } = scene;
  for (const track of lane.counter ? [] : lane.tracks) {
    for (let row = 0; row < Math.max(1, info.tracks[track]?.rows ?? 1); ++row) {
      const y = lane.y + offset + (Math.min(row, lane.rows - 1) + 1) * lane.rowHeight - kHit - 1;
      if (y < clip) continue;
      const stretches = hits.rows.get(rowKey(track, row)) ?? [];
      for (let i = 0; i + 1 < stretches.length; i += 2) {
        const x = Math.max(0, xOf(scene, hits.from + stretches[i]! * hits.bucket));
        const width = Math.min(scene.width, xOf(scene, hits.from + (stretches[i + 1]! + 1) * hits.bucket)) - x;
        if (width <= 0) continue;
        ctx.fillStyle = ink.page;
        ctx.fillRect(x, y - 1, Math.max(2, width), kHit + 1);
        ctx.fillStyle = ink.select;
        ctx.fillRect(x, y, Math.max(2, width), kHit);
      }
    }
  }
}

// --- ranks' steps ---

function drawStepNumbers(ctx: Ctx, scene: Scene): void {
  const below = kAxisHeight + scene.lanes.pinnedHeight;
  ctx.fillStyle = scene.colors.ink.faint;
  for (const lane of lanesBetween(scene.lanes.lanes, scene.scroll, scene.scroll + scene.height - below)) {
    const y = lane.y + below - scene.scroll + lane.height / 2;
    if (lane.kind !== "rank" || lane.folded || y < below) continue;
    let free = -Infinity;  // where the number before ends
    for (const step of stepsOf(scene.info, lane.rankIndex)) {
      if (step.end < scene.view.from || step.start > scene.view.to) continue;
      const x = Math.max(0, xOf(scene, step.start)) + kPad, room = xOf(scene, step.end) - x;
      if (room < 10 || x < free) continue;
      const text = `${step.number}`;
      ctx.fillText(text, Math.round(x), Math.round(y));
      free = x + widthOf(ctx, text) + 2 * kPad;
    }
  }
}

// --- what is selected, and its links ---

interface Rect { readonly x0: number; readonly x1: number; readonly y: number; readonly height: number }

function rectOf(scene: Scene, track: number, row: number, span: Interval): Rect | undefined {
  const place = placeOf(scene.lanes, scene.scroll, track);
  if (!place) return undefined;
  const { lane, top } = place;
  const y = top + Math.min(row, lane.rows - 1) * lane.rowHeight;
  return { x0: xOf(scene, span.from), x1: xOf(scene, span.to), y, height: lane.rowHeight - 1 };
}

function beginArrows(ctx: Ctx, scene: Scene): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, kAxisHeight, scene.width, scene.height);
  ctx.clip();
  ctx.strokeStyle = ctx.fillStyle = scene.colors.ink.select;
  ctx.lineWidth = 2;
}

function drawSelected(ctx: Ctx, scene: Scene, event: EventDetails): void {
  const rect = rectOf(scene, event.track, event.row, { from: event.start, to: event.start + event.duration });
  if (!rect) return;
  beginArrows(ctx, scene);
  for (const link of event.links) {
    const other = rectOf(scene, link.track, link.row ?? 0, { from: link.start, to: link.end });
    if (other) drawLink(ctx, scene, rect, other, link.relation);
  }
  ctx.lineWidth = 3;
  const left = Math.max(-4, rect.x0), right = Math.min(scene.width + 4, Math.max(rect.x1, rect.x0 + 2));
  if (right > left) ctx.strokeRect(left, rect.y, right - left, rect.height);
  ctx.restore();
}

// An arrow from cause to effect: towards work, away from a launch; peers and waits by their times.
function drawLink(ctx: Ctx, scene: Scene, here: Rect, there: Rect, says: string): void {
  const [from, to] = says === "work" || (says !== "launch" && here.x0 <= there.x0) ? [here, there] : [there, here];
  const far = 4 * scene.width;
  const bound = (x: number): number => Math.min(Math.max(x, -far), scene.width + far);
  const x0 = bound(from.x0), x1 = bound(to.x0);
  const y0 = from.y + from.height / 2, y1 = to.y + to.height / 2;
  if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > scene.width) return;
  const bend = Math.min(60, Math.abs(x1 - x0) / 2 + 12);
  ctx.beginPath();
  ctx.setLineDash(says === "wait" ? [5, 4] : says === "peer" ? [1, 3] : []);
  ctx.moveTo(x0, y0);
  ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x1 - 8, y1 - 4);
  ctx.lineTo(x1 - 8, y1 + 4);
  ctx.fill();
}

// Where a rank is at a moment: on all its pinned tracks, else on its first lane.
function momentRect(scene: Scene, { rankIndex, at }: Moment): Rect | undefined {
  const { pinned, lanes, pinnedHeight } = scene.lanes, x = xOf(scene, at);
  const pins = pinned.filter((lane) => lane.rankIndex === rankIndex), last = pins.at(-1), first = pins[0];
  if (first && last) return { x0: x, x1: x, y: first.y + kAxisHeight, height: last.y + last.height - first.y };
  const lane = lanes.find((one) => one.rankIndex === rankIndex);
  return lane && { x0: x, x1: x, y: lane.y + kAxisHeight + pinnedHeight - scene.scroll, height: lane.height };
}

function drawChain(ctx: Ctx, scene: Scene): void {
  const rects = scene.chain.map((moment) => momentRect(scene, moment));
  beginArrows(ctx, scene);
  rects.forEach((to, at) => {
    const from = rects[at - 1];
    if (from && to) drawLink(ctx, scene, from, to, "work");
  });
  ctx.restore();
}

function drawHover(ctx: Ctx, scene: Scene): void {
  const { hover, colors: { ink } } = scene;
  if (!hover) return;
  ctx.fillStyle = ink.faint;
  ctx.fillRect(Math.round(hover.x), kAxisHeight, 1, scene.height);
  if (!hover.box) return;
  const { tile, box } = hover.box, start = tile.boxes.start[box]!;
  const span = { from: start, to: start + tile.boxes.duration[box]! };
  const rect = rectOf(scene, tile.track, tile.boxes.row[box]!, span);
  if (!rect || rect.y < kAxisHeight) return;
  ctx.strokeStyle = ink.text;
  ctx.lineWidth = 1.5;
  ctx.strokeRect(Math.max(-3, rect.x0), rect.y, Math.min(scene.width + 6, rect.x1 - Math.max(-3, rect.x0)), rect.height);
}

// --- measured, marked, areas ---

function drawIntervals(ctx: Ctx, scene: Scene): void {
  const { ink } = scene.colors;
  for (const mark of scene.marks) {
    drawInterval(ctx, scene, mark, ink.accent, 0);
    if (mark.name) drawMarkName(ctx, scene, mark);
  }
  if (scene.area) drawArea(ctx, scene, scene.area);
  if (scene.measure) drawInterval(ctx, scene, scene.measure, ink.select, 0.1);
  const { draft } = scene;
  if (!draft) return;
  ctx.strokeStyle = ink.accent;
  ctx.lineWidth = 2;
  ctx.setLineDash([4, 3]);
  const x = xOf(scene, draft.from);
  ctx.strokeRect(x, draft.y0, xOf(scene, draft.to) - x, draft.y1 - draft.y0);
  ctx.setLineDash([]);
}

// Only what it holds is tinted: an area is of some tracks.
function drawArea(ctx: Ctx, scene: Scene, area: Area): void {
  const tracks = new Set(area.tracks), { accent } = scene.colors.ink;
  const left = Math.max(0, xOf(scene, area.from)), right = Math.min(scene.width, xOf(scene, area.to));
  const below = kAxisHeight + scene.lanes.pinnedHeight;
  ctx.fillStyle = accent;
  ctx.globalAlpha = 0.18;
  const tint = (lane: Lane, offset: number, clip: number): void => {
    const top = Math.max(clip, lane.y + offset), bottom = lane.y + lane.height + offset;
    if (bottom > top && lane.tracks.some((track) => tracks.has(track))) ctx.fillRect(left, top, right - left, bottom - top);
  };
  if (right > left) {
    for (const lane of scene.lanes.pinned) tint(lane, kAxisHeight, kAxisHeight);
    const shown = lanesBetween(scene.lanes.lanes, scene.scroll, scene.scroll + scene.height - below);
    for (const lane of shown) tint(lane, below - scene.scroll, below);
  }
  ctx.globalAlpha = 1;
  drawInterval(ctx, scene, area, accent, 0);
}

// Two lines across all tracks with the time between them.
function drawInterval(ctx: Ctx, scene: Scene, span: Interval, color: string, shade: number): void {
  const x0 = xOf(scene, span.from), x1 = xOf(scene, span.to);
  if (x1 < 0 || x0 > scene.width) return;
  const left = Math.max(-2, x0), right = Math.min(scene.width + 2, x1);
  ctx.fillStyle = color;
  ctx.globalAlpha = shade;
  if (shade > 0) ctx.fillRect(left, kAxisHeight, right - left, scene.height);
  ctx.globalAlpha = 1;
  ctx.fillRect(left, kAxisHeight, 1, scene.height);
  ctx.fillRect(right - 1, kAxisHeight, 1, scene.height);
  if (span.to > span.from) drawTag(ctx, scene, formatDuration(span.to - span.from), (left + right) / 2, color);
}

// Above the tracks, on the axis: a flag at the mark's begin.
function drawMarkName(ctx: Ctx, scene: Scene, mark: Mark): void {
  const x = xOf(scene, mark.from), { ink } = scene.colors;
  if (x < -2 || x > scene.width) return;
  const text = cutToFit(shownName(mark.name), 160, (one) => widthOf(ctx, one)), y = kAxisHeight + scene.lanes.pinnedHeight + 26;
  const width = widthOf(ctx, text) + 2 * kPad, left = Math.min(x, scene.width - width);
  ctx.fillStyle = ink.accent;
  ctx.fillRect(left, y, width, 16);
  ctx.fillStyle = ink.page;
  ctx.fillText(text, left + kPad, y + 8);
}

function drawTag(ctx: Ctx, scene: Scene, text: string, middle: number, color: string): void {
  const width = widthOf(ctx, text) + 10, y = kAxisHeight + scene.lanes.pinnedHeight + 6;
  const x = Math.min(Math.max(middle - width / 2, 2), Math.max(2, scene.width - width - 2));
  ctx.fillStyle = scene.colors.ink.page;
  ctx.fillRect(x, y, width, 18);
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.strokeRect(x + 0.5, y + 0.5, width - 1, 17);
  ctx.fillStyle = scene.colors.ink.text;
  ctx.fillText(text, x + 5, y + 9);
}

// --- the axis ---

function drawAxis(ctx: Ctx, scene: Scene): void {
  const { ink } = scene.colors;
  ctx.fillStyle = ink.panel;
  ctx.fillRect(0, 0, scene.width, kAxisHeight - 1);
  ctx.fillStyle = ink.line;
  ctx.fillRect(0, kAxisHeight - 1, scene.width, 1);
  const step = tickStep(scene.view.to - scene.view.from, scene.width / kTickRoom);
  for (const tick of ticks(scene.view.from, scene.view.to, step)) {
    const x = Math.round(xOf(scene, tick));
    ctx.fillStyle = ink.line;
    ctx.fillRect(x, kAxisHeight - 8, 1, 8);
    ctx.globalAlpha = 0.35;
    ctx.fillRect(x, kAxisHeight, 1, scene.height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = ink.faint;
    ctx.fillText(formatTime(tick, step), x + 4, kAxisHeight / 2);
  }
  if (scene.lanes.pinnedHeight > 0) {
    ctx.fillStyle = ink.text;
    ctx.fillRect(0, kAxisHeight + scene.lanes.pinnedHeight - 1, scene.width, 1);
  }
}
