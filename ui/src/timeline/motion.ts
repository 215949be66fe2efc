// Moves the view smoothly while a key is held and animates jumps, unless the reader prefers reduced motion.
import type { View } from "./levels";
import { pan, zoomAt } from "./view";

const kZoomPerSecond = 4;     // the exponent: e^4 in a second
const kPanPerSecond = 1.2;    // views
const kLeastMs = 110;         // that a short press lasts
const kGlideMs = 160;

export type Push = "in" | "out" | "left" | "right";

interface Held { readonly since: number; released: boolean }

export class Motion {
  private readonly held = new Map<Push, Held>();
  private glide: { readonly from: View; readonly to: View; readonly since: number } | null = null;
  private last = 0;

  constructor(private readonly calm: () => boolean) {}

  get moving(): boolean { return this.held.size > 0 || this.glide !== null; }

  press(push: Push, now: number): void {
    this.glide = null;
    if (this.held.size === 0) this.last = now;
    this.held.set(push, { since: now, released: false });
  }

  release(push: Push): void {
    const held = this.held.get(push);
    if (held) held.released = true;
  }

  // Everything stops, as when the pointer takes over.
  stop(): void {
    this.held.clear();
    this.glide = null;
  }

  // On the way from one view to another.
  glideTo(from: View, to: View, now: number): void {
    this.held.clear();
    this.glide = { from, to, since: this.calm() ? now - kGlideMs : now };
  }

  // The view at `now`; `at` is the time that zooming keeps in place.
  step(view: View, at: number, end: number, now: number): View {
    if (this.glide) return this.glided(now);
    let next = view;
    for (const [push, held] of [...this.held]) {
      const until = held.released ? Math.min(now, held.since + kLeastMs) : now;
      const seconds = this.calm() && held.released ? 0.1 : Math.max(0, Math.min(100, until - this.last)) / 1000;
      next = moved(next, push, seconds, at, end);
      if (held.released && now >= held.since + kLeastMs) this.held.delete(push);
      else if (this.calm() && held.released) this.held.delete(push);
    }
    this.last = now;
    return next;
  }

  private glided(now: number): View {
    const { from, to, since } = this.glide!;
    const part = Math.min(1, Math.max(0, (now - since) / kGlideMs));
    if (part >= 1) {
      this.glide = null;
      return to;
    }
    const ease = 1 - (1 - part) ** 3;
    return { from: from.from + (to.from - from.from) * ease, to: from.to + (to.to - from.to) * ease };
  }
}

function moved(view: View, push: Push, seconds: number, at: number, end: number): View {
  switch (push) {
    case "in": return zoomAt(view, at, Math.exp(-kZoomPerSecond * seconds), end);
    case "out": return zoomAt(view, at, Math.exp(kZoomPerSecond * seconds), end);
    case "left": return pan(view, -kPanPerSecond * seconds, end);
    case "right": return pan(view, kPanPerSecond * seconds, end);
  }
}
