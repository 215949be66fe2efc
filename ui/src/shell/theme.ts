// Applies the light or dark theme: the reader's choice, else the system's. Style sheets read it from <html>, canvases watch
// the store.
import { applyPalette, type Theme } from "./palette";
import { makeStore, remember, remembered, useStore } from "./store";

export type { Theme };
export type ThemeChoice = Theme | "system";

const onPaper = typeof matchMedia === "undefined" ? null : matchMedia("print");
const prefersDark = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");

function chosen(): ThemeChoice {
  const kept = remembered("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

function effective(choice: ThemeChoice): Theme {
  if (onPaper?.matches) return "light";
  return choice === "system" ? (prefersDark?.matches ? "dark" : "light") : choice;
}

const choice = makeStore<ThemeChoice>(chosen());
const theme = makeStore<Theme>(effective(choice.get()));

function apply(): void {
  theme.set(effective(choice.get()));
  document.documentElement.dataset["theme"] = theme.get();
  applyPalette(theme.get());
}

export function followTheme(): void {
  prefersDark?.addEventListener("change", apply);
  onPaper?.addEventListener("change", apply);
  choice.watch(apply);
  apply();
}

export function chooseTheme(next: ThemeChoice): void {
  remember("theme", next);
  choice.set(next);
}

export const currentTheme = (): Theme => theme.get();
export const watchTheme = (listener: (theme: Theme) => void): (() => void) => theme.watch(listener);
export const useTheme = (): Theme => useStore(theme);
export const useThemeChoice = (): ThemeChoice => useStore(choice);
