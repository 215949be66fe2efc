// Converts the palette to pixel values. A paint is a kind and a shade; the shade depends on the name, so that neighbors of
// one kind stay distinct.
import { kindNamed } from "../data/report";
import { colorOf, kInk, kLooks, textColorOn, type Pattern } from "../shell/palette";
import type { Theme } from "../shell/theme";
import { abgr, makeLut, mix } from "./raster";

const kPaintsOfKind = 5;  // four shades by name, and the edge

export const paintOf = (kind: number, shade: number): number => kind * kPaintsOfKind + shade;
export const edgeOf = (kind: number): number => kind * kPaintsOfKind + 4;

export interface Colors {
  readonly theme: Theme;
  readonly ink: Record<keyof (typeof kInk)["light"], string>;
  readonly lut: Uint32Array;
  readonly plain: Uint16Array;    // the paint of each kind that a tile may name, without a shade
  readonly kinds: number;         // numbers from here on are drawn as the last, "other"
  readonly text: readonly string[];         // on a box of the kind
  readonly pattern: readonly Pattern[];
  readonly patternInk: readonly number[];   // by kind
  readonly page: number;
  readonly band: number;    // every second step
  readonly head: number;    // the line of a rank or a group
  readonly grid: number;
  readonly curve: number;   // a counter's band from low to high
  readonly under: number;   // the area below its last value
}

export function makeColors(columnKinds: readonly string[], theme: Theme): Colors {
  const kinds = [...columnKinds.map(kindNamed), "other" as const];
  const ink = kInk[theme];
  const page = abgr(ink.page), text = abgr(ink.text), curve = abgr(ink.accent);
  // Away from the page, so that the text upon a box keeps its contrast.
  const shades = (base: number): number[] => {
    const away = theme === "light" ? 0xff000000 : 0xffffffff;
    return [0, 0.09, 0.18, 0.27].map((share) => mix(base, away, share));
  };
  const bases = kinds.map((kind) => abgr(colorOf(kind, theme)));
  return {
    theme, ink, page, curve,
    lut: makeLut(bases.flatMap((base) => [...shades(base), mix(base, page, 0.55)]), page),
    plain: Uint16Array.from({ length: 256 }, (_, kind) => paintOf(Math.min(kind, kinds.length - 1), 0)),
    kinds: kinds.length,
    text: kinds.map((kind) => textColorOn(kind, theme)),
    pattern: kinds.map((kind) => kLooks[kind].pattern),
    patternInk: bases.map((base, at) => mix(base, abgr(textColorOn(kinds[at]!, theme)), 0.25)),
    band: mix(page, text, 0.045),
    head: abgr(ink.panel),
    grid: mix(page, text, 0.1),
    under: mix(page, curve, 0.25),
  };
}

// Eight by eight bits for each pattern, a row a byte: where a box shows its pattern.
export const kPatternBits: Readonly<Record<Pattern, readonly number[]>> = {
  solid: [0, 0, 0, 0, 0, 0, 0, 0],
  stripes: [0x03, 0x06, 0x0c, 0x18, 0x30, 0x60, 0xc0, 0x81],
  backstripes: [0xc0, 0x60, 0x30, 0x18, 0x0c, 0x06, 0x03, 0x81],
  dots: [0x00, 0x66, 0x66, 0x00, 0x00, 0x66, 0x66, 0x00],
  cross: [0x81, 0x42, 0x24, 0x18, 0x18, 0x24, 0x42, 0x81],
  outline: [0, 0, 0, 0, 0, 0, 0, 0],
  bars: [0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11],
  waves: [0x18, 0x24, 0x42, 0x81, 0x00, 0x00, 0x00, 0x00],
};
