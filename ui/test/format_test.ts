// Tests that numbers read as the CLI prints them (src/report/humanize_test.cc has the same cases).
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed, humanBytes, humanCell, humanCount, humanRatio, humanTime, kTimeSteps, unsigned, visible } from "../src/report/format";

test("times choose their unit", () => {
  const cases: [number, string][] = [
    [0, "0 ns"], [640, "640 ns"], [1000, "1.00 µs"], [1240000, "1.24 ms"], [12400000, "12.4 ms"], [83500000000, "83.5 s"],
    [599e9, "599 s"], [900e9, "15.0 min"], [8354000000000, "2.32 h"], [900000e9, "10.4 d"], [-1500, "-1.50 µs"],
    [999499, "999 µs"], [999500, "1.00 ms"], [9995000, "10.0 ms"],
  ];
  for (const [ns, text] of cases) assert.equal(humanTime(ns), text);
});

test("an axis of time has steps of whole units, up to a life", () => {
  assert.deepEqual([...kTimeSteps].sort((a, b) => a - b), kTimeSteps);
  for (const step of [1, 5e3, 20e6, 50e9, 60e9, 1800e9, 3600e9, 6 * 3600e9, 86400e9]) assert.ok(kTimeSteps.includes(step), String(step));
  assert.ok(!kTimeSteps.includes(5000e9), "83.3 min");
  assert.ok(kTimeSteps.at(-1)! > 2 ** 61 / 2);
});

test("differences of shares are percentage points", () => {
  assert.equal(humanCell(-0.25, "ratio_difference"), "-25.0 pp");
  assert.equal(humanCell(0.0001, "ratio_difference"), "<0.1 pp");
});

test("bytes are powers of a thousand", () => {
  assert.equal(humanBytes(512), "512 B");
  assert.equal(humanBytes(999999), "1.00 MB");
  assert.equal(humanBytes(80e9), "80.0 GB");
  assert.equal(humanCell(1200000000, "bytes/s"), "1.20 GB/s");
  assert.equal(humanCell(9.89e14, "FLOP/s"), "989 TFLOP/s");
  assert.equal(humanCell(512, "FLOP"), "512 FLOP");
});

test("moments are dates and times of day", () => {
  const cases: [string, string][] = [
    ["1795291503000000000", "2026-11-21 20:05:03 UTC"], ["1795291503999999999", "2026-11-21 20:05:03 UTC"],
    ["951782400000000000", "2000-02-29 00:00:00 UTC"],
    ["9223372036854775807", "2262-04-11 23:47:16 UTC"], ["-9223372036854775808", "1677-09-21 00:12:43 UTC"],
  ];
  for (const [ns, text] of cases) assert.equal(humanCell(ns, "unix_ns"), text);
  assert.equal(humanCell(0, "unix_ns"), "1970-01-01 00:00:00 UTC");
  assert.equal(humanCell(-1, "unix_ns"), "1969-12-31 23:59:59 UTC");
  assert.equal(humanCell(1.795291503e18, "unix_ns"), "2026-11-21 20:05:03 UTC");
  assert.equal(humanCell(1e300, "unix_ns"), "2262-04-11 23:47:16 UTC");
});

test("small ratios are not zero", () => {
  const cases: [number, string][] = [[0, "0.0%"], [0.0001, "<0.1%"], [0.1234, "12.3%"], [1, "100.0%"], [-0.0001, ">-0.1%"], [9.999, "999.9%"], [12.5, "1,250%"], [270.492, "27,049%"]];
  for (const [ratio, text] of cases) assert.equal(humanRatio(ratio), text);
  assert.equal(humanCell(-0, "ratio"), "0.0%");
});

test("counts are grouped", () => {
  assert.equal(humanCount(999), "999");
  assert.equal(humanCount(1234567), "1,234,567");
  assert.equal(humanCount(12.46), "12.5");
  assert.equal(humanCount(0.001234), "0.0012");
  assert.equal(humanCount(0.0000123), "1.2e-05");
});

test("halves go to the even digit, as C++ prints them", () => {
  assert.equal(fixed(2.125, 2), "2.12");
  assert.equal(fixed(2.375, 2), "2.38");
  assert.equal(fixed(0.5, 0), "0");
  assert.equal(fixed(1.5, 0), "2");
  assert.equal(fixed(-2.5, 0), "-2");
  assert.equal(humanTime(2125000), "2.12 ms");
});

test("blank cells are a dash, identifiers stay as they are", () => {
  assert.equal(humanCell(null, "count"), "-");
  assert.equal(humanCell("", ""), "-");
  assert.equal(humanCell(1024, ""), "1024");
  assert.equal(humanCell("gemm", "count"), "gemm");
  assert.equal(humanCell("1780833282119999886", ""), "1780833282119999886");
});

test("a change beside a sign has none of its own", () => {
  assert.deepEqual([humanTime(-46600), humanRatio(-0.0001), humanCell(-0.0001, "ratio_difference"), humanTime(5000)].map(unsigned), ["46.6 µs", "<0.1%", "<0.1 pp", "5.00 µs"]);
});

test("a name cannot change how the page reads", () => {
  assert.equal(visible("a\u202eb\u0000c"), "a\ufffdb\ufffdc");
  assert.equal(visible("[\n\t[ 8944,\r\n  1]\u2028]"), "[ [ 8944, 1] ]");
  assert.equal(visible("<script>alert(1)</script>"), "<script>alert(1)</script>");
});
