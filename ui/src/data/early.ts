// Asks the server for what the page is sure to need, before the rest of the script has begun: main.tsx imports this
// first. What a fetch of the same address then finds here is under way or there.

// What a page at this hash asks for first: the runs there are, and the timeline that the hash names.
export function firstAddresses(hash: string): string[] {
  const run = /^#\/run\/([^/?]+)\/timeline(?:\?|$)/.exec(hash)?.[1];
  return ["api/state", ...(run ? [`api/runs/${run}/timeline`] : [])];
}

function ask(): Map<string, Promise<Response>> {
  // A report.html asks nobody, and tests have no page.
  if (typeof document === "undefined" || document.getElementById("stepscope-data")) return new Map();
  return new Map(firstAddresses(location.hash).map((url) => {
    const answer = fetch(url, { credentials: "same-origin" });
    answer.catch(() => undefined);  // whoever takes it is told
    return [url, answer];
  }));
}

const asked = ask();

// The answer that is under way, once.
export function takeEarly(url: string): Promise<Response> | undefined {
  const answer = asked.get(url);
  asked.delete(url);
  return answer;
}
