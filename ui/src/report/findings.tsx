// Shows findings: problem, evidence, what to try, and possible savings.
import { useContext } from "preact/hooks";
import type { Finding, Report } from "../data/report";
import { langOf } from "../data/words";
import { TraceOfRank } from "../shell/rank_trace";
import { Linked, Served } from "../shell/served";
import { linkTo } from "../shell/url";
import { t } from "../text";
import { humanRatio, humanTime, visible } from "./format";
import { targetOfFinding, timelineOfFinding } from "./in_timeline";
import { Mentions, mentionsIn, Says } from "./mentions";

// The table that shows what a finding says.
export function evidenceOf(finding: Finding, report: Report): string | null {
  return report.tables.find((table) => table.key === finding.table && table.rows.length > 0)?.key ?? null;
}

// As src/report/layout.cc says it.
export function savingsOf(finding: Finding, ofJob: boolean): string {
  if (finding.worth) {
    const { saved, step_time, error } = finding.worth;
    return t(finding.since_step != null ? "finding.worth_since" : "finding.worth", {
      saved: humanTime(saved), time: humanTime(step_time), share: humanRatio(saved / Math.max(1, step_time)), error: error > 0 ? t("finding.error", { error: humanTime(error) }) : "", step: finding.since_step ?? "",
    });
  }
  if (ofJob) return t("finding.impact_job", { time: humanTime(finding.impact) });
  if (finding.impact_per_step === null || finding.share === null) return t("finding.impact", { time: humanTime(finding.impact) });
  if (finding.since_step != null) return t("finding.impact_since", { time: humanTime(finding.impact_per_step), step: finding.since_step, share: humanRatio(finding.share) });
  return t("finding.impact_step", { time: humanTime(finding.impact_per_step), share: humanRatio(finding.share) });
}

// Of a step or the job, what mending it is worth.
const shareOf = ({ worth, share }: Finding): number => Math.min(1, worth ? worth.saved / Math.max(1, worth.step_time) : (share ?? 0));

// What to try leads to where to look: to an analysis that it names, else to what the finding is about.
function Advice({ text, href }: { text: string; href: string | null }) {
  const { reports } = useContext(Mentions), names = mentionsIn(text, reports).some((part) => typeof part !== "string");
  return names || !href ? <Says text={text} /> : <a href={href}>{visible(text)}</a>;
}

// Of a reduced run, whose findings have no timeline: the trace of the rank it is about, or of the first of these.
function TraceOfFinding({ finding, report }: { finding: Finding; report: Report }) {
  const rank = useContext(Served)?.run.timeline === false ? targetOfFinding(finding, report)?.rank ?? finding.where?.ranks[0] : undefined;
  return rank === undefined ? null : <TraceOfRank rank={String(rank)} opensOnly />;
}

const kSigns = { high: "▲", medium: "◆", low: "●" } as const;

export function FindingItem({ finding, report, base, named }: {
  finding: Finding; report: Report; base: readonly string[]; named: boolean;
}) {
  const table = evidenceOf(finding, report), linked = useContext(Linked);
  const ofJob = report.analysis.startsWith("goodput");  // a ledger has no ranks
  const href = linkTo([...base, report.analysis], table ? { at: `table-${table}` } : {}), timeline = linked && timelineOfFinding(finding, report, linked);
  return (
    <li class={`finding ${finding.severity}`}>
      <p class="severity"><span aria-hidden="true">{kSigns[finding.severity]}</span> {t(`severity.${finding.severity}`)}</p>
      <div>
        <p class="message" lang={langOf(finding.message)}><Says text={finding.message} /></p>
        <p class="because" lang={langOf(finding.because)}><Says text={finding.because} /></p>
        {finding.evidence.map((evidence) => (
          <p key={evidence.analysis + evidence.message} class="because">
            {t("finding.also")} <a href={linkTo([...base, evidence.analysis], evidence.table ? { at: `table-${evidence.table}` } : {})}><span lang={langOf(evidence.message)}>{visible(evidence.message)}</span></a>
          </p>
        ))}
        <p class="try"><b>{t("finding.try")}</b> <span lang={langOf(finding.try)}><Advice text={finding.try} href={timeline?.href ?? (named || table ? href : null)} /></span></p>
        {shareOf(finding) > 0 && <span class="worth" aria-hidden="true" data-share={shareOf(finding)}><span style={{ width: `${100 * shareOf(finding)}%` }} /></span>}
        <p class="foot">
          {finding.impact > 0 && <span class="impact" data-value={finding.impact}>{savingsOf(finding, ofJob)}</span>}
          {timeline && <a href={timeline.href} title={timeline.says} class="to-timeline">{t("finding.in_timeline")}</a>}
          {(named || table) && <a href={href}>{named ? t("finding.evidence_in", { title: visible(report.title) }) : t("finding.evidence")}</a>}
        </p>
        {!timeline && <TraceOfFinding finding={finding} report={report} />}
      </div>
    </li>
  );
}

export function Findings({ report, base }: { report: Report; base: readonly string[] }) {
  if (report.findings.length === 0) return null;
  return (
    <section aria-labelledby="findings-title">
      <h2 id="findings-title">{t("report.findings")}</h2>
      <ul class="findings">
        {report.findings.map((finding) => <FindingItem key={finding.message} finding={finding} report={report} base={base} named={false} />)}
      </ul>
    </section>
  );
}
