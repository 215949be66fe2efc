// Requests what the page always needs before the rest of the script starts: main.tsx imports this first. A later fetch of
// the same address takes over the request.

// What a page at this hash asks for first: the runs there are, and the timeline that the hash names.
export function firstAddresses(hash: string): string[] {
  const run = /^#\/run\/([^/?]+)\/timeline(?:\?|$)/.exec(hash)?.[1];
  return ["api/state", ...(run ? [`api/runs/${run}/timeline`] : [])];
}

export interface Early {
  // The answer that is under way, once. It is given up when `signal` says so, as if it were asked for now.
  take(url: string, signal: AbortSignal | undefined): Promise<Response> | undefined;
  // The page is at this hash now: what nobody has taken, and it does not begin with, is given up.
  moveTo(hash: string): void;
}

export function askEarly(urls: readonly string[], ask: (url: string, init: RequestInit) => Promise<Response>): Early {
  const asked = new Map(urls.map((url) => {
    const abort = new AbortController();
    const answer = ask(url, { signal: abort.signal, credentials: "same-origin" });
    answer.catch(() => undefined);  // whoever takes it is told
    return [url, { answer, abort }] as const;
  }));
  return {
    take(url, signal) {
      const early = asked.get(url);
      asked.delete(url);
      if (!early) return undefined;
      const giveUp = () => early.abort.abort(signal?.reason);
      if (signal?.aborted) giveUp();
      else signal?.addEventListener("abort", giveUp, { once: true });
      return early.answer;
    },
    moveTo(hash) {
      const wanted = firstAddresses(hash);
      for (const [url, { abort }] of asked) {
        if (wanted.includes(url)) continue;
        asked.delete(url);
        abort.abort();
      }
    },
  };
}

// A report.html asks nobody, and tests have no page.
const asks = typeof document !== "undefined" && !document.getElementById("stepscope-data");

export const early: Early = askEarly(asks ? firstAddresses(location.hash) : [], (url, init) => fetch(url, init));
