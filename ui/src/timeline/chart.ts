// Draws a frame of the timeline when something changed.
import { firstPictureIsThere } from "../shell/first_picture";
import { currentTheme, watchTheme } from "../shell/theme";
import { makeColors, type Colors } from "./colors";
import type { Controller } from "./controller";
import { hitAt, type Hit } from "./hit";
import { drawOverlay } from "./overlay";
import { lanesInSight, Painter } from "./painter";
import { kMinimapHeight, Minimap } from "./minimap";
import type { Draft, Scene } from "./scene";

// What a chart draws upon, and tells others.
export interface Stage {
  readonly canvas: HTMLCanvasElement;
  readonly minimap: HTMLCanvasElement;
  readonly drawn: (scene: Scene) => void;  // after each frame
}

export const kCompleteMark = "timeline complete";

const kFirstMs = 150;  // that the first picture waits for its tiles: an empty one would only delay them

export class Chart {
  pointer: { readonly x: number; readonly y: number } | null = null;
  draft: Draft | null = null;
  scene: Scene | null = null;  // of the last frame
  private complete = false;
  private waits = true;  // for the first tiles
  private readonly painter: Painter;
  private readonly minimap: Minimap;
  private colors: Colors;
  private requested = 0;
  private readonly undo: (() => void)[] = [];

  constructor(readonly controller: Controller, private readonly stage: Stage) {
    this.painter = new Painter(controller.loader);
    this.minimap = new Minimap(controller);
    this.colors = makeColors(controller.info.column_kinds, currentTheme());
    controller.onDirty = () => this.dirty();
    this.undo.push(watchTheme((theme) => {
      this.colors = makeColors(controller.info.column_kinds, theme);
      this.dirty();
    }));
    const resized = new ResizeObserver(() => this.dirty());
    for (const canvas of [stage.canvas, stage.minimap]) resized.observe(canvas);
    this.undo.push(() => resized.disconnect(), () => cancelAnimationFrame(this.requested));
    this.askFirst();
    const late = setTimeout(() => { this.waits = false; this.dirty(); }, kFirstMs);
    this.undo.push(() => clearTimeout(late));
    this.dirty();
  }

  // Asks for the tiles of the first picture before it is drawn.
  private askFirst(): void {
    const { controller } = this;
    controller.size = this.fitCanvases();
    controller.loader.begin();
    this.painter.want(this.base(controller.size));
    this.minimap.want(this.stage.minimap);
    controller.loader.end(performance.now());
  }

  stop(): void {
    for (const undo of this.undo) undo();
    this.controller.onDirty = () => undefined;
  }

  dirty(): void {
    if (this.waits && this.controller.loader.busy > 0) return;
    this.waits = false;
    if (this.requested === 0) this.requested = requestAnimationFrame((now) => this.frame(now));
  }

  hit(): Hit | undefined {
    const { scene, pointer } = this;
    return scene && pointer ? hitAt(scene, this.controller.loader, pointer.x, pointer.y) : undefined;
  }

  private frame(now: number): void {
    this.requested = 0;
    const { controller } = this;
    const size = this.fitCanvases();
    if (size.width < 1 || size.height < 1) return;
    controller.size = size;
    if (controller.motion.moving) {
      const at = controller.anchor ?? (controller.view.from + controller.view.to) / 2;
      controller.view = controller.motion.step(controller.view, at, controller.info.end, now);
      if (controller.motion.moving) this.dirty();
    }
    controller.loader.begin();
    this.draw(size);
    this.minimap.paint(this.stage.minimap, this.colors, size.dpr);
    controller.loader.end(performance.now());
    this.followHits();
    this.tellWhenComplete();
    if (this.scene) this.stage.drawn(this.scene);
  }

  // Where the matches of the search are that are on the screen.
  private followHits(): void {
    const { scene, controller } = this;
    if (!scene) return;
    const { search } = controller.state.get(), lanes = search.q ? [...lanesInSight(scene), ...scene.lanes.pinned] : [];
    const tracks = lanes.flatMap((lane) => (lane.counter ? [] : lane.tracks));
    controller.hits.follow(search, { view: scene.view, width: scene.width, tracks: [...new Set(tracks)].sort((a, b) => a - b) });
  }

  // Says once when the first picture has all its tiles; what measures the page waits for it.
  private tellWhenComplete(): void {
    if (this.complete || this.controller.loader.busy > 0 || this.controller.loader.missing > 0) return;
    this.complete = true;
    performance.mark(kCompleteMark);
    firstPictureIsThere();
  }

  private draw(size: { readonly width: number; readonly height: number; readonly dpr: number }): void {
    const ctx = this.stage.canvas.getContext("2d", { alpha: false });
    if (!ctx) return;
    const base = this.base(size);
    const { image, labels } = this.painter.paint(base);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.putImageData(image, 0, 0);
    this.scene = base;
    const hit = this.hit();
    if (this.pointer) this.scene = { ...base, hover: { box: hit?.what === "box" ? hit.at : null, x: this.pointer.x } };
    drawOverlay(ctx, this.scene, labels);
  }

  // All but what is under the pointer.
  private base(size: { readonly width: number; readonly height: number; readonly dpr: number }): Scene {
    const { controller } = this, { selected, measure, area, marks, chain } = controller.state.get();
    return {
      info: controller.info, view: controller.view, ...size, scroll: controller.scroll, lanes: controller.lanes,
      colors: this.colors, selected, measure, area, draft: this.draft, marks, chain, hits: controller.hits.rows, hover: null,
    };
  }

  // Gives both canvases as many pixels as the screen has for them.
  private fitCanvases(): { width: number; height: number; dpr: number } {
    const dpr = Math.min(3, Math.max(0.5, devicePixelRatio || 1));
    const { clientWidth: width, clientHeight: height } = this.stage.canvas;
    resize(this.stage.canvas, Math.round(width * dpr), Math.round(height * dpr));
    resize(this.stage.minimap, Math.round(this.stage.minimap.clientWidth * dpr), Math.round(kMinimapHeight * dpr));
    return { width, height, dpr };
  }
}

function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
