// Defines the colors of pictures: Okabe and Ito's palette, safe for common color blindness, adjusted for contrast on each
// background. Every kind also has a name and a pattern.
import { kKinds, type Kind } from "../data/report";

export type Theme = "light" | "dark";

export type Pattern = "solid" | "stripes" | "dots" | "cross" | "backstripes" | "outline" | "bars" | "waves";

export interface Look {
  readonly light: string;
  readonly dark: string;
  readonly onLight: string;  // text upon it
  readonly onDark: string;
  readonly pattern: Pattern;
}

const look = (light: string, dark: string, onLight: string, onDark: string, pattern: Pattern): Look =>
  ({ light, dark, onLight, onDark, pattern });

export const kLooks: Readonly<Record<Kind, Look>> = {
  compute: look("#00795c", "#2bb890", "#ffffff", "#06231b", "solid"),
  communication: look("#0064a8", "#56a8e4", "#ffffff", "#04182a", "stripes"),
  memory: look("#9a5b93", "#d493c6", "#ffffff", "#2a0f25", "dots"),
  overlap: look("#2f7f7f", "#6cc7c0", "#ffffff", "#042321", "cross"),
  forward: look("#2e7d32", "#66bb6a", "#ffffff", "#06231b", "solid"),
  backward: look("#0b7285", "#5cc8de", "#ffffff", "#04222a", "bars"),
  optimizer: look("#7a4fa3", "#b99be0", "#ffffff", "#1d0f2e", "waves"),
  launch: look("#3f51b5", "#93a0f0", "#ffffff", "#0c1236", "waves"),
  host: look("#806200", "#c08a3e", "#ffffff", "#2a1f00", "bars"),
  compilation: look("#5c6f7b", "#93a9b6", "#ffffff", "#101a20", "cross"),
  input: look("#c0301a", "#f0805a", "#ffffff", "#2e0d02", "backstripes"),
  output: look("#8c564b", "#c99a8f", "#ffffff", "#241210", "dots"),
  wait: look("#f0e05a", "#f2e88a", "#1c1200", "#1f1400", "backstripes"),
  idle: look("#c9ccd1", "#4a4f57", "#1c1f24", "#f2f3f5", "outline"),
  // Parts of a job's time share no picture with the above, but for input and other.
  productive: look("#00795c", "#2bb890", "#ffffff", "#06231b", "solid"),
  in_progress: look("#2f7f7f", "#6cc7c0", "#ffffff", "#042321", "cross"),
  startup: look("#806200", "#c08a3e", "#ffffff", "#2a1f00", "bars"),
  checkpoint: look("#9a5b93", "#d493c6", "#ffffff", "#2a0f25", "dots"),
  wasted: look("#8e1b1b", "#e0605a", "#ffffff", "#2a0606", "stripes"),
  recovery: look("#f0e05a", "#f2e88a", "#1c1200", "#1f1400", "backstripes"),
  elastic: look("#3f51b5", "#93a0f0", "#ffffff", "#0c1236", "waves"),
  queued: look("#c9ccd1", "#4a4f57", "#1c1f24", "#f2f3f5", "outline"),
  custom: look("#7a4fa3", "#b99be0", "#ffffff", "#1d0f2e", "waves"),
  excluded: look("#5c6f7b", "#93a9b6", "#ffffff", "#101a20", "cross"),
  other: look("#6b717b", "#9aa1ac", "#ffffff", "#15181c", "solid"),
};

export const colorOf = (kind: Kind, theme: Theme): string => kLooks[kind][theme];
export const textColorOn = (kind: Kind, theme: Theme): string =>
  theme === "light" ? kLooks[kind].onLight : kLooks[kind].onDark;

// What everything else is drawn with, on canvases as in the style sheet.
export const kInk = {
  light: { page: "#ffffff", panel: "#f5f6f8", line: "#d4d8de", text: "#1c1f24", faint: "#545b66", accent: "#0b57d0", select: "#b3261e" },
  dark: { page: "#15181c", panel: "#1d2126", line: "#3a414b", text: "#e6e8eb", faint: "#a9b1bd", accent: "#8ab4f8", select: "#ff8a80" },
} as const;

// From little to much, one hue, by lightness: heat maps.
export const kRamp: Readonly<Record<Theme, readonly [string, string]>> = {
  light: ["#eef3f9", "#08417c"],
  dark: ["#232a33", "#9fd0ff"],
};

// For curves that are of no kind: one for each rank, in this order; each with dashes of its own beside it.
export const kCurves: Readonly<Record<Theme, readonly string[]>> = {
  light: ["#0064a8", "#c0301a", "#00795c", "#9a5b93", "#806200", "#3f51b5", "#6b717b", "#2f7f7f"],
  dark: ["#56a8e4", "#f0805a", "#2bb890", "#d493c6", "#dcb13a", "#93a0f0", "#9aa1ac", "#6cc7c0"],
};

// Gives the style sheet the same colors, as variables of the page: --k-compute, --on-compute, --line; and each kind a class.
export function applyPalette(theme: Theme): void {
  const classes = new CSSStyleSheet();
  for (const kind of kKinds) classes.insertRule(`.k-${kind}{--look:var(--k-${kind});--ink:var(--on-${kind})}`);
  document.adoptedStyleSheets = [classes];
  const style = document.documentElement.style;
  for (const kind of kKinds) {
    style.setProperty(`--k-${kind}`, colorOf(kind, theme));
    style.setProperty(`--on-${kind}`, textColorOn(kind, theme));
  }
  for (const [name, color] of Object.entries(kInk[theme])) style.setProperty(`--${name}`, color);
}
