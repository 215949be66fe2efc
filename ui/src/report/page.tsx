// Shows one analysis from its Report alone: a new analysis needs no code here. Tables with a picture (views/registry) show
// it above.
import { useEffect } from "preact/hooks";
import type { Report, ReportSet } from "../data/report";
import type { Source } from "../data/source";
import { describedIn, langOf } from "../data/words";
import { useCommands } from "../shell/commands";
import { useLoad } from "../shell/load";
import { ProblemPanel } from "../shell/status";
import { usePlace } from "../shell/url";
import { t } from "../text";
import { panelOf, pictureOf } from "../views/registry";
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
    if (at) document.getElementById(at)?.scrollIntoView({ block: "start" });
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
      <SeriesSection series={report.series} tables={report.tables} name={report.analysis} />
      {report.tables.map((table) => {
        const Picture = pictureOf(report, table);
        return (
          <div key={table.key}>
            {Picture && table.rows.length > 0 && <Exported name={`${report.analysis}.${table.key}.picture`} table={table}><Picture report={report} table={table} /></Exported>}
            <DataTable table={table} name={report.analysis} level={2} />
          </div>
        );
      })}
      <Notes notes={report.notes} title={t("report.notes")} />
      {explained && <Explained source={source} name={report.analysis} />}
    </>
  );
}

export function ReportView({ report, base, source, explained = true }: {
  report: Report; base: readonly string[]; source: Source; explained?: boolean;
}) {
  useStartAt();
  return (
    <article>
      <h1 lang={langOf(report.title)}>{visible(report.title)}</h1>
      <StatusLine status={report.status} why={report.why} />
      {report.headline && <p class="headline" lang={langOf(report.headline)}><Says text={report.headline} /></p>}
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
