// Shows the summary of a run: verdict, key metrics, three pictures and the top findings.
import type { ComponentType } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Cell, Report, ReportSet, Table } from "../data/report";
import type { Run, Source, State } from "../data/source";
import { langOf } from "../data/words";
import { Exported } from "../report/exports";
import { ranksText, stepsText } from "../report/input";
import { FindingItem } from "../report/findings";
import { humanCount, visible } from "../report/format";
import { jobLink, jobOfRun } from "../shell/job";
import { useAnswer } from "../shell/load";
import { hasTimeline, Served } from "../shell/served";
import { linkTo } from "../shell/url";
import { t } from "../text";
import { UsesOverTime } from "./area";
import { kAtPeak, plainBars, type Choice } from "./bars";
import { FlameGraph } from "./flame";
import { guiltyIn } from "./guilty";
import { HeatMap, stepChooser } from "./heatmap";
import { columnAt, reportOf, tableOf, type PictureProps } from "./parts";
import { StepPartBars } from "./step_parts";
import { StepColumns } from "./step_columns";
import { Tiles } from "./tiles";
import { foundIn, verdictOf } from "./verdict";

const kAtFirst = 3;

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
type Places = readonly (readonly [analysis: string, table: string])[];
const kByStep: Places = [["breakdown", "matrix"], ["steps", "steps"], ["overview", "steps"]];
const kByDevice: Places = [["imbalance", "matrix"], ...kByStep];

// Whether a rank has several devices.
function hasDevices(answer: ReportSet): boolean {
  const table = tableOf(reportOf(answer, "imbalance"), "matrix");
  if (!table) return false;
  const [rank, device] = [columnAt(table, "rank"), columnAt(table, "device")], devices = new Map<Cell, Cell>();
  return table.rows.some((row) => {
    const first = devices.get(row[rank]!);
    devices.set(row[rank]!, first ?? row[device]!);
    return first !== undefined && first !== row[device];
  });
}

function firstTable(answer: ReportSet, places: Places): { table: Table; report: Report } | undefined {
  for (const [analysis, key] of places) {
    const report = reportOf(answer, analysis);
    const table = tableOf(report, key);
    if (report && table) return { table, report };
  }
  return undefined;
}

// Where a step goes; without steps, the recording.
function Parts({ answer }: { answer: ReportSet }) {
  const found = firstTable(answer, [["breakdown", "parts"]]);
  if (!found) return null;
  return (
    <section aria-labelledby="parts-title">
      <h2 id="parts-title">{t(hasSteps(answer) ? "home.step_time" : "home.recording")}</h2>
      <Exported name="breakdown.parts.picture" table={found.table}><StepPartBars report={found.report} table={found.table} /></Exported>
    </section>
  );
}

const hasSteps = (answer: ReportSet): boolean => reportOf(answer, "steps") !== undefined;

function EachStep({ answer }: { answer: ReportSet }) {
  const steps = firstTable(answer, [["steps", "breakdown"], ["overview", "steps"]]);
  if (!steps || steps.table.rows.length < 2) return null;
  return (
    <section aria-labelledby="each-step-title">
      <h2 id="each-step-title">{t("home.each_step")}</h2>
      <Exported name={`${steps.report.analysis}.${steps.table.key}.picture`} table={steps.table}><StepColumns table={steps.table} /></Exported>
    </section>
  );
}

function ByRank({ answer, run }: { answer: ReportSet; run: string }) {
  const devices = hasDevices(answer), heat = firstTable(answer, devices ? kByDevice : kByStep);
  if (!heat || (answer.run.ranks < 2 && !devices) || !hasSteps(answer)) return null;
  return (
    <section aria-labelledby="heat-title">
      <h2 id="heat-title">{t("home.heat")}</h2>
      <Exported name={`${heat.report.analysis}.${heat.table.key}.picture`} table={heat.table}>
        <HeatMap table={heat.table} axes={{ across: "step", left: devices ? "device" : "rank" }} onStep={stepChooser()} guilty={guiltyIn(answer)} place={`${heat.report.analysis}.${heat.table.key}`} />
      </Exported>
      <p><a href={linkTo(["run", run, "report", heat.report.analysis], { at: `table-${heat.table.key}` })}>{t("home.as_table")}</a></p>
    </section>
  );
}

// What one rank, or a recording without steps, is best known by, the best first: where no ranks differ, what it runs.
const firstBars = (value: string, choice: Choice = {}) => plainBars(value, { most: 8, ...choice });

const kWhatRuns: readonly (readonly [analysis: string, table: string, picture: ComponentType<PictureProps>])[] = [
  ["kernel_breakdown", "top", firstBars("sum")], ["python", "tree", FlameGraph], ["operators", "top", firstBars("self")],
  ["hlo_operators", "top", firstBars("self")], ["memory_timeline", "uses", UsesOverTime], ["memory_timeline", "holders", firstBars("bytes", { ofOneRank: true })],
  ["memory_profile", "at_peak", firstBars("bytes", kAtPeak)], ["memory_timeline", "devices", firstBars("peak_allocated")],
];

function WhatRuns({ answer, run }: { answer: ReportSet; run: string }) {
  if (answer.run.ranks > 1 && hasSteps(answer)) return null;
  for (const [analysis, key, Picture] of kWhatRuns) {
    const report = reportOf(answer, analysis), table = tableOf(report, key);
    if (!report || !table) continue;
    return (
      <section aria-labelledby="runs-title">
        <h2 id="runs-title" lang={langOf(report.title)}>{visible(report.title)}</h2>
        <Exported name={`${analysis}.${key}.picture`} table={table}><Picture report={report} table={table} /></Exported>
        <p><a href={linkTo(["run", run, "report", analysis], { at: `table-${key}` })}>{t("home.as_table")}</a></p>
      </section>
    );
  }
  return null;
}

// Which job the run is of, and why; or why its goodput is not shown.
function GoodputSource({ state, goodput }: { state: State; goodput: ReportSet }) {
  const match = goodput.reports.find(({ analysis }) => analysis === "goodput_match"), job = jobOfRun(goodput);
  if (!match) return null;
  if (!job) return <p class="faint goodput-source">{t("home.goodput_none")} <span lang={langOf(match.why)}>{visible(match.why)}</span></p>;
  const name = state.ledgers.length > 1 ? state.ledgers.find(({ id }) => id === job.ledger)?.name : undefined;
  return (
    <p class="faint goodput-source">
      {t("home.goodput_of")} <a href={jobLink(job.ledger, job.name)}>{visible(job.name)}</a>
      {name !== undefined && ` (${visible(name)})`}. <span lang={langOf(match.headline)}>{visible(match.headline)}</span>
    </p>
  );
}

const kMostHangs = 3;

// What a stuck job's dumps say, ahead of what its traces say.
function HangVerdict({ source, hang, named }: { source: Source; hang: State["hangs"][number]; named: boolean }) {
  const { value } = useAnswer(`hang ${hang.id}`, "", (signal) => source.hang(hang.id, signal));
  const verdict = value?.verdict ?? "", title = named ? t("choice.hang", { name: visible(hang.name) }) : t("nav.hang");
  return (
    <li>
      <a href={linkTo(["hang", hang.id])}>{title}</a>
      {verdict !== "" && <>{": "}<span lang={langOf(verdict)}>{visible(verdict)}</span></>}
    </li>
  );
}

function Hangs({ source, state }: { source: Source; state: State }) {
  if (state.hangs.length === 0) return null;
  const shown = state.hangs.slice(0, kMostHangs);
  return <ul class="hang-verdicts panel">{shown.map((hang) => <HangVerdict key={hang.id} source={source} hang={hang} named={state.hangs.length > 1} />)}</ul>;
}

// Before what is said of chosen steps, which need not hold for the job.
const saysSteps = (steps: string): string => (/^\d/.test(steps) ? t(/^\d+$/.test(steps) ? "home.step" : "home.steps", { steps }) : "");

export function HomePage({ source, state, run, answer }: { source: Source; state: State; run: Run; answer: ReportSet }) {
  const goodput = useAnswer(`goodput ${run.id}`, state.ledgers.length === 0 ? null : `${run.revision ?? 0}`, (signal) => source.goodput(run.id, signal));
  const info = answer.run, selection = useContext(Served)?.selection;
  const [first, rest] = verdictOf(answer);
  return (
    <article class="home">
      {answer.subject && <p class="subject">{visible(answer.subject)}</p>}
      <Hangs source={source} state={state} />
      <h1 class="verdict" lang={langOf(first)}>{saysSteps(info.steps)}{visible(first)}</h1>
      {rest !== "" && <p class="verdict-rest" lang={langOf(rest)}>{visible(rest)}</p>}
      <p class="faint">
        {t("home.read", { files: humanCount(info.files.length), ranks: ranksText(info, selection?.ranks ?? ""), steps: stepsText(info) })}{" "}
        <a href={linkTo(["run", run.id, "input"])}>{info.notes.length > 0 ? t("home.notes", { notes: info.notes.length }) : t("page.input")}</a>
        {hasTimeline(source, run) && <>{" · "}<a href={linkTo(["run", run.id, "timeline"])}>{t("home.timeline")}</a></>}
      </p>
      {goodput.value && <GoodputSource state={state} goodput={goodput.value} />}
      <Tiles run={run.id} answer={answer} goodput={goodput.value} />
      <div class="home-columns">
        <div>
          <Parts answer={answer} />
          <ByRank answer={answer} run={run.id} />
          <WhatRuns answer={answer} run={run.id} />
          <EachStep answer={answer} />
        </div>
        <TopFindings answer={answer} base={["run", run.id, "report"]} />
      </div>
    </article>
  );
}
