// Shows the comparison of two runs, report by report.
import type { ReportSet } from "../data/report";
import type { Run, Source, State } from "../data/source";
import { langOf } from "../data/words";
import { visible } from "../report/format";
import { Mentions } from "../report/mentions";
import { ReportView } from "../report/page";
import { useAnswer, useWake } from "../shell/load";
import { baselinesOf, runTitle } from "../shell/choices";
import { Busy, LoadingPanel, ProblemPanel } from "../shell/status";
import { Linked } from "../shell/served";
import { linkTo, usePlace } from "../shell/url";
import { t } from "../text";
import { RunNames } from "./compared";
import { verdictOf } from "./verdict";

function Contents({ answer, run, name }: { answer: ReportSet; run: Run; name: string }) {
  return (
    <nav class="contents" aria-label={t("compare.contents")}>
      <ul>
        {answer.reports.map((report) => (
          <li key={report.analysis}>
            <a href={linkTo(["run", run.id, "compare", report.analysis])} aria-current={report.analysis === name ? "page" : undefined} lang={langOf(report.title)}>{visible(report.title)}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

// Each pair that this run is in, with it as the run after and as the one before: in the order in which the runs were given.
function Pairs({ source, state, run }: { source: Source; state: State; run: Run }) {
  const title = (one: Run): string => runTitle(one, state.runs);
  const pairs = [...baselinesOf(source, state, run).map((before) => ({ before, after: run })),
    ...state.runs.filter((after) => baselinesOf(source, state, after).includes(run)).map((after) => ({ before: run, after }))];
  const place = (one: Run): number => state.runs.indexOf(one);
  pairs.sort((a, b) => place(a.before) - place(b.before) || place(a.after) - place(b.after));
  return (
    <article>
      <h1>{t("page.compare")}</h1>
      <p>{t("compare.choose")}</p>
      <ul class="pairs">
        {pairs.map(({ before, after }) => (
          <li key={`${before.id} ${after.id}`}>
            <a href={linkTo(["run", after.id, "compare"], { with: before.id })}>{t("compare.who", { a: title(before), b: title(after) })}</a>
          </li>
        ))}
      </ul>
    </article>
  );
}

// What is compared, and a link that turns it round.
function Who({ source, state, before, after }: { source: Source; state: State; before: Run; after: Run }) {
  return (
    <p class="who">
      <b>{t("compare.who", { a: runTitle(before, state.runs), b: runTitle(after, state.runs) })}</b>
      {source.compares(after.id, before.id) && <>{" "}<a href={linkTo(["run", before.id, "compare"], { with: after.id })}>{t("compare.swap")}</a></>}
    </p>
  );
}

export function ComparePage({ source, state, run, name }: { source: Source; state: State; run: Run; name: string }) {
  const { query } = usePlace();
  const other = state.runs.find((one) => one.id === query["with"]);
  const selection = { steps: query["steps"] ?? "", ranks: query["ranks"] ?? "" };
  useWake(source, other);
  const versions = `${other?.revision ?? 0} ${run.revision ?? 0}`;
  const loaded = useAnswer(`compare ${other?.id} ${run.id} ${versions}`, other?.state === "ready" && run.state === "ready" ? `${selection.steps} ${selection.ranks}` : null,
    (signal) => source.compare(other!.id, run.id, selection, signal));
  if (!other) {
    return <Pairs source={source} state={state} run={run} />;
  }
  if (other.state === "failed") return <ProblemPanel problem={other.error ?? { what: t("error.unknown"), where: other.path, hint: "" }} />;
  if (loaded.problem) return <ProblemPanel problem={loaded.problem} />;
  if (!loaded.value) return other.state === "ready" ? <Busy /> : <LoadingPanel run={other} />;
  const base = ["run", run.id, "compare"], [first, rest] = verdictOf(loaded.value);
  const shown = loaded.value.reports.find((report) => report.analysis === name) ?? loaded.value.reports[0];
  return (
    <div>
      <div class="compare-head">
        <Who source={source} state={state} before={other} after={run} />
        <p class="verdict" lang={langOf(first)}>{visible(first)}</p>
        {rest !== "" && <p class="verdict-rest" lang={langOf(rest)}>{visible(rest)}</p>}
      </div>
      {shown && <Contents answer={loaded.value} run={run} name={shown.analysis} />}
      <RunNames.Provider value={{ a: runTitle(other, state.runs), b: runTitle(run, state.runs) }}><Mentions.Provider value={{ reports: loaded.value.reports, base }}>
        {shown && <Linked.Provider value={base}><ReportView key={shown.analysis} report={shown} base={base} source={source} explained={false} said={loaded.value.verdict} /></Linked.Provider>}
      </Mentions.Provider></RunNames.Provider>
    </div>
  );
}
