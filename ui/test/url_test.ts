// Tests the hash as the page's state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatHash, parseHash } from "../src/shell/url";
import { routeOf } from "../src/shell/routes";

test("a place survives its text", () => {
  const place = { path: ["run", "3f9a", "report", "a b/c"], query: { steps: "3..7", ranks: "0,2", "find.top": "50% & more=?" } };
  const hash = formatHash(place);
  assert.equal(hash, "#/run/3f9a/report/a%20b%2Fc?find.top=50%25%20%26%20more%3D%3F&ranks=0,2&steps=3..7");
  assert.deepEqual(parseHash(hash), place);
});

test("the same place has the same text, without empty values", () => {
  assert.equal(formatHash({ path: ["run", "1"], query: { b: "2", a: "1", c: "" } }), "#/run/1?a=1&b=2");
});

test("a hash written by hand does no harm", () => {
  assert.deepEqual(parseHash("#run/1?x=%&=y&z"), { path: ["run", "1"], query: { x: "%" } });
  assert.deepEqual(parseHash(""), { path: [], query: {} });
});

test("paths are pages", () => {
  assert.deepEqual(routeOf(["run", "1"]), { page: "home", run: "1" });
  assert.deepEqual(routeOf(["run", "1", "report", "flops"]), { page: "report", run: "1", name: "flops" });
  assert.deepEqual(routeOf(["run", "1", "compare"]), { page: "compare", run: "1", name: "" });
  assert.deepEqual(routeOf(["ledger", "2", "goodput"]), { page: "ledger", ledger: "2", name: "goodput" });
  assert.deepEqual(routeOf(["run"]), { page: "none" });
  assert.deepEqual(routeOf(["elsewhere", "1"]), { page: "none" });
});
