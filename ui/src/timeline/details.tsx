// Shows the selected event: its fields, enclosing operators, related events, and all events of its name.
import type { EventDetails, EventRef } from "../data/source";
import { shortName } from "../data/short_names";
import { describedIn } from "../data/words";
import { cellText, humanTime, visible } from "../report/format";
import { Metrics } from "../report/metrics";
import { DataTable } from "../report/table";
import { useAnswer } from "../shell/load";
import { Busy, ProblemPanel } from "../shell/status";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { FlameGraph } from "../views/flame";
import { Analyses } from "./analyses";
import type { Controller } from "./controller";
import { Histogram } from "./histogram";
import { kindOfEvent } from "./kinds";
import { rankTitle, shownTitle } from "./lanes";
import { startText } from "./ticks";

function Goto({ controller, to, name }: { controller: Controller; to: EventRef; name: string }) {
  return (
    <button type="button" class="tl-goto" title={visible(name)} onClick={() => void controller.select(to, { reveal: "all" })}>{visible(shortName(name))}</button>
  );
}

function Facts({ event, controller }: { event: EventDetails; controller: Controller }) {
  const track = controller.info.tracks[event.track];
  const fact = (key: string, title: string, value: string) => [
    <dt key={`${key} title`}>{title}</dt>, <dd key={key} data-field={key}>{value}</dd>,
  ];
  return (
    <dl class="facts">
      {fact("kind", t("timeline.kind"), t(`kind.${kindOfEvent(controller.info, event.kind)}`))}
      {fact("start", t("timeline.start"), startText(event.start, event.duration))}
      {fact("duration", t("timeline.duration"), humanTime(event.duration))}
      {fact("rank", t("timeline.rank"), String(event.rank))}
      {track && fact("track", t("timeline.track"), visible(shownTitle(controller.info, `${track.group} · ${track.name}`)))}
      {event.fields.map(({ key, title, value, unit }) => fact(`field.${key}`, visible(describedIn(event.words, title)), cellText(value, unit)))}
    </dl>
  );
}

function Stack({ event, controller }: { event: EventDetails; controller: Controller }) {
  if (event.stack.length === 0) return null;
  return (
    <section>
      <h3>{t("timeline.stack")}</h3>
      <ol class="tl-list">
        {event.stack.map((frame, i) => <li key={i}><Goto controller={controller} to={frame} name={frame.name} /></li>)}
      </ol>
    </section>
  );
}

function Links({ event, controller }: { event: EventDetails; controller: Controller }) {
  if (event.links.length === 0) return null;
  const rankOf = (track: number): string => shownTitle(controller.info, rankTitle(controller.info, controller.info.tracks[track]?.rank_index ?? -1));
  return (
    <section>
      <h3>{t("timeline.links")}</h3>
      <ul class="tl-list">
        {event.links.map((link, i) => (
          <li key={i}>
            <span class="faint">{t(`timeline.link.${link.relation}`)}</span> <Goto controller={controller} to={link} name={link.name} />{" "}
            <span class="faint">{visible(rankOf(link.track))}, {humanTime(link.end - link.start)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Occurrences({ event, controller }: { event: EventDetails; controller: Controller }) {
  const { source, run, loads } = controller;
  const name = `${event.track}.${event.event}`;
  const { value, problem } = useAnswer(`occurrences ${loads}`, name, (signal) => source.occurrences(run, event, signal));
  const report = value?.reports[0];
  return (
    <section aria-busy={!report}>
      <h3>{t("timeline.occurrences")}</h3>
      {problem && <ProblemPanel problem={problem} />}
      {!report && !problem && <Busy />}
      {report && <Metrics metrics={report.metrics} />}
      {report?.series.map((series) => (
        <Histogram
          key={series.key} series={series} report={report}
          onChoose={({ from, to }, last) => void controller.selectAgain(Math.ceil(from), last ? to : Math.max(from, to - 1))}
        />
      ))}
      {report?.tables.map((table) => <DataTable key={table.key} table={table} name="occurrences" />)}
    </section>
  );
}

// What the event's name is called by on its thread, and what it calls: asked for when it is opened.
function CallersAndCallees({ event, controller }: { event: EventDetails; controller: Controller }) {
  const [open, setOpen] = useUrlState("calls", "");
  const { source, run, loads, info } = controller, shown = open === "1";
  const query = { from: 0, to: info.end + 1, tracks: [event.track], by: "stack", around: { track: event.track, event: event.event } } as const;
  const { value, problem, busy } = useAnswer(`calls ${loads}`, shown ? JSON.stringify(query) : null, (signal) => source.select(run, query, signal));
  const report = value?.reports[0];
  return (
    <section class="tl-calls">
      <button type="button" aria-expanded={shown} onClick={() => setOpen(shown ? "" : "1", "replace")}>{t("timeline.calls")}</button>
      <button type="button" onClick={() => controller.flameOf(event.track)}>{t("timeline.flame")}</button>
      {problem && <ProblemPanel problem={problem} />}
      {busy && <Busy />}
      {shown && report?.tables.map((table) => (
        <div key={table.key} class={`tl-${table.key}`}>
          <h3>{t(table.key === "callers" ? "timeline.callers" : "timeline.callees")}</h3>
          <FlameGraph report={report} table={table} urlKey={`flame.${table.key}`} />
        </div>
      ))}
    </section>
  );
}

export function Details({ event, controller }: { event: EventDetails; controller: Controller }) {
  return (
    <section class="tl-details" aria-label={t("timeline.details")}>
      <div class="tl-panel-head">
        <h2 tabIndex={event.name.length > 200 ? 0 : -1}>{visible(event.name)}</h2>
        <button type="button" aria-label={t("timeline.close")} onClick={() => controller.change({ selected: null })}>×</button>
      </div>
      {controller.source.live && <CallersAndCallees event={event} controller={controller} />}
      <Facts event={event} controller={controller} />
      <div>
        <Stack event={event} controller={controller} />
        <Links event={event} controller={controller} />
        <Analyses event={event} info={controller.info} run={controller.run} />
      </div>
      {controller.source.live && <Occurrences event={event} controller={controller} />}
    </section>
  );
}
