// Shows one analysis from its Report alone: a new analysis needs no code here. Tables with a picture (views/registry) show
// it above.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Report, ReportSet, Table } from "../data/report";
import type { Source } from "../data/source";
import { describedIn, langOf } from "../data/words";
import { useCommands } from "../shell/commands";
import { useLoad } from "../shell/load";
import { ProblemPanel } from "../shell/status";
import { usePlace } from "../shell/url";
import { t } from "../text";
import { drawsSeries, isBehindPicture, isFolded, panelOf, pictureOf, tableViewOf } from "../views/registry";
import { Exported } from "./exports";
import { Findings } from "./findings";
import { visible } from "./format";
import { Markdown } from "./markdown";
import { Says } from "./mentions";
import { Metrics } from "./metrics";
import { Notes, StatusLine } from "./notes";
import { SeriesSection } from "./series";
import { DataTable } from "./table";

// "at" in the URL names the section to look at first.
function useStartAt(): void {
  const at = usePlace().query["at"];
  useEffect(() => {
    const there = at ? document.getElementById(at) : null;
    there?.closest("details")?.setAttribute("open", "");
    if (at) there?.scrollIntoView({ block: "start" });
    else window.scrollTo(0, 0);
  }, [at]);
}

function Explained({ source, name }: { source: Source; name: string }) {
  const analyses = useLoad("analyses", "", (signal) => source.analyses(signal));
  const analysis = analyses.value?.find((one) => one.name === name);
  if (!analysis?.doc) return null;
  return (
    <details class="doc">
      <summary>{t("report.doc")}</summary>
      <Markdown text={describedIn(analysis.words, analysis.doc)} />
    </details>
  );
}

function useTableKeys(): void {
  const press = (selector: string, act: (element: HTMLElement) => void) => () => {
    const element = document.querySelector<HTMLElement>(selector);
    if (element) act(element);
  };
  useCommands(() => [
    { id: "table.filter", keys: ["/"], title: "command.filter", group: "table", when: () => document.querySelector(".filter") !== null, run: press(".filter", (element) => element.focus()) },
    { id: "table.save", keys: ["e"], title: "command.save", group: "table", when: () => document.querySelector(".save") !== null, run: press(".save", (element) => element.click()) },
  ], []);
}

function TableOf({ report, table }: { report: Report; table: Table }) {
  const Picture = pictureOf(report, table), Own = tableViewOf(report, table);
  if (Own && table.rows.length > 0) return <Own report={report} table={table} />;
  const data = <DataTable table={table} name={report.analysis} level={2} />;
  const folded = (title: string) => <details class="folded"><summary>{title}</summary>{data}</details>;
  if (isFolded(report, table)) return folded(visible(table.title));
  if (!Picture || table.rows.length === 0) return <div>{data}</div>;
  return (
    <div>
      <Exported name={`${report.analysis}.${table.key}.picture`} table={table}><Picture report={report} table={table} /></Exported>
      {isBehindPicture(table) ? folded(t("report.all_of", { title: visible(table.title) })) : data}
    </div>
  );
}

export function ReportBody({ report, base, source, explained }: {
  report: Report; base: readonly string[]; source: Source; explained: boolean;
}) {
  useTableKeys();
  const Panel = panelOf(report);
  return (
    <>
      <Metrics metrics={report.metrics} />
      <Findings report={report} base={base} />
      {Panel && <Panel report={report} />}
      {!drawsSeries(report) && <SeriesSection series={report.series} tables={report.tables} name={report.analysis} />}
      {report.tables.map((table) => <TableOf key={table.key} report={report} table={table} />)}
      <Notes notes={report.notes} title={t("report.notes")} />
      {explained && <Explained source={source} name={report.analysis} />}
    </>
  );
}

// `lead`: between the heading and the rest. What it says already is not said again below it.
export function ReportView({ report, base, source, explained = true, lead, said = "" }: {
  report: Report; base: readonly string[]; source: Source; explained?: boolean; lead?: ComponentChildren; said?: string;
}) {
  useStartAt();
  return (
    <article>
      <h1 lang={langOf(report.title)}>{visible(report.title)}</h1>
      <StatusLine status={report.status} why={report.why} />
      {lead}
      {report.headline && !said.startsWith(report.headline) && <p class="headline" lang={langOf(report.headline)}><Says text={report.headline} /></p>}
      <ReportBody report={report} base={base} source={source} explained={explained} />
    </article>
  );
}

export function ReportPage({ source, answer, name, base }: {
  source: Source; answer: ReportSet; name: string; base: readonly string[];
}) {
  const report = answer.reports.find((one) => one.analysis === name);
  if (!report) return <ProblemPanel problem={{ what: t("error.no_report", { name: visible(name) }), where: location.hash, hint: "" }} />;
  return <ReportView key={name} report={report} base={base} source={source} />;
}
