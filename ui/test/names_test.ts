// Tests how names are cut, and which are shown shorter; what is drawn of a picture; areas and sequences.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learnNames, shortName } from "../src/data/short_names";
import { fitting, xmlText } from "../src/report/drawing";
import { cutInMiddle, shownCell } from "../src/report/names";
import { layersOf, outlines } from "../src/views/area";
import { boxesOf } from "../src/views/sequences";
import type { ReportSet, Series } from "../src/data/report";

test("a cell shows the short name that the answer gives, and others as they are", () => {
  learnNames({ short_names: { "void a::f<int>(int)": "f<int>" } } as unknown as ReportSet);
  assert.equal(shownCell({ key: "name", unit: "" }, "void a::f<int>(int)"), "f<int>");
  assert.equal(shortName("g"), "g");
  assert.equal(shownCell({ key: "time", unit: "ns" }, 1500), "1.50 µs");
});

test("a name is cut before its end, at whole characters", () => {
  assert.equal(cutInMiddle("abcdefghij", 10), "abcdefghij");
  assert.equal(cutInMiddle("abcdefghijkl", 9), "abcde…jkl");
  assert.equal(cutInMiddle("😀😀😀😀😀😀", 4), "😀😀…😀");
});

test("a drawing says what fits and no more, in XML that can be read", () => {
  const width = (text: string) => 10 * text.length;
  assert.equal(fitting("abcdef", 60, "…", width), "abcdef");
  assert.equal(fitting("abcdef", 40, "…", width), "abc…");
  assert.equal(fitting("abcdef", 40, "", width), "abcd");
  assert.equal(fitting("abcdef", 5, "", width), "");
  assert.equal(xmlText("<a&\"\u0000\ud800😀>"), "&lt;a&amp;&quot;\ufffd\ufffd😀&gt;");
});

const series = (points: readonly (readonly [number, number])[]): Series => ({ key: "k", title: "t", x_unit: "ns", y_unit: "bytes", points });

test("areas hold their value until the next point and begin with none", () => {
  const data = layersOf([["a", series([[0, 2], [10, 4]])], ["b", series([[5, 4]])]]);
  assert.deepEqual(data.places, [0, 5, 10]);
  assert.deepEqual(data.layers.map(({ values }) => values), [[2, 2, 4], [0, 4, 4]]);
  assert.equal(data.high, 8);
  assert.ok(outlines(data)[1]!.startsWith("M0.00000 0.75000L0.50000 0.75000L0.50000 0.25000"), outlines(data)[1]);
});

test("a sequence is a box for each kernel, with how often it comes in a row", () => {
  assert.deepEqual(boxesOf("a | a | b | a"), [{ name: "a", times: 2 }, { name: "b", times: 1 }, { name: "a", times: 1 }]);
});
