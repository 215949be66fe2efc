// Draws the palette's patterns on canvases, equal to the style sheet's.
import type { Kind } from "../data/report";
import { colorOf, kLooks, textColorOn, type Pattern } from "../shell/palette";
import type { Theme } from "../shell/theme";

const kSize = 8;

const kStrokes: Readonly<Record<Pattern, readonly (readonly [number, number, number, number])[]>> = {
  solid: [],
  outline: [],
  stripes: [[-2, 10, 10, -2], [-2, 2, 2, -2], [6, 10, 10, 6]],
  backstripes: [[-2, -2, 10, 10], [6, -2, 10, 2], [-2, 6, 2, 10]],
  cross: [[0, 0, 8, 8], [0, 8, 8, 0]],
  bars: [[4, 0, 4, 8]],
  waves: [[0, 4, 8, 4]],
  dots: [[2, 4, 4, 4]],
};

const made = new Map<string, CanvasPattern | string>();

export function fillOf(context: CanvasRenderingContext2D, kind: Kind, theme: Theme): CanvasPattern | string {
  const key = `${kind} ${theme}`;
  const before = made.get(key);
  if (before) return before;
  const tile = document.createElement("canvas");
  tile.width = tile.height = kSize;
  const drawing = tile.getContext("2d");
  if (!drawing) return colorOf(kind, theme);
  drawing.fillStyle = colorOf(kind, theme);
  drawing.fillRect(0, 0, kSize, kSize);
  drawing.globalAlpha = 0.35;
  drawing.strokeStyle = textColorOn(kind, theme);
  drawing.lineWidth = 1.4;
  for (const [x0, y0, x1, y1] of kStrokes[kLooks[kind].pattern]) {
    drawing.beginPath();
    drawing.moveTo(x0, y0);
    drawing.lineTo(x1, y1);
    drawing.stroke();
  }
  const pattern = context.createPattern(tile, "repeat") ?? colorOf(kind, theme);
  made.set(key, pattern);
  return pattern;
}
