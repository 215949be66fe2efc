// Tests which match is next and its place among all.
import assert from "node:assert/strict";
import test from "node:test";
import { placeIn, readOn, stepIn } from "../src/timeline/search";

const match = (track: number, start = 5) => ({ track, event: 0, start, duration: 1, name: "a" });

test("the next match is the one after the selected, though others begin with it", () => {
  const answer = { total: 9, place: 4, matches: [match(0), match(1), match(2)] };
  assert.equal(readOn(answer, 1, match(1)).at, 2);
  assert.equal(readOn(answer, 1, null).at, 0);
  const past = readOn(answer, 1, match(2));
  assert.equal(past.matches[past.at], undefined);
});

test("an answer counts the places of all its matches, backwards too", () => {
  const forth = readOn({ total: 1234, place: 3, matches: [match(0, 1), match(1, 2)] }, 1, null);
  assert.deepEqual([placeIn(forth, match(0)), placeIn(forth, match(1)), placeIn(forth, match(7))], [3, 4, null]);
  const back = readOn({ total: 1234, place: 4, matches: [match(1, 2), match(0, 1)] }, -1, null);
  assert.deepEqual([placeIn(back, match(0)), placeIn(back, match(1))], [3, 4]);
  assert.equal(back.matches[back.at]?.track, 1, "the latest before the time");
  assert.equal(readOn({ total: 2, place: 2, matches: [match(1), match(0)] }, -1, match(1)).at, 0);
});

test("within an answer nobody has to be asked for the next", () => {
  const found = readOn({ total: 9, place: 4, matches: [match(0), match(1), match(2)] }, 1, null);
  assert.equal(stepIn(found, match(1), 1)?.track, 2);
  assert.equal(stepIn(found, match(1), -1)?.track, 0);
  assert.deepEqual([stepIn(found, match(2), 1), stepIn(found, match(0), -1), stepIn(found, match(8), 1)], [undefined, undefined, undefined]);
});

test("nothing found has no place", () => {
  const none = readOn({ total: 0, place: 0, matches: [] }, 1, null);
  assert.equal(none.matches[none.at], undefined);
  assert.equal(placeIn(none, match(0)), null);
});
