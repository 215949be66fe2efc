// Selects the language of the page's texts. `en` defines the keys; the build fails unless `ja` has the same. Reports stay
// in English.
import { makeStore, remember, remembered, useStore } from "../shell/store";
import { en } from "./en";
import { ja } from "./ja";

export type TextKey = keyof typeof en;
export type Language = "en" | "ja";
export type TextArgs = Readonly<Record<string, string | number>>;

const texts: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en, ja };

function first(): Language {
  const kept = remembered("language");
  if (kept === "en" || kept === "ja") return kept;
  return typeof navigator !== "undefined" && navigator.language.startsWith("ja") ? "ja" : "en";
}

const language = makeStore<Language>(first());

// The text of a key; "{name}" in it is replaced by args.name.
export function t(key: TextKey, args: TextArgs = {}): string {
  return texts[language.get()][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(args[name] ?? whole));
}

export function followLanguage(): void {
  const apply = () => {
    document.documentElement.lang = language.get();
  };
  language.watch(apply);
  apply();
}

export function chooseLanguage(next: Language): void {
  remember("language", next);
  language.set(next);
}

export const useLanguage = (): Language => useStore(language);
