// Tests that early requests are canceled like all others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { askEarly, firstAddresses } from "../src/data/early";

// A server that never answers: it rejects when it is given up.
function silentServer() {
  const signals = new Map<string, AbortSignal>();
  const ask = (url: string, { signal }: RequestInit) =>
    new Promise<Response>((_, reject) => {
      if (!signal) throw new Error("nothing gives it up");
      signals.set(url, signal);
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  const isGivenUp = (url: string) => signals.get(url)?.aborted;
  return { ask, isGivenUp };
}

const kTimeline = "api/runs/3f9a/timeline";
const kAsked = ["api/state", kTimeline];

test("what a page at an address asks for before its script has begun", () => {
  assert.deepEqual(firstAddresses(""), ["api/state"]);
  assert.deepEqual(firstAddresses("#/run/3f9a/report/operators?x=/timeline"), ["api/state"]);
  for (const hash of ["#/run/3f9a/timeline", "#/run/3f9a/timeline?from=1&to=2"]) assert.deepEqual(firstAddresses(hash), kAsked);
  for (const odd of ["#/run//timeline", "#/run/a/b/timeline", "#/run/a/timelines", "#/ledger/a/timeline"]) {
    assert.deepEqual(firstAddresses(odd), ["api/state"], odd);
  }
});

test("it is taken once, and given up with the signal of who took it", async () => {
  const { ask, isGivenUp } = silentServer();
  const early = askEarly(kAsked, ask);
  const abort = new AbortController();
  const answer = early.take(kTimeline, abort.signal);
  assert.ok(answer);
  assert.equal(early.take(kTimeline, undefined), undefined);
  assert.equal(isGivenUp(kTimeline), false);
  abort.abort(new Error("the page moved on"));
  await assert.rejects(answer, /the page moved on/);
  assert.equal(isGivenUp(kTimeline), true);
  assert.equal(isGivenUp("api/state"), false);
});

test("who had given up before taking it gets nothing", async () => {
  const { ask } = silentServer();
  const answer = askEarly(kAsked, ask).take(kTimeline, AbortSignal.abort(new Error("too late")));
  assert.ok(answer);
  await assert.rejects(answer, /too late/);
});

test("what nobody took is given up when the page moves on, what somebody took is theirs", () => {
  const { ask, isGivenUp } = silentServer();
  const early = askEarly(kAsked, ask);
  early.moveTo("#/run/3f9a/timeline?from=5");
  assert.equal(isGivenUp(kTimeline), false);
  early.moveTo("#/run/3f9a/report/operators");
  assert.equal(isGivenUp(kTimeline), true);
  assert.equal(early.take(kTimeline, undefined), undefined);
  assert.equal(isGivenUp("api/state"), false);

  const other = silentServer();
  const taken = askEarly(kAsked, other.ask);
  void taken.take(kTimeline, undefined);
  taken.moveTo("#/run/3f9a");
  assert.equal(other.isGivenUp(kTimeline), false);
});
