// Tests that an answer is shown in the chosen language: what people read is replaced, what code compares is not.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { Finding, Report, ReportSet, Table } from "../src/data/report";
import { describedIn, inLanguage, joinedWords, langOf, prefixedWords, sharedTitle, shownIn, wordOf } from "../src/data/words";
import { csvOf } from "../src/report/csv";
import { chartTitle, curveNames } from "../src/report/curves";
import { humanTime } from "../src/report/format";
import { blocksOf } from "../src/report/markdown";
import { mentionsIn } from "../src/report/mentions";
import { fullCell, shownCell } from "../src/report/names";
import { chosenRows } from "../src/report/rows";
import { chooseLanguage } from "../src/text";
import { withWords } from "../src/text/fields";
import { formatTime } from "../src/timeline/ticks";
import { titleOf } from "../src/views/compared";
import { verdictOf } from "../src/views/verdict";
import { fullLabelOf, kindOfRow, labelOf, valueAt } from "../src/views/parts";

afterEach(() => chooseLanguage("en"));

const table: Table = {
  key: "parts", title: "Parts of a step", kind_column: "kind",
  columns: [
    { key: "rank", title: "rank", unit: "", role: "key" }, { key: "part", title: "part", unit: "", role: "key" }, { key: "name", title: "name", unit: "", role: "key" },
    { key: "time", title: "time", unit: "ns", role: "value" }, { key: "kind", title: "kind", unit: "", role: "value" },
  ],
  rows: [[3, "input wait", "forward", 8354000000000, "input"], [4, "constructor", "constructor", 5, "compute"]],
};

const finding: Finding = {
  severity: "high", message: "Rank 3 is slow.", because: "66% vs 10%", try: "see steps", impact: 1, table: "parts", place: 1, share: 0.1, impact_per_step: 1,
  evidence: [{ analysis: "steps", message: "Steps vary.", because: "by 3 ms", table: "" }],
};

const report: Report = {
  analysis: "breakdown", title: "Breakdown", label: "Parts", status: "partial", why: "no steps", headline: "Compute is 71%.",
  metrics: [{ key: "cause", title: "cause", value: "input wait", unit: "" }], tables: [table],
  series: [{ key: "busy", title: "busy", x_unit: "ns", y_unit: "ratio", points: [] }], findings: [finding], notes: [{ name: "n", count: 1, message: "events were skipped", where: "a.json" }],
};

const answer: ReportSet = {
  schema: "stepscope.report/1", subject: "job: 8 ranks", verdict: "Rank 3 is slow. Compute is 71%.", reports: [report],
  run: { name: "job", files: [], ranks: 8, steps: "all", notes: [{ name: "m", count: 1, message: "a file was skipped", where: "" }] },
  words: {
    ja: {
      "Parts of a step": "ステップの内訳", "rank": "ランク", "part": "部分", "time": "時間", "kind": "種類", "input wait": "入力待ち", "forward": "順伝播", "input": "入力", "compute": "計算",
      "Rank 3 is slow.": "ランク 3 が遅い。", "66% vs 10%": "66% 対 10%(基準)", "see steps": "steps を参照", "Steps vary.": "ステップがばらつく。", "by 3 ms": "3 ms の差",
      "Breakdown": "内訳", "Parts": "部分", "no steps": "ステップなし", "Compute is 71%.": "計算は 71%。", "cause": "原因", "busy": "使用中", "events were skipped": "イベントを除外",
      "job: 8 ranks": "job: 8 ランク", "Rank 3 is slow. Compute is 71%.": "ランク 3 が遅い。計算は 71%。", "a file was skipped": "ファイルを除外",
    },
  },
};

test("an answer is the same object in English, and one object in another language", () => {
  assert.equal(inLanguage(answer, "en"), answer);
  const japanese = inLanguage(answer, "ja");
  assert.equal(inLanguage(answer, "ja"), japanese);
  const { words: _, ...without } = answer;
  assert.equal(inLanguage(without, "ja"), without);
});

test("all that people read is replaced; keys, names of notes and cells stay", () => {
  const { verdict, subject, run, reports: [other] } = inLanguage(answer, "ja");
  assert.deepEqual([verdict, subject, run.notes[0]!.message, run.notes[0]!.name], ["ランク 3 が遅い。計算は 71%。", "job: 8 ランク", "ファイルを除外", "m"]);
  assert.deepEqual([other!.title, other!.label, other!.why, other!.headline, other!.notes[0]!.message], ["内訳", "部分", "ステップなし", "計算は 71%。", "イベントを除外"]);
  assert.deepEqual([other!.metrics[0]!.title, other!.series[0]!.title, other!.tables[0]!.title], ["原因", "使用中", "ステップの内訳"]);
  const [mended] = other!.findings;
  assert.deepEqual([mended!.message, mended!.because, mended!.try], ["ランク 3 が遅い。", "66% 対 10%(基準)", "steps を参照"]);
  assert.deepEqual([mended!.evidence[0]!.message, mended!.evidence[0]!.because], ["ステップがばらつく。", "3 ms の差"]);
  const { columns, rows, key } = other!.tables[0]!;
  assert.deepEqual([columns.map(({ title }) => title), key], [["ランク", "部分", "name", "時間", "種類"], "parts"]);
  assert.equal(rows, table.rows);
  assert.equal(other!.metrics[0]!.value, "input wait");
});

test("cells are looked up when they are shown, names from traces are not", () => {
  const shown = inLanguage(answer, "ja").reports[0]!.tables[0]!, row = shown.rows[0]!, [, part, name] = shown.columns;
  assert.deepEqual([shownIn(part!, "input wait"), shownCell(name!, "forward")], ["input wait", "forward"]);
  chooseLanguage("ja");
  assert.deepEqual([fullCell(part!, "input wait"), shownCell(part!, "input wait"), shownCell(name!, "forward"), fullCell(part!, "constructor")], ["入力待ち", "入力待ち", "forward", "constructor"]);
  assert.deepEqual([wordOf("compute"), wordOf("toString"), wordOf("__proto__")], ["計算", "toString", "__proto__"]);
  assert.equal(valueAt(shown, row, 1).text, "入力待ち");
  assert.equal(kindOfRow(shown, row), "input");
  assert.deepEqual([labelOf(shown, row, [0, 1]), fullLabelOf(shown, row, [0, 1])], ["rank 3, input wait", "ランク 3, 入力待ち"]);
});

test("a filter finds words as they are shown, and as they are in English; CSV has the titles that are shown", () => {
  const shown = inLanguage(answer, "ja").reports[0]!.tables[0]!;
  chooseLanguage("ja");
  for (const typed of ["入力待ち", "input wait", "2.32 時間"]) assert.deepEqual(chosenRows(shown, typed, null), [0], typed);
  assert.equal(csvOf(shown).split("\r\n")[0], "ランク,部分,name,時間 [ns],種類");
  assert.equal(csvOf(shown).split("\r\n")[1], "3,input wait,forward,8354000000000,input");
});

test("long times are in the words of the language", () => {
  chooseLanguage("ja");
  assert.deepEqual([8354e9, 900e9, 900000e9, 83.5e9, 1240000].map(humanTime), ["2.32 時間", "15.0 分", "10.4 日", "83.5 s", "1.24 ms"]);
  assert.equal(formatTime(2 * 86400e9 + 3723e9, 1e9), "2 日 1:02:03");
});

test("the first sentence of a verdict is found in both languages", () => {
  assert.deepEqual(verdictOf(answer), ["Rank 3 is slow.", "Compute is 71%."]);
  assert.deepEqual(verdictOf(inLanguage(answer, "ja")), ["ランク 3 が遅い。", "計算は 71%。"]);
  const none = { ...answer, reports: [] };
  assert.deepEqual(verdictOf({ ...none, verdict: "The job looks healthy: 1.5 ms. Compute is 71%." }), ["The job looks healthy: 1.5 ms.", "Compute is 71%."]);
  assert.deepEqual(verdictOf({ ...none, verdict: "正常です: 1.5 ms。計算は 71%。" }), ["正常です: 1.5 ms。", "計算は 71%。"]);
  for (const verdict of ["One.", "一つ。", ""]) assert.deepEqual(verdictOf({ ...none, verdict }), [verdict, ""]);
});

test("analyses are links in Japanese sentences too", () => {
  const reports = ["stragglers", "steps", "idle_time"].map((analysis) => ({ analysis }));
  const told = (text: string) => mentionsIn(text, reports).map((part) => (typeof part === "string" ? part : `<${part.analysis}>`)).join("");
  assert.equal(told("stragglers を参照"), "<stragglers> を参照");
  assert.equal(told("idle_time と steps に内訳があります"), "<idle_time> と <steps> に内訳があります");
  for (const text of ["「steps」は名前です", "--only steps を指定", "my_idle_time を参照", "operators を参照", "steps=3 を指定"]) assert.equal(told(text), text);
});

test("titles of two runs and of several curves say what they have in common", () => {
  assert.deepEqual([["time, before", "time, after"], ["時間、前", "時間、後"], ["時間(変更前)", "時間(変更後)"], ["前の時間", "後の時間"], ["時間", "時間"]].map(sharedTitle), ["time", "時間", "時間", "時間", "時間"]);
  const columns = [["time_a", "時間、前"], ["time_b", "時間、後"]].map(([key, title]) => ({ key: key!, title: title!, unit: "ns", role: "value" }) as const);
  assert.equal(titleOf({ key: "t", title: "T", columns, rows: [] }, "time"), "時間");
  const curve = (rank: number, title: string) => ({ key: `peak_use.rank${rank}.window0`, title, x_unit: "ns", y_unit: "bytes", points: [] }) as const;
  const series = [curve(0, "ランク 0 のメモリ"), curve(1, "ランク 1 のメモリ")];
  assert.deepEqual([chartTitle({ key: "peak_use", series }), curveNames(series)], ["peak use", ["rank 0", "rank 1"]]);
  chooseLanguage("ja");
  assert.deepEqual([chartTitle({ key: "peak_use", series }), curveNames(series)], ["ランク … のメモリ", ["ランク 0", "ランク 1"]]);
});

test("what is in English on a Japanese page says so", () => {
  assert.deepEqual([langOf("Compute"), langOf("計算")], ["en", "en"]);
  chooseLanguage("ja");
  assert.deepEqual([langOf("Compute"), langOf("計算")], ["en", "ja"]);
});

test("an analysis is described in the language; Japanese lines are joined without spaces", () => {
  const words = { ja: { "**Question:** why?": "**問い:** なぜ?" } };
  assert.equal(describedIn(words, "**Question:** why?"), "**Question:** why?");
  chooseLanguage("ja");
  assert.deepEqual([describedIn(words, "**Question:** why?"), describedIn(words, "constructor"), describedIn(undefined, "a")], ["**問い:** なぜ?", "constructor", "a"]);
  assert.deepEqual(blocksOf("計算の\n時間を、\n`steps` の\nCPU で\n\n- 一行\n  二行\n- one\n  two"), [
    { kind: "text", text: "計算の時間を、 `steps` の CPU で" }, { kind: "list", items: ["一行二行", "one two"] },
  ]);
});

test("answers that are joined keep the words of all, also of titles that got a prefix", () => {
  const prefixed = (title: string) => `before: ${title}`;
  const words = joinedWords([prefixedWords(answer, prefixed), { ja: { more: "他" }, de: { more: "mehr" } }, prefixedWords({ ...answer, words: {} }, prefixed)]);
  assert.deepEqual([words["ja"]!["before: Parts of a step"], words["ja"]!["rank"], words["ja"]!["more"], words["de"]!["more"]], ["before: ステップの内訳", "ランク", "他", "mehr"]);
});

test("a field of the core is said as it is set: on the page, by an option of serve, or as it is", () => {
  assert.equal(withWords("`query_schema` lists all tables"), "the list under “Tables” lists all tables");
  assert.equal(withWords("`query_timeout`"), "stepscope serve --timeout");
  assert.equal(withWords("set `most_names` to 0, or `constructor`"), "set `most_names` to 0, or `constructor`");
  chooseLanguage("ja");
  assert.equal(withWords("`query_schema`"), "「表」の一覧");
});
