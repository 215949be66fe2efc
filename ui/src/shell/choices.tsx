// Shows the header's selections for all pages: run, baseline run, steps and ranks. The URL alone holds them.
import { useEffect, useState } from "preact/hooks";
import { rangesTyped } from "../data/numbers";
import type { Run, Source, State } from "../data/source";
import { visible } from "../report/format";
import { t } from "../text";
import { currentPlace, goTo, setQuery, useUrlState, type Query } from "./url";

// Runs of the same name are told apart by their path.
export function runTitle(run: Run, runs: readonly Run[]): string {
  const twin = runs.some((other) => other.id !== run.id && other.name === run.name);
  return visible(twin ? run.path : run.name);
}

function RunChooser({ state, run }: { state: State; run: Run | undefined }) {
  const choose = (value: string) => {
    const [what, id] = value.split(" ") as [string, string];
    const { path, query } = currentPlace();
    if (what === "ledger" || what === "hang" || what === "snapshot") goTo([what, id]);
    else goTo(["run", id, ...(path[0] === "run" ? path.slice(2) : [])], query["with"] === id ? { with: "" } : {});
  };
  const { path } = currentPlace();
  const value = path[0] === "ledger" || path[0] === "hang" || path[0] === "snapshot" ? `${path[0]} ${path[1]}` : `run ${run?.id ?? ""}`;
  return (
    <label>
      <span>{t("choice.run")}</span>
      <select id="choose-run" value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {state.runs.map((one) => (
          <option key={one.id} value={`run ${one.id}`}>
            {runTitle(one, state.runs)}{one.state === "ready" ? "" : ` (${t(`run.${one.state}`)})`}
          </option>
        ))}
        {state.hangs.map((one) => (
          <option key={one.id} value={`hang ${one.id}`}>{t("choice.hang", { name: visible(one.name) })}</option>
        ))}
        {state.ledgers.map((one) => (
          <option key={one.id} value={`ledger ${one.id}`}>{t("choice.ledger", { name: visible(one.name) })}</option>
        ))}
        {state.snapshots.map((one) => (
          <option key={one.id} value={`snapshot ${one.id}`}>{t("choice.snapshot", { name: visible(one.name) })}</option>
        ))}
      </select>
    </label>
  );
}

// What a run is compared with: what can be the run before it.
export const baselinesOf = (source: Source, state: State, run: Run): readonly Run[] =>
  state.runs.filter((one) => one.state !== "failed" && source.compares(one.id, run.id));

// What stays of the timeline's place when another run comes beside it, or goes: times and tracks of two runs are others than those
// of one.
const keptBeside = ({ filter = "", find = "", regex = "", with: before = "", sel = "" }: Query): Query => ({ filter, find, regex, sel: before ? "" : sel });

function WithChooser({ source, state, run }: { source: Source; state: State; run: Run }) {
  const [other] = useUrlState("with", "");
  const others = baselinesOf(source, state, run);
  if (others.length === 0) return null;
  const choose = (id: string) => {
    const { path, query } = currentPlace();
    if (path[2] === "timeline") return goTo(path, { with: id, ...keptBeside(query) });
    setQuery({ with: id });
    if (id) goTo(["run", run.id, "compare"]);
    else if (currentPlace().path[2] === "compare") goTo(["run", run.id]);
  };
  return (
    <label>
      <span>{t("choice.with")}</span>
      <select id="choose-with" value={other} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{t("choice.nothing")}</option>
        {others.map((one) => <option key={one.id} value={one.id}>{runTitle(one, state.runs)}</option>)}
      </select>
    </label>
  );
}

// A text that counts once Enter is pressed or the field is left.
function TextChoice({ name, fallback, title, hint, options }: {
  name: "steps" | "ranks"; fallback: string; title: string; hint: string; options: readonly string[];
}) {
  const [value, setValue] = useUrlState(name, fallback);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => setValue(rangesTyped(text) || fallback);
  return (
    <label>
      <span>{title}</span>
      <input
        id={`choose-${name}`} type="text" size={10} value={text} placeholder={t("choice.all")} title={hint} list={`${name}-options`}
        spellcheck={false} autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={apply}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
          if (event.key === "Escape") setText(value);
        }}
      />
      <datalist id={`${name}-options`}>{options.map((option) => <option key={option} value={option} />)}</datalist>
    </label>
  );
}

// A report.html holds one selection, and compares with its first run alone.
export function Choices({ source, state, run }: { source: Source; state: State; run: Run | undefined }) {
  const { live } = source;
  return (
    <div class="choices" role="group" aria-label={t("choice.title")}>
      <RunChooser state={state} run={run} />
      {run && <WithChooser source={source} state={state} run={run} />}
      {run && live && <TextChoice name="steps" fallback="all" title={t("choice.steps")} hint={t("choice.steps_hint")} options={["all", "complete"]} />}
      {run && live && <TextChoice name="ranks" fallback="" title={t("choice.ranks")} hint={t("choice.ranks_hint")} options={[]} />}
    </div>
  );
}
