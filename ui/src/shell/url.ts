// Keeps the page's whole state in the URL's hash, so that a link reproduces the page.
//
//   #/run/3f9a/timeline?steps=3..7&ranks=0,2&from=120&to=480
//    \_______ path ____/ \_______________ query ___________/
//
// Keys that govern every page (below) stay when the reader goes from one page to another; all
// others belong to the page they were set on.
import { useCallback } from "preact/hooks";
import { makeStore, useStore } from "./store";

export const kGoverning = ["steps", "ranks", "with", "job"] as const;

export type Query = Readonly<Record<string, string>>;

export interface Place {
  readonly path: readonly string[];
  readonly query: Query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % of a hand-written URL
  }
}

export function parseHash(hash: string): Place {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const path = (cut < 0 ? text : text.slice(0, cut)).split("/").filter(Boolean).map(decode);
  const query: Record<string, string> = {};
  for (const part of cut < 0 ? [] : text.slice(cut + 1).split("&")) {
    const equals = part.indexOf("=");
    if (equals > 0) query[decode(part.slice(0, equals))] = decode(part.slice(equals + 1));
  }
  return { path, query };
}

// Commas, colons and dots stay as they are: a reader should be able to read the URL.
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":");
}

// The same place has the same text: keys are sorted, empty values left out.
export function formatHash(place: Place): string {
  const query = Object.keys(place.query)
    .filter((key) => place.query[key])
    .sort()
    .map((key) => `${encode(key)}=${encode(place.query[key] ?? "")}`);
  return `#/${place.path.map(encode).join("/")}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

const place = makeStore<Place>(parseHash(typeof location === "undefined" ? "" : location.hash));

// "push" makes an entry that Back returns to; "replace" is for what changes while a key is held.
export type How = "push" | "replace";

function go(next: Place, how: How): void {
  const hash = formatHash(next);
  if (hash === formatHash(place.get())) return;
  if (how === "push") history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
  place.set(next);
}

// Begins to follow Back, Forward and links. Called once.
export function followUrl(): void {
  const read = () => place.set(parseHash(location.hash));
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
}

function governing(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const key of kGoverning) {
    const value = place.get().query[key];
    if (value) kept[key] = value;
  }
  return kept;
}

export const currentPlace = (): Place => place.get();
export const watchPlace = (listener: (now: Place) => void): (() => void) => place.watch(listener);
export const usePlace = (): Place => useStore(place);

// The href of another page, with the keys that govern.
export function linkTo(path: readonly string[], query: Query = {}): string {
  return formatHash({ path, query: { ...governing(), ...query } });
}

export function goTo(path: readonly string[], query: Query = {}, how: How = "push"): void {
  go({ path, query: { ...governing(), ...query } }, how);
}

// Changes some keys of the current place; an empty value removes the key.
export function setQuery(changes: Query, how: How = "push"): void {
  go({ path: place.get().path, query: { ...place.get().query, ...changes } }, how);
}

// One key of the current place, like useState. A value equal to `fallback` is left out of the URL.
export function useUrlState(
  key: string,
  fallback: string,
): [string, (value: string, how?: How) => void] {
  const value = usePlace().query[key] ?? fallback;
  const set = useCallback(
    (next: string, how: How = "push") => setQuery({ [key]: next === fallback ? "" : next }, how),
    [key, fallback],
  );
  return [value, set];
}
