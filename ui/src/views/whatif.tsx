// Shows a step of the job before and after each change, and replays those that the reader selects together. The URL keeps
// the selection as `set`.
import type { ComponentChildren } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import type { Report } from "../data/report";
import type { Selection } from "../data/source";
import { visible } from "../report/format";
import { StatusLine } from "../report/notes";
import { useAnswer } from "../shell/load";
import { Served } from "../shell/served";
import { Busy, ProblemPanel } from "../shell/status";
import { usePlace, useUrlState } from "../shell/url";
import { t } from "../text";
import { changesOf, holds, partsOf, withChange, type Change } from "./changes";
import { isCompared } from "./compared";
import { largestOf, tableOf } from "./parts";

const kExample = "rank 9: all = median of ranks; stage 2: compute x0.8; kernel gemm*: x0.7; link tp: x2";

// The step that is left, what is saved of it or added to it, and how wide the error of the replay is.
function Bar({ change, full, bound }: { change: Change; full: number; bound: boolean }) {
  const before = change.before.number ?? 0, after = change.after.number ?? 0, error = change.error.number ?? 0;
  const share = (time: number) => `${(100 * Math.max(0, time)) / full}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span class={`part ${bound ? "run-before" : "run-after"}`} style={{ width: share(Math.min(before, after)) }}><span class="part-text">{change.after.text}</span></span>
      <span class={`part ${after > before ? "added" : "saved"}`} style={{ width: share(Math.abs(before - after)) }} />
      <span class="error-bar" style={{ left: share(after - error), width: share(2 * error) }} />
    </span>
  );
}

interface Toggles {
  readonly chosen: readonly string[];
  toggle(change: string, on: boolean): void;
}

function Row({ text, change, full, bound = false, toggles }: {
  text: string; change?: Change | undefined; full: number; bound?: boolean; toggles?: Toggles | undefined;
}) {
  const name = <span>{visible(text)}</span>;
  return (
    <li>
      {toggles
        ? <label class="change"><input type="checkbox" checked={holds(toggles.chosen, text)} onChange={(event) => toggles.toggle(text, event.currentTarget.checked)} /> {name}</label>
        : <span class="change">{name}</span>}
      {change && <div><Bar change={change} full={full} bound={bound} /><p class="faint">{change.words}</p></div>}
    </li>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return <figure class="bars">{title && <figcaption>{title}</figcaption>}<ul class="change-list">{children}</ul></figure>;
}

// What a replay of all selected changes together says; what cannot be asked, in the words of the server.
function useAsked(set: string) {
  const served = useContext(Served), { query } = usePlace();
  const { steps = "", ranks = "" } = query;
  const selection: Selection = { steps, ranks, only: ["whatif"], param: `whatif.set=${set}` };
  return useAnswer(`whatif ${served?.run.id} ${served?.run.revision ?? 0}`, served?.source.live && set ? `${steps} ${ranks} ${set}` : null,
    (signal) => served!.source.answer(served!.run.id, selection, signal));
}

export function WhatIf({ report }: { report: Report }) {
  const live = useContext(Served)?.source.live ?? false;
  const [set, setSet] = useUrlState("set", "");
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { value, problem, busy } = useAsked(set);
  if (report.status === "unavailable" || report.tables.some(isCompared)) return null;
  const asked = value?.reports[0];
  const listed = changesOf(tableOf(report, "changes")), bounds = changesOf(tableOf(report, "upper_bounds"));
  const answers = asked && !problem ? changesOf(tableOf(asked, "changes")) : [];
  const chosen = partsOf(set), together = answers[0];
  const own = chosen.filter((part) => ![...listed, ...bounds].some((change) => partsOf(change.text).includes(part)));
  const full = largestOf([...listed, ...bounds, ...answers].flatMap(({ before, after, error }) => [before.number ?? 0, (after.number ?? 0) + (error.number ?? 0)]), 1);
  const toggle = (change: string, on: boolean) => {
    setSet(withChange(set, change, on));
    if (on || !own.includes(change)) return;
    setText(change);  // its row goes: to be mended, or asked again
    field.current?.focus();
  };
  const toggles = live ? { chosen, toggle } : undefined;
  const ask = (event: Event) => {
    event.preventDefault();
    setSet(withChange(set, text, true));
    setText("");
  };
  return (
    <section class="whatif" aria-labelledby="whatif-title">
      <h2 id="whatif-title">{t("whatif.title")}</h2>
      <ul class="legend">
        <li><span class="swatch run-after" aria-hidden="true" /> {t("whatif.after")}</li>
        <li><span class="swatch saved" aria-hidden="true" /> {t("whatif.saved")}</li>
        <li><span aria-hidden="true">├┤</span> {t("whatif.error")}</li>
      </ul>
      {listed.length > 0 && <Group title={live ? t("whatif.choose") : ""}>{listed.map((change) => <Row key={change.text} text={change.text} change={change} full={full} toggles={toggles} />)}</Group>}
      {bounds.length > 0 && <Group title={t("whatif.bounds")}>{bounds.map((change) => <Row key={change.text} text={change.text} change={change} full={full} bound toggles={toggles} />)}</Group>}
      {!live && <p class="faint">{t("whatif.file")}</p>}
      {live && own.length > 0 && <Group title={t("whatif.owned")}>{own.map((part) => <Row key={part} text={part} change={answers.find((one) => one.text === part)} full={full} toggles={toggles} />)}</Group>}
      {live && (
        <form class="own-change" onSubmit={ask}>
          <label for="own-change">{t("whatif.own")}</label>
          <input
            id="own-change" ref={field} type="text" value={text} placeholder={partsOf(kExample)[0]} aria-describedby="own-help" spellcheck={false} autocomplete="off"
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit">{t("whatif.ask")}</button>
          <p id="own-help" class="faint">{t("whatif.own_help")} <code lang="en">{kExample}</code></p>
        </form>
      )}
      {live && set && (
        <div class={`asked ${busy ? "stale" : ""}`} aria-busy={busy}>
          {busy && <Busy />}
          {problem && <ProblemPanel problem={problem} />}
          {asked && <StatusLine status={asked.status} why={asked.why} />}
          {together && <div role="status"><Group title={t("whatif.together")}><Row text={together.text} change={together} full={full} /></Group></div>}
        </div>
      )}
    </section>
  );
}
