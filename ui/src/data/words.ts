// Turns answers into the language that is shown. An answer is in English and has the words of other languages beside it
// (`words`): what people read is replaced, cells are not. Pictures and filters compare cells, so they stay English and are
// looked up when they are shown.
import { currentLanguage, t, type Language, type TextKey } from "../text";
import type { Cell, Column, Evidence, Finding, Note, Report, ReportSet, Words } from "./report";

type Say = (english: string) => string;

const learned = new Map<string, Map<string, string>>();  // by language
const made = new WeakMap<ReportSet, Map<Language, ReportSet>>();

// A map, because a name from a trace may be "constructor".
function mapOf(words: Words, language: Language): ReadonlyMap<string, string> {
  const map = new Map(Object.entries(words[language] ?? {}));
  const all = learned.get(language) ?? new Map<string, string>();
  learned.set(language, all);
  for (const [english, other] of map) all.set(english, other);
  return map;
}

const titled = <T extends { readonly title: string }>(list: readonly T[], say: Say): T[] => list.map((one) => ({ ...one, title: say(one.title) }));
const noted = (notes: readonly Note[], say: Say): Note[] => notes.map((note) => ({ ...note, message: say(note.message) }));

const evidenceIn = (evidence: Evidence, say: Say): Evidence => ({ ...evidence, message: say(evidence.message), because: say(evidence.because) });

const findingIn = (finding: Finding, say: Say): Finding => ({
  ...finding, message: say(finding.message), because: say(finding.because), try: say(finding.try),
  evidence: finding.evidence.map((one) => evidenceIn(one, say)),
});

const reportIn = (report: Report, say: Say): Report => ({
  ...report, title: say(report.title), ...(report.label !== undefined && { label: say(report.label) }), why: say(report.why), headline: say(report.headline),
  metrics: titled(report.metrics, say), series: titled(report.series, say), notes: noted(report.notes, say),
  tables: titled(report.tables, say).map((table) => ({ ...table, columns: titled(table.columns, say) })),
  findings: report.findings.map((finding) => findingIn(finding, say)),
});

// The answer in a language, always the same object; the answer itself where it has no words of it.
export function inLanguage(answer: ReportSet, language: Language): ReportSet {
  if (!answer.words?.[language]) return answer;
  const known = made.get(answer) ?? new Map<Language, ReportSet>();
  made.set(answer, known);
  const before = known.get(language);
  if (before) return before;
  const map = mapOf(answer.words, language), say: Say = (english) => map.get(english) ?? english;
  const other: ReportSet = {
    ...answer, verdict: say(answer.verdict), ...(answer.subject !== undefined && { subject: say(answer.subject) }),
    run: { ...answer.run, notes: noted(answer.run.notes, say), files: answer.run.files.map((file) => ({ ...file, problem: say(file.problem) })) },
    reports: answer.reports.map((report) => reportIn(report, say)),
  };
  known.set(language, other);
  return other;
}

// A word of ours in the language that is shown: the unit of a metric, a category, a kind.
export const wordOf = (english: string): string => (currentLanguage() === "en" ? english : learned.get(currentLanguage())?.get(english) ?? english);

// Columns whose texts are names from traces, also where a name looks like a word of ours: an annotation "forward".
const kNames = new Set(["name", "kernel", "annotation", "event", "call", "host_call", "operator", "path", "sequence", "module", "file", "job", "host", "thread", "track", "column", "key"]);

// Columns with what programs compare, which has English words of its own: "sync" is one only here.
const kCodes = new Set(["bound", "bound_by", "change", "category"]);

export type ColumnOfCell = Pick<Column, "key" | "unit">;

// What stands where a name would, where there is none.
const kNoNames: Readonly<Record<string, TextKey>> = { "(allocated before the trace)": "memory.before" };

// The text of a cell as it is shown; other cells as they are. Every place that shows cells asks here.
export function shownIn(column: ColumnOfCell, cell: Cell | undefined): Cell | undefined {
  if (typeof cell !== "string" || column.unit !== "") return cell;
  if (Object.hasOwn(kNoNames, cell)) return t(kNoNames[cell]!);
  if (currentLanguage() === "en") return kCodes.has(column.key) ? learned.get("en")?.get(cell) ?? cell : cell;
  return kNames.has(column.key) ? cell : wordOf(cell);
}

// A text of an analysis' own description in the language that is shown.
export function describedIn(words: Words | undefined, english: string): string {
  const of = words?.[currentLanguage()];
  return of && Object.hasOwn(of, english) ? of[english]! : english;
}

// The words of an answer whose tables are called "prefix: title".
export function prefixedWords(answer: ReportSet, prefixed: Say): Words {
  const titles = answer.reports.flatMap(({ tables }) => tables.map(({ title }) => title));
  return Object.fromEntries(Object.entries(answer.words ?? {}).map(([language, words]) => {
    const more = titles.flatMap((title) => (Object.hasOwn(words, title) ? [[prefixed(title), prefixed(words[title]!)] as const] : []));
    return [language, { ...words, ...Object.fromEntries(more) }];
  }));
}

// The words of several answers that are shown as one.
export function joinedWords(all: readonly Words[]): Words {
  const joined: Record<string, Record<string, string>> = {};
  for (const words of all) for (const [language, of] of Object.entries(words)) joined[language] = { ...joined[language], ...of };
  return joined;
}

const kJapanese = /[\u3040-\u30ff\u3400-\u9fff]/;

export const hasJapanese = (text: string): boolean => kJapanese.test(text);

// What a text's `lang` is: a text without its words is in English, on a page that is not.
export const langOf = (text: string): Language => (currentLanguage() === "ja" && !hasJapanese(text) ? "en" : currentLanguage());

// What the titles of columns or curves have in common: of "time, before" and "time, after" it is "time". Japanese may have
// what differs in front: of "前の時間" and "後の時間" it is "時間".
export function sharedTitle(titles: readonly string[]): string {
  const first = titles[0] ?? "";
  const common = (at: (text: string, place: number) => string | undefined): number => {
    let same = 0;
    while (same < first.length && titles.every((title) => at(title, same) === at(first, same))) ++same;
    return same;
  };
  const start = first.slice(0, common((text, place) => text[place])).replace(/[\s,、((:・]+(?:変更|比較)?$/, "");
  if (start === first || start !== "") return start;
  const end = common((text, place) => text[text.length - 1 - place]);
  return first.slice(first.length - end).replace(/^[\s,、))の]+/, "") || first;
}
