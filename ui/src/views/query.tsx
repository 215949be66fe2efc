// The page of SQL: a statement, its answer as a table and as a picture, and the tables that it can name.
import { useMemo, useRef, useState } from "preact/hooks";
import type { ReportSet } from "../data/report";
import { placeOfError, tableOfSql, type SqlAnswer } from "../data/sql";
import type { Problem, Run, Source } from "../data/source";
import { csvOf } from "../report/csv";
import { humanCount, visible } from "../report/format";
import { DataTable } from "../report/table";
import { useLoad } from "../shell/load";
import { hasTimeline } from "../shell/served";
import { Busy, ProblemPanel } from "../shell/status";
import { usePlace, useUrlState } from "../shell/url";
import { t } from "../text";
import { examplesOf, kExamples } from "./query_examples";
import { QueryPlot } from "./query_plot";
import { QueryTables } from "./query_tables";

// Whose statement this is: a later one of the same page ends it.
const kClient = Math.random().toString(36).slice(2);

function Answer({ answer }: { answer: SqlAnswer }) {
  const table = useMemo(() => tableOfSql(answer, t("query.answer")), [answer]), [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard?.writeText(csvOf(table)).then(() => setCopied(true), () => setCopied(false));
  return (
    <section>
      {answer.more && <p class="note" role="status">{t("query.more", { rows: humanCount(answer.rows.length) })}</p>}
      {answer.notes.map((note) => <p key={note} class="faint">{visible(note)}</p>)}
      <p>
        <button type="button" class="query-copy" onClick={copy}>{t("query.copy")}</button>{" "}
        <span class="faint" role="status">{copied ? t("query.copied") : ""}</span>
      </p>
      <QueryPlot answer={answer} />
      <DataTable table={table} name="sql" level={2} act={() => null} whole />
    </section>
  );
}

function Wrong({ problem, statement, show }: { problem: Problem; statement: string; show: (from: number, to: number) => void }) {
  const place = placeOfError(statement, problem.where);
  return (
    <>
      <ProblemPanel problem={problem} />
      {place && <button type="button" class="quiet" onClick={() => show(...place)}>{t("query.show_error")}</button>}
    </>
  );
}

export function QueryPage({ source, run, answer }: { source: Source; run: Run; answer: ReportSet | undefined }) {
  const { query } = usePlace(), [asked, setAsked] = useUrlState("sql", "");
  const [text, setText] = useState(asked || kExamples[0].sql), box = useRef<HTMLTextAreaElement>(null);
  const selection = { steps: query["steps"] ?? "", ranks: query["ranks"] ?? "" };
  const key = asked === "" ? null : `${asked}\n${selection.steps} ${selection.ranks}`;
  const loaded = useLoad(`sql ${run.id} ${run.revision ?? 0}`, key, (signal) => source.query([run.id], asked, kClient, selection, signal));
  const ask = () => setAsked(text.trim(), "replace");
  const show = (from: number, to: number) => { box.current?.focus(); box.current?.setSelectionRange(from, to); };
  const insert = (name: string) => {
    const at = box.current?.selectionStart ?? text.length, to = box.current?.selectionEnd ?? at;
    setText(text.slice(0, at) + name + text.slice(to));
    box.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    ask();
  };
  return (
    <article class="query">
      <h1>{t("page.query")}</h1>
      <p class="faint">{t("query.about")}</p>
      <div class="query-columns">
        <div>
          <label class="choose">
            <span>{t("query.examples")}</span>
            <select value="" onChange={(event) => { setText(event.currentTarget.value); event.currentTarget.value = ""; }}>
              <option value="">{t("query.choose")}</option>
              {examplesOf(hasTimeline(source, run)).map(({ title, sql }) => <option key={title} value={sql}>{t(title)}</option>)}
            </select>
          </label>
          <textarea id="query-text" ref={box} rows={8} value={text} spellcheck={false} aria-label={t("query.statement")} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
          <p><button type="button" class="query-run" onClick={ask}>{t("query.run")} <kbd>Ctrl Enter</kbd></button></p>
          {loaded.busy && <Busy />}
          {loaded.problem && <Wrong problem={loaded.problem} statement={asked} show={show} />}
          {loaded.value && !loaded.problem && <div class={loaded.busy ? "stale" : ""}><Answer answer={loaded.value} /></div>}
        </div>
        <QueryTables source={source} run={run} client={kClient} answer={answer} insert={insert} />
      </div>
    </article>
  );
}
