// Offers the trace of a rank of a reduced run, which the server opens as a run of its own, and says where such a run came from.
import { useContext, useState } from "preact/hooks";
import type { Problem, Run, Source, State } from "../data/source";
import { visible } from "../report/format";
import { t } from "../text";
import { problemOf, useLoad } from "./load";
import { Look, Served } from "./served";
import { ProblemPanel } from "./status";
import { goTo, linkTo } from "./url";

const kOneRank = /^\d+$/;

function OpenTrace({ source, run, rank, opensOnly = false }: { source: Source; run: Run; rank: string; opensOnly?: boolean }) {
  const [problem, setProblem] = useState<Problem | null>(null), [busy, setBusy] = useState(false), look = useContext(Look);
  const traces = useLoad(`trace ${run.id} ${run.revision ?? 0}`, rank, (signal) => source.rankTraces(run.id, Number(rank), signal)).value;
  if (!traces || traces.traces.length === 0 || String(traces.rank) !== rank || (opensOnly && !traces.opens)) return null;
  const open = () => {
    setBusy(true);
    setProblem(null);
    const opened = source.openTrace(run.id, Number(rank)).then(async (id) => {
      await look();
      goTo(["run", id], { steps: "", ranks: "", with: "" });
    });
    void opened.catch((error: unknown) => setProblem(problemOf(error, "api/traces"))).finally(() => setBusy(false));
  };
  const paths = traces.traces.map(({ path }) => visible(path)).join(", ");
  return (
    <>
      <span class="open-trace">
        {traces.opens && <button type="button" disabled={busy} onClick={open} title={paths}>{t("trace.open", { rank })}</button>}
        {!traces.opens && <span class="faint">{t("trace.elsewhere", { rank })} <code>{paths}</code></span>}
      </span>
      {problem && <ProblemPanel problem={problem} />}
    </>
  );
}

// Of the run that is shown; nothing where there is no such trace. `opensOnly`: nor where the server may not open it.
export function TraceOfRank({ rank, opensOnly = false }: { rank: string; opensOnly?: boolean }) {
  const served = useContext(Served);
  return served?.source.live && kOneRank.test(rank) ? <OpenTrace key={rank} source={served.source} run={served.run} rank={rank} opensOnly={opensOnly} /> : null;
}

// Above every page of a run of which one rank is shown.
export function RankBar({ source, state, run, ranks }: { source: Source; state: State; run: Run; ranks: string }) {
  const look = useContext(Look), of = run.trace_of, whole = state.runs.find(({ id }) => id === of?.run);
  if (of) {
    const leave = () => { if (whole) goTo(["run", whole.id], { steps: "", ranks: "", with: "" }); else goTo([]); };
    const close = () => void source.closeTrace(run.id).catch(() => undefined).then(() => { leave(); return look(); });
    return (
      <p class="rank-bar">
        <span>{t("trace.shown", { rank: String(of.rank) })} {whole && <a href={linkTo(["run", whole.id])}>{visible(whole.name)}</a>}</span>
        <button type="button" onClick={close}>{t("trace.close")}</button>
      </p>
    );
  }
  if (!source.live || !kOneRank.test(ranks) || run.state === "failed") return null;
  return <div class="rank-bar"><OpenTrace key={ranks} source={source} run={run} rank={ranks} /></div>;
}
