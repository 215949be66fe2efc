// Tests sorting, filtering and saving tables, and JSON with integers beyond 2^53.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Table } from "../src/data/report";
import { parseExact } from "../src/data/exact";
import { csvOf } from "../src/report/csv";
import { chosenRows, informing, isNumeric, nextOrder, parseOrder } from "../src/report/rows";
import { blocksOf } from "../src/report/markdown";

const table: Table = {
  key: "top", title: "Top",
  columns: [
    { key: "name", title: "name", unit: "", role: "key" },
    { key: "time", title: "time", unit: "ns", role: "value" },
  ],
  rows: [["gemm", 2000000], ["copy", null], ["reduce", 10], ["gemm 2", 500]],
};

test("rows are as the report has them until the reader chooses", () => {
  assert.deepEqual(chosenRows(table, "", null), [0, 1, 2, 3]);
});

test("numbers sort as numbers; what is not known comes last in either direction", () => {
  assert.deepEqual(chosenRows(table, "", parseOrder("-time")), [0, 3, 2, 1]);
  assert.deepEqual(chosenRows(table, "", parseOrder("time")), [2, 3, 0, 1]);
  assert.deepEqual(chosenRows(table, "", parseOrder("name")), [1, 0, 3, 2]);
});

test("columns that say nothing are not shown, and are in CSV", () => {
  const column = (key: string, role: "key" | "value" = "key") => ({ key, title: key, unit: "" as const, role });
  const ranks = { key: "ranks", title: "Ranks", columns: [column("rank"), column("window"), column("device"), column("allocator"), column("steps", "value")],
    rows: [[0, 0, 0, null, 0], [1, 0, 1, null, 0]] };
  const shown = (of: Table, order = "") => informing(of, parseOrder(order)).map((at) => of.columns[at]!.key);
  assert.deepEqual(shown(ranks), ["rank", "device", "steps"]);
  assert.deepEqual(shown({ ...ranks, rows: [[0, 0, 0, "a", 0], [0, 1, 0, null, 0]] }), ["rank", "window", "allocator", "steps"]);
  assert.deepEqual(shown(ranks, "window"), ["rank", "window", "device", "steps"], "a link that sorts by it");
  assert.deepEqual(shown({ ...ranks, rows: [] }).length, 5);
  assert.match(csvOf(ranks), /window/);
});

test("a filter looks at names and at numbers as they are printed", () => {
  assert.deepEqual(chosenRows(table, "GEM", null), [0, 3]);
  assert.deepEqual(chosenRows(table, "2.00 ms", null), [0]);
  assert.deepEqual(chosenRows(table, "nothing", null), []);
});

test("a filter finds moments as they are printed", () => {
  const jobs: Table = {
    key: "jobs", title: "Jobs",
    columns: [{ key: "job", title: "job", unit: "", role: "key" }, { key: "first", title: "first event", unit: "unix_ns", role: "value" }],
    rows: [["a", "1780000000000000000"], ["b", "1795291503000000000"]],
  };
  assert.deepEqual(chosenRows(jobs, "2026-05", null), [0]);
  assert.deepEqual(chosenRows(jobs, "1795291503", null), [1]);
  assert.deepEqual(chosenRows(jobs, "", parseOrder("-first")), [1, 0]);
});

test("a heading goes round: largest first, smallest first, as it was", () => {
  const column = table.columns[1]!;
  const first = nextOrder(null, column, isNumeric(table, 1));
  assert.deepEqual(first, { column: "time", down: true });
  const second = nextOrder(first, column, true);
  assert.deepEqual(second, { column: "time", down: false });
  assert.equal(nextOrder(second, column, true), null);
});

test("a hundred thousand rows sort in a moment", () => {
  const rows = Array.from({ length: 100_000 }, (_, at) => [`kernel ${at}`, (at * 7919) % 100_003]);
  const began = process.cpuUsage();  // the processor's time: others may use the machine too
  assert.equal(chosenRows({ ...table, rows }, "kernel", parseOrder("-time")).length, 100_000);
  assert.ok(process.cpuUsage(began).user < 3e6);
});

test("CSV quotes what needs it and leaves nothing for unknown", () => {
  assert.equal(csvOf({ columns: table.columns, rows: [['a "b", c', 1], ["d", null]] }), 'name,time [ns]\r\n"a ""b"", c",1\r\nd,\r\n');
});

test("CSV gives spreadsheets no formula to run", () => {
  const names = ['=HYPERLINK("http://evil")', "+1", "-x", "@a", "-12", "a=b"];
  const lines = csvOf({ columns: table.columns, rows: names.map((name) => [name, -1]) }).split("\r\n");
  assert.deepEqual(lines.slice(1, -1), [`"'=HYPERLINK(""http://evil"")",-1`, "'+1,-1", "'-x,-1", "'@a,-1", "-12,-1", "a=b,-1"]);
});

test("integers beyond a double keep their digits", () => {
  assert.deepEqual(parseExact('{"a": 1780833282119999886, "b": 0.7134572861553341, "c": "1780833282119999886, 1", "d": 9007199254740991}'),
    { a: "1780833282119999886", b: 0.7134572861553341, c: "1780833282119999886, 1", d: 9007199254740991 });
});

test("Markdown becomes blocks of text", () => {
  assert.deepEqual(blocksOf("# Head\n\nA line\nand more\n\n- one\n  goes on\n- two\n\n```\n<b>\n```"), [
    { kind: "heading", text: "Head" }, { kind: "text", text: "A line and more" },
    { kind: "list", items: ["one goes on", "two"] }, { kind: "fence", text: "<b>" },
  ]);
});
