// Shows the summary of a run: verdict, key metrics, three pictures and the top findings.
import { useState } from "preact/hooks";
import type { Finding, Report, ReportSet, Table } from "../data/report";
import type { Run, Source, State } from "../data/source";
import { stepsText } from "../report/input";
import { FindingItem } from "../report/findings";
import { humanCount, visible } from "../report/format";
import { useJob } from "../shell/job";
import { useLoad } from "../shell/load";
import { linkTo } from "../shell/url";
import { t } from "../text";
import { HeatMap, stepChooser } from "./heatmap";
import { reportOf, tableOf } from "./parts";
import { stackedRows } from "./stacked";
import { StepColumns } from "./step_columns";
import { Tiles } from "./tiles";

const kAtFirst = 3;

interface Found {
  readonly finding: Finding;
  readonly report: Report;
}

function foundIn(answer: ReportSet): Found[] {
  return answer.reports.flatMap((report) => report.findings.map((finding) => ({ finding, report }))).sort((a, b) => a.finding.place - b.finding.place || b.finding.impact - a.finding.impact);
}

function TopFindings({ answer, base }: { answer: ReportSet; base: readonly string[] }) {
  const [all, setAll] = useState(false);
  const found = foundIn(answer);
  return (
    <section class="top-findings" aria-labelledby="top-title">
      <h2 id="top-title">{t("home.findings")}</h2>
      {found.length === 0 && <p class="faint">{t("home.no_findings")}</p>}
      <ul class="findings">
        {(all ? found : found.slice(0, kAtFirst)).map(({ finding, report }) => (
          <FindingItem key={`${report.analysis} ${finding.message}`} finding={finding} report={report} base={base} named />
        ))}
      </ul>
      {!all && found.length > kAtFirst && <button type="button" class="quiet" onClick={() => setAll(true)}>{t("home.all_findings", { count: found.length })}</button>}
    </section>
  );
}

// The tables that hold ranks by steps, the best first.
const kByStep: readonly (readonly [analysis: string, table: string])[] = [["steps", "steps"], ["imbalance", "matrix"], ["overview", "steps"]];

function firstTable(answer: ReportSet, places: readonly (readonly [string, string])[]): { table: Table; report: Report } | undefined {
  for (const [analysis, key] of places) {
    const report = reportOf(answer, analysis);
    const table = tableOf(report, key);
    if (report && table) return { table, report };
  }
  return undefined;
}

const CategoryBar = stackedRows("category", "mean");

function StepTime({ answer }: { answer: ReportSet }) {
  const breakdown = firstTable(answer, [["steps", "breakdown"], ["overview", "steps"]]);
  const overview = reportOf(answer, "overview");
  const mean = tableOf(overview, "step_time");
  return (
    <section aria-labelledby="step-time-title">
      <h2 id="step-time-title">{t("home.step_time")}</h2>
      {!breakdown && !mean && <p class="faint">{t("home.no_steps")}</p>}
      {overview && mean && <CategoryBar report={overview} table={mean} />}
      {breakdown && <StepColumns table={breakdown.table} />}
    </section>
  );
}

function ByRank({ answer, run }: { answer: ReportSet; run: string }) {
  const heat = firstTable(answer, kByStep);
  return (
    <section aria-labelledby="heat-title">
      <h2 id="heat-title">{t("home.heat")}</h2>
      {heat ? (
        <>
          <HeatMap table={heat.table} axes={{ across: "step", left: "rank" }} onStep={stepChooser()} />
          <p><a href={linkTo(["run", run, "report", heat.report.analysis], { at: `table-${heat.table.key}` })}>{t("home.as_table")}</a></p>
        </>
      ) : <p class="faint">{t("home.no_steps")}</p>}
    </section>
  );
}

export function HomePage({ source, state, run, answer }: { source: Source; state: State; run: Run; answer: ReportSet }) {
  const ledger = state.ledgers[0]?.id;
  const job = useJob(ledger);
  const goodput = useLoad(`ledger ${ledger}`, ledger === undefined ? null : job, (signal) => source.ledger(ledger!, job, signal));
  const info = answer.run;
  return (
    <article class="home">
      <h1 class="verdict" lang="en">{visible(answer.verdict)}</h1>
      <p class="faint">
        {t("home.read", { files: humanCount(info.files.length), ranks: humanCount(info.ranks), steps: stepsText(info) })}{" "}
        <a href={linkTo(["run", run.id, "input"])}>{info.notes.length > 0 ? t("home.notes", { notes: info.notes.length }) : t("page.input")}</a>
        {" · "}<a href={linkTo(["run", run.id, "timeline"])}>{t("home.timeline")}</a>
      </p>
      {state.ledgers.length > 1 && (
        <p class="faint">
          {t("home.ledger", { name: visible(state.ledgers[0]?.name ?? "") })}
          {state.ledgers.slice(1).map((one) => <>{" "}<a href={linkTo(["ledger", one.id])}>{visible(one.name)}</a></>)}
        </p>
      )}
      <Tiles run={run.id} answer={answer} ledger={ledger} goodput={goodput.value} />
      <div class="home-columns">
        <div>
          <ByRank answer={answer} run={run.id} />
          <StepTime answer={answer} />
        </div>
        <TopFindings answer={answer} base={["run", run.id, "report"]} />
      </div>
    </article>
  );
}
