// Draws the frame around every page: header, navigation, and the page that the URL names.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReportSet } from "../data/report";
import type { Run, Selection, Source, State } from "../data/source";
import { ComparePage } from "../views/compare";
import { HangPage } from "../views/hang";
import { HomePage } from "../views/home";
import { InputPage } from "../report/input";
import { Mentions } from "../report/mentions";
import { LedgerPage } from "../views/ledger";
import { ReportPage } from "../report/page";
import { QueryPage } from "../views/query";
import { SnapshotPage } from "../views/snapshot";
import { PatternDefs } from "../views/donut";
import { t, useLanguage } from "../text";
import { Timeline } from "../timeline";
import { CaptureButton } from "./capture";
import { Choices } from "./choices";
import { Drop } from "./drop";
import { Finder } from "./finder";
import { Help } from "./help";
import { useFirstPicture } from "./first_picture";
import { useJob } from "./job";
import { useAnswer, type Loaded } from "./load";
import { HangNav, LedgerNav, RunNav, SnapshotNav } from "./nav";
import { reportBase, routeOf, type Route } from "./routes";
import { RankBar } from "./rank_trace";
import { hasTimeline, Linked, Look, Served } from "./served";
import { useServerState } from "./state";
import { Busy, LoadingPanel, ProblemPanel } from "./status";
import { useShellCommands } from "./shell_commands";
import { Switches } from "./switches";
import { goTo, usePlace } from "./url";

export function useSelection(): Selection {
  const { query } = usePlace();
  return { steps: query["steps"] ?? "", ranks: query["ranks"] ?? "" };
}

// The server answers once the run is read, so that nobody has to ask when. The timeline's page shows none of the
// numbers, and has better use for the memory.
function useRunAnswer(source: Source, run: Run | undefined, page: Route["page"]): Loaded<ReportSet> {
  const selection = useSelection(), pictureIsThere = useFirstPicture(), brief = page === "timeline";
  const key = run && run.state !== "failed" && (!brief || pictureIsThere) ? `${selection.steps} ${selection.ranks}` : null;
  const scope = `answer ${brief ? "brief " : ""}${run?.id} ${run?.revision ?? 0}`;
  return useAnswer(scope, key, (signal) => source.answer(run!.id, { ...selection, brief }, signal));
}

// What the navigation lists stays until another run's is there, from page to page.
function useListed(run: Run | undefined, answer: ReportSet | undefined): ReportSet | undefined {
  const last = useRef<{ readonly run: string; readonly answer: ReportSet }>();
  if (run && answer) last.current = { run: run.id, answer };
  return last.current?.run === run?.id ? last.current?.answer : undefined;
}

function RunPage({ source, state, run, route, answer }: {
  source: Source; state: State; run: Run; route: Route; answer: Loaded<ReportSet>;
}) {
  const other = usePlace().query["with"], selection = useSelection(), settled = useRef(selection);
  if (!answer.busy) settled.current = selection;
  if (run.state === "failed") return <ProblemPanel problem={run.error ?? { what: t("error.unknown"), where: run.path, hint: "" }} />;
  const waits = run.state === "waiting" || run.state === "loading";
  const meanwhile = waits ? <LoadingPanel run={run} /> : <Busy />;
  if (route.page === "timeline") {
    const beside = state.runs.find(({ id }) => id !== run.id && id === other);
    return <Timeline key={`${run.id} ${run.revision ?? 0}`} run={run} beside={beside} source={source} meanwhile={meanwhile} />;
  }
  if (waits && !answer.value) return answer.problem ? <ProblemPanel problem={answer.problem} /> : meanwhile;
  if (route.page === "compare") return <ComparePage source={source} state={state} run={run} name={route.name} />;
  if (answer.problem) return <ProblemPanel problem={answer.problem} />;
  if (!answer.value) return <Busy />;
  const base = reportBase(route) ?? [];
  return (
    <div class={answer.busy ? "stale" : ""} aria-busy={answer.busy}>
      {answer.busy && <Busy />}
      <Linked.Provider value={!hasTimeline(source, run) ? null : route.page === "report" ? base : ["run", run.id]}>
        <Served.Provider value={{ source, run, answer: answer.value, selection: settled.current }}>
        {route.page === "home" && <HomePage source={source} state={state} run={run} answer={answer.value} />}
        {route.page === "query" && (source.live ? <QueryPage key={run.id} source={source} run={run} answer={answer.value} /> : <ProblemPanel problem={{ what: t("query.live"), where: location.hash, hint: "" }} />)}
        {route.page === "input" && <InputPage info={answer.value.run} chosen={settled.current.ranks ?? ""} />}
        {route.page === "report" && <ReportPage source={source} answer={answer.value} name={route.name} base={base} />}
        </Served.Provider>
      </Linked.Provider>
    </div>
  );
}

function Page({ source, state, run, route, answer, ledger, hang, snapshot }: {
  source: Source; state: State; run: Run | undefined; route: Route; answer: Loaded<ReportSet>; ledger: Loaded<ReportSet>; hang: Loaded<ReportSet>; snapshot: Loaded<ReportSet>;
}) {
  if (route.page === "snapshot") return <SnapshotPage source={source} snapshot={route.snapshot} loaded={snapshot} />;
  if (route.page === "hang") return <HangPage source={source} hang={route.hang} loaded={hang} />;
  if (route.page === "ledger") return <LedgerPage source={source} ledger={route.ledger} name={route.name} loaded={ledger} />;
  if (run) return <RunPage source={source} state={state} run={run} route={route} answer={answer} />;
  if (route.page !== "none") return <ProblemPanel problem={{ what: t("error.no_run"), where: location.hash, hint: t("error.no_run_hint") }} />;
  return <p class="panel">{t("page.nothing")}</p>;
}

// The bare address shows the first run, or the first hang, ledger or memory snapshot.
function useFirstPage(state: State | undefined, route: Route): void {
  const first = state?.runs[0], snapshot = state?.snapshots[0];
  const hang = state?.hangs[0], ledger = state?.ledgers[0];
  useEffect(() => {
    if (route.page !== "none") return;
    if (first) goTo(["run", first.id], {}, "replace");
    else if (hang) goTo(["hang", hang.id], {}, "replace");
    else if (ledger) goTo(["ledger", ledger.id], {}, "replace");
    else if (snapshot) goTo(["snapshot", snapshot.id], {}, "replace");
  }, [route.page, first?.id, hang?.id, ledger?.id, snapshot?.id]);
}

const kPrivate = ["host", "user", "path", "address", "value", "secret"] as const;

// Says which names are none in this file.
function Pseudonyms({ kinds }: { kinds: readonly string[] }) {
  const names = kPrivate.filter((kind) => kinds.includes(kind)).map((kind) => t(`pseudonyms.${kind}`));
  return names.length === 0 ? null : <p class="faint pseudonyms">{t("pseudonyms.about", { names: names.join(t("pseudonyms.and")) })} <code>stepscope report --no-redact</code></p>;
}

// A click on the skip link must not change the hash, which is the page's state.
function SkipLink() {
  const skip = (event: Event) => {
    event.preventDefault();
    document.getElementById("content")?.focus();
  };
  return <a class="skip" href="#content" onClick={skip}>{t("skip")}</a>;
}

export function App({ source }: { source: Source }) {
  useLanguage(); // everything is drawn again in another language
  const { state, problem, look } = useServerState(source);
  const route = routeOf(usePlace().path), ranks = useSelection().ranks ?? "";
  useFirstPage(state, route);
  const [open, setOpen] = useState<"" | "help" | "finder">("");
  const [menu, setMenu] = useState(false);
  const run = "run" in route ? state?.runs.find((one) => one.id === route.run) : undefined;
  const answer = useRunAnswer(source, run, route.page);
  const ledgerId = route.page === "ledger" ? route.ledger : undefined;
  const jobName = useJob(ledgerId);
  const ledger = useAnswer(`ledger ${ledgerId}`, ledgerId === undefined ? null : jobName, (signal) => source.ledger(ledgerId!, jobName, signal));
  const snapshotId = route.page === "snapshot" ? route.snapshot : undefined;
  const snapshot = useAnswer("snapshot", snapshotId ?? null, (signal) => source.snapshot(snapshotId!, signal));
  const hangId = route.page === "hang" ? route.hang : undefined;
  const hang = useAnswer(`hang ${hangId}`, hangId === undefined ? null : "", (signal) => source.hang(hangId!, signal));
  const shownOf = { ledger, hang, snapshot } as const;
  const listed = useListed(run, answer.value), shown = route.page === "ledger" || route.page === "hang" || route.page === "snapshot" ? shownOf[route.page].value : listed;
  useShellCommands({ state, route, reports: shown?.reports ?? [], timeline: run !== undefined && hasTimeline(source, run), open: setOpen });
  const path = usePlace().path.join("/");
  useEffect(() => setMenu(false), [path]);
  const compared = state !== undefined && run !== undefined && state.runs.some(({ id }) => source.compares(id, run.id) || source.compares(run.id, id));
  return (
    <>
      <SkipLink />
      <PatternDefs />
      <header>
        <a class="brand" href="#/">Stepscope</a>
        {state && <Choices source={source} state={state} run={run} />}
        <CaptureButton source={source} can={source.live && state?.takes_files === true} look={look} />
        <Switches open={setOpen} />
        <button type="button" class="menu" aria-expanded={menu} aria-controls="navigation" onClick={() => setMenu(!menu)}>{t("nav.menu")}</button>
      </header>
      <nav id="navigation" class={menu ? "open" : ""} aria-label={t("nav.title")}>
        {route.page === "hang" && <HangNav hangs={state?.hangs ?? []} runs={state?.runs ?? []} />}
        {route.page === "snapshot" && <SnapshotNav snapshots={state?.snapshots ?? []} runs={state?.runs ?? []} />}
        {route.page === "ledger" ? <LedgerNav ledger={route.ledger} answer={ledger.value} runs={state?.runs ?? []} /> : run && <RunNav run={run.id} timeline={hasTimeline(source, run)} answer={listed} compared={compared} ledgers={state?.ledgers ?? []} hangs={state?.hangs ?? []} snapshots={state?.snapshots ?? []} />}
      </nav>
      <Look.Provider value={look}>
      <main id="content" tabIndex={-1} class={`page-${route.page}`}>
        {problem && <ProblemPanel problem={problem} />}
        {state && <Pseudonyms kinds={state.pseudonyms ?? []} />}
        {state && run && <RankBar source={source} state={state} run={run} ranks={ranks} />}
        <Mentions.Provider value={{ reports: shown?.reports ?? [], base: reportBase(route) ?? [] }}>
          {state ? <Page source={source} state={state} run={run} route={route} answer={answer} ledger={ledger} hang={hang} snapshot={snapshot} /> : !problem && <Busy />}
        </Mentions.Provider>
      </main>
      </Look.Provider>
      <Drop source={source} takes={source.live && state?.takes_files === true} look={look} />
      {open === "help" && <Help onClose={() => setOpen("")} />}
      {open === "finder" && <Finder onClose={() => setOpen("")} />}
    </>
  );
}
