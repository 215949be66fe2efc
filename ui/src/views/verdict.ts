// Reads the verdict of an answer and the findings behind it, in their order.
import type { Finding, Report, ReportSet } from "../data/report";
import { hasJapanese } from "../data/words";

export interface Found {
  readonly finding: Finding;
  readonly report: Report;
}

// The most important first.
export function foundIn(answer: ReportSet): Found[] {
  return answer.reports.flatMap((report) => report.findings.map((finding) => ({ finding, report }))).sort((a, b) => a.finding.place - b.finding.place || b.finding.impact - a.finding.impact);
}

// Where the first sentence of a text ends: behind its full stop. 0: there is only one.
function sentenceEnd(text: string): number {
  if (hasJapanese(text)) return text.indexOf("。") + 1;
  const stop = text.search(/[^.0-9]\. [A-Z]/);
  return stop < 0 ? 0 : stop + 2;
}

// The first sentence of a verdict stands out where it is a finding's; the rest follows.
export function verdictOf(answer: ReportSet): readonly [first: string, rest: string] {
  const verdict = answer.verdict;
  const found = foundIn(answer).find(({ finding }) => finding.message !== "" && verdict.startsWith(finding.message));
  const said = found ? found.finding.message.length : sentenceEnd(verdict), end = verdict[said] === "。" ? said + 1 : said;
  return end === 0 ? [verdict, ""] : [verdict.slice(0, end), verdict.slice(end).trim()];
}
