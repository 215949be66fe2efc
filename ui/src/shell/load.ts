// Loads values by key: keeps the last few, cancels the old load when the key changes, and shows the old value (marked busy)
// until the new one arrives. Answers are in the language that is shown.
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import type { ReportSet } from "../data/report";
import { SourceError, type Problem, type Run, type Source } from "../data/source";
import { inLanguage } from "../data/words";
import { useLanguage } from "../text";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: Problem | undefined;
  readonly busy: boolean;
}

const kKept = 12;
const kept = new Map<string, unknown>();

function keep(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  const oldest = kept.keys().next();
  if (kept.size > kKept && !oldest.done) kept.delete(oldest.value);
}

export function problemOf(error: unknown, where: string): Problem {
  if (error instanceof SourceError) return error.problem;
  return { what: error instanceof Error ? error.message : String(error), where, hint: "" };
}

interface Held<T> extends Loaded<T> {
  readonly key: string;
  readonly scope: string;
}

// `key` null: nothing to load yet. Values of the same `scope` may stand in for one another meanwhile.
export function useLoad<T>(scope: string, key: string | null, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const full = key === null ? null : `${scope} ${key}`;
  const held = useRef<Held<T> | null>(null), [, redraw] = useReducer((count: number) => count + 1, 0);
  if (full !== null && kept.has(full)) held.current = { key: full, scope, value: kept.get(full) as T, problem: undefined, busy: false };  // others may push it out
  useLayoutEffect(() => {  // asked for before the page is drawn without it
    if (full === null || kept.has(full)) return;
    const abort = new AbortController();
    const settle = (value: T | undefined, problem: Problem | undefined) => {
      if (abort.signal.aborted) return;
      if (value !== undefined) keep(full, value);
      held.current = { key: full, scope, value, problem, busy: false };
      redraw(undefined);
    };
    load(abort.signal).then((value) => settle(value, undefined), (error: unknown) => settle(undefined, problemOf(error, full)));
    return () => abort.abort();
  }, [full]);
  if (full === null) return { value: undefined, problem: undefined, busy: false };
  if (held.current?.key === full) return held.current;
  return { value: held.current?.scope === scope ? held.current.value : undefined, problem: undefined, busy: true };
}

// The same of an answer, in the language that is shown.
export function useAnswer(scope: string, key: string | null, load: (signal: AbortSignal) => Promise<ReportSet>): Loaded<ReportSet> {
  const language = useLanguage(), loaded = useLoad(scope, key, load);
  return loaded.value ? { ...loaded, value: inLanguage(loaded.value, language) } : loaded;
}

// The server reads a run when it is asked about it, and may have let go of one since. Asks, until the
// run's state says that it was heard.
export function useWake(source: Source, run: Run | undefined): void {
  const waits = run?.state === "waiting" ? run.id : null;
  useEffect(() => {
    if (waits === null) return;
    const abort = new AbortController();
    source.timeline(waits, abort.signal).catch(() => undefined); // what it answers is asked for again
    return () => abort.abort();
  }, [waits]);
}
