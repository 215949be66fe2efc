// Polls the list of runs and their progress: often while a run loads, else rarely, so that new runs appear.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem, Source, State } from "../data/source";
import { problemOf } from "./load";

const kWhileLoading = 300;
const kIdle = 5000;

const loads = (state: State) => state.runs.some((run) => run.state === "waiting" || run.state === "loading");

// `look` asks at once.
export function useServerState(source: Source): { state: State | undefined; problem: Problem | undefined; look: () => Promise<void> } {
  const look = useRef<() => Promise<void>>(() => Promise.resolve());
  const [held, setHeld] = useState<{ state: State | undefined; problem: Problem | undefined }>({ state: undefined, problem: undefined });
  useLayoutEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    let last = "";
    const ask = async () => {
      let wait = kIdle;
      try {
        const state = await source.state(abort.signal);
        const text = JSON.stringify(state);
        if (text !== last) setHeld({ state, problem: undefined }); // an unchanged answer redraws nothing
        last = text;
        if (loads(state)) wait = kWhileLoading;
      } catch (error) {
        if (abort.signal.aborted) return;
        last = "";
        setHeld(({ state }) => ({ state, problem: problemOf(error, "api/state") }));
      }
      if (source.live && !abort.signal.aborted) timer = window.setTimeout(ask, wait);
    };
    look.current = () => {
      clearTimeout(timer);
      return ask();
    };
    void ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [source]);
  return { ...held, look: () => look.current() };
}
