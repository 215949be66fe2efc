// Selects the language of the page, and holds its own texts. `en` defines the keys; the build fails unless `ja` has the
// same. Reports bring their words with them: data/words.ts.
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
  const asked = typeof document === "undefined" ? undefined : document.documentElement.dataset["language"];  // of report.html
  if (asked === "en" || asked === "ja") return asked;
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

export const currentLanguage = (): Language => language.get();

export const useLanguage = (): Language => useStore(language);
