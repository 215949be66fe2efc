// Tests changes and chains of lateness as they are read from tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell, Column, Table, Unit } from "../src/data/report";
import type { TimelineInfo } from "../src/data/source";
import { chainsOf, onAxis, placesOf, queryOf } from "../src/views/chain";
import { changesOf, holds, partsOf, withChange } from "../src/views/changes";
import { fakeInfo } from "./fake_timeline";

const column = (key: string, unit: Unit = "ns"): Column => ({ key, title: key, unit, role: "value" });
const tableOf = (columns: Column[], ...rows: Cell[][]): Table => ({ key: "t", title: "T", columns, rows });

test("a set of changes is a text, to which and from which changes are taken", () => {
  assert.deepEqual(partsOf(" link: x2 ;; input: no wait;"), ["link: x2", "input: no wait"]);
  assert.equal(withChange("", "link: x2", true), "link: x2");
  assert.equal(withChange("link: x2", "rank 3: all x0.5; rank 5: all x0.5", true), "link: x2; rank 3: all x0.5; rank 5: all x0.5");
  assert.equal(withChange("link: x2; rank 3: all x0.5; rank 5: all x0.5", "rank 3: all x0.5; rank 5: all x0.5", false), "link: x2");
  assert.equal(withChange("link: x2", "link: x2", true), "link: x2");
  assert.ok(holds(["a", "b", "c"], "c; a") && !holds(["a"], "a; b"));
});

const kChanges = [column("change", ""), ...["step_time", "recorded", "saved"].map((key) => column(key)), column("saved_ratio", "ratio"), column("error"), column("since_step", ""), column("critical_rank", ""), column("bound_by", "")];

test("a change says what it saves of which step, how surely, and what bounds the job then", () => {
  const [one, two, three, none] = changesOf(tableOf(kChanges,
    ["rank 3: all = median of ranks", 5057202, 6645324, 1588122, 0.239, 1647, 2, 4, "gpu_compute"], ["link: x0.5", 7e6, 6e6, -1e6, -0.1667, 1500, null, null, null],
    ["far", "9007199254740993", "9007199254740995", 2, 0, 0, null, 0, "host"], ["unknown", null, 6e6, null, null, null, null, null, null]));
  assert.equal(one!.words, "6.65 ms → 5.06 ms: saves 1.59 ms ± 1.65 µs (23.9%), mean since step 2; then critical: rank 4, bound by gpu_compute");
  assert.equal(two!.words, "6.00 ms → 7.00 ms: takes 1.00 ms ± 1.50 µs longer");
  assert.ok(three!.before.number! > 9e15);
  assert.equal(none, undefined);
  assert.deepEqual(changesOf(undefined), []);
});

const kChain = [column("origin", ""), column("link", ""), column("rank", ""), column("step", ""), column("event", ""), column("waited"), column("time")];
const kEpoch = 1_700_000_000_000_000_000n;

// Two ranks; the clock of the second is 500 ns ahead and loses a tenth.
function info(): TimelineInfo {
  const made = fakeInfo([{ rank: 0 }, { rank: 1, events: [{ start: 0, duration: 1000 }] }, { rank: 1 }]);
  return { ...made, ranks: [{ ...made.ranks[0]!, own_begin: `${kEpoch}`, own_end: `${kEpoch + 1000n}` }, { ...made.ranks[1]!, own_begin: 500, own_end: 1400 }] };
}

test("a moment of a rank's clock has its place on the axis, beyond 2^53 too", () => {
  assert.deepEqual(onAxis(info(), 0, `${kEpoch + 7n}`), { rankIndex: 0, at: 7 });
  assert.deepEqual(onAxis(info(), 1, 950), { rankIndex: 1, at: 500 });
  for (const time of [null, "", "x", 1401, 499, 1.5]) assert.equal(onAxis(info(), 1, time), null, String(time));
  assert.equal(onAxis(info(), 7, 950), null);
});

test("a chain goes from link to link, and each opens the timeline there, with streams of its ranks on top", () => {
  const table = tableOf(kChain, [0, 0, 0, 3, "gemm", 0, `${kEpoch + 100n}`], [0, 1, 1, null, "", 200, 950], [1, 0, 1, 3, "copy", 0, 500]);
  const [chain, other] = chainsOf(table, info());
  assert.deepEqual([chain!.origin, other!.origin, chain!.links.map(({ step, event, waited }) => [step, event, waited])], ["0", "1", [["3", "gemm", 0], ["-", "-", 200]]]);
  assert.deepEqual(placesOf(chain!, info()), [{ rankIndex: 0, at: 100 }, { rankIndex: 1, at: 500 }]);
  const query = queryOf(chain!, info(), chain!.links[1]!.place!);
  assert.deepEqual(query, { from: "-500", to: "1500", marks: "500", pins: "1,2,0", chain: "0:100,1:500" });
});

test("clocks that are not aligned are not compared, and no timeline is no place", () => {
  const table = tableOf(kChain, [0, 0, 0, 3, "gemm", 0, `${kEpoch}`], [0, 1, 1, 3, "", 200, 950]), apart = info();
  const unaligned = { ...apart, ranks: apart.ranks.map((rank) => ({ ...rank, aligned: false })) };
  assert.equal(placesOf(chainsOf(table, unaligned)[0]!, unaligned), null);
  assert.equal(chainsOf(table, undefined)[0]!.links[0]!.place, null);
});
