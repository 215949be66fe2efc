// What is known about the selected event: its fields, the operators around it, what belongs to it, and
// all events of its name.
import type { EventDetails, EventRef } from "../data/source";
import type { Series } from "../data/report";
import { cellText, humanCount, humanNumber, humanTime, visible } from "../report/format";
import { Metrics } from "../report/metrics";
import { DataTable } from "../report/table";
import { useLoad } from "../shell/load";
import { kindOf, kLooks } from "../shell/palette";
import { Busy, ProblemPanel } from "../shell/status";
import { t } from "../text";
import type { Controller } from "./controller";
import { rankTitle } from "./lanes";
import { startText } from "./ticks";

function Goto({ controller, to, name }: { controller: Controller; to: EventRef; name: string }) {
  return (
    <button type="button" class="tl-goto" onClick={() => void controller.select(to, { reveal: "all" })}>{visible(name)}</button>
  );
}

function Facts({ event, controller }: { event: EventDetails; controller: Controller }) {
  const track = controller.info.tracks[event.track];
  const fact = (key: string, title: string, value: string) => [
    <dt key={`${key} title`}>{title}</dt>, <dd key={key} data-field={key}>{value}</dd>,
  ];
  return (
    <dl class="facts">
      {fact("kind", t("timeline.kind"), t(kLooks[kindOf(event.kind)].title))}
      {fact("start", t("timeline.start"), startText(event.start, event.duration))}
      {fact("duration", t("timeline.duration"), humanTime(event.duration))}
      {fact("rank", t("timeline.rank"), String(event.rank))}
      {track && fact("track", t("timeline.track"), visible(`${track.group} · ${track.name}`))}
      {event.fields.map(({ key, title, value, unit }) => fact(`field.${key}`, visible(title), cellText(value, unit)))}
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
  const rankOf = (track: number): string => rankTitle(controller.info, controller.info.tracks[track]?.rank_index ?? -1);
  return (
    <section>
      <h3>{t("timeline.links")}</h3>
      <ul class="tl-list">
        {event.links.map((link, i) => (
          <li key={i}>
            <span class="faint">{t(`timeline.link.${link.says}`)}</span> <Goto controller={controller} to={link} name={link.name} />{" "}
            <span class="faint">{visible(rankOf(link.track))}, {humanTime(link.end - link.start)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

// A bar for each point of the series: how many events (y) last about x.
function Histogram({ series }: { series: Series }) {
  const bars = series.points.map(([x, y]) => ({ x: x ?? 0, y: y ?? 0 }));
  const most = Math.max(1, ...bars.map(({ y }) => y));
  const first = bars[0], last = bars[bars.length - 1];
  if (!first || !last) return null;
  const from = humanNumber(first.x, series.x_unit), to = humanNumber(last.x, series.x_unit);
  const width = 100 / bars.length;
  return (
    <figure class="tl-histogram">
      <svg
        viewBox="0 0 100 40" preserveAspectRatio="none" role="img"
        aria-label={t("timeline.histogram", { bars: bars.length, from, to, most: humanCount(most) })}
      >
        {bars.map(({ x, y }, i) => {
          const height = y > 0 ? Math.max(0.7, (y / most) * 40) : 0;
          return (
            <rect key={i} x={i * width} y={40 - height} width={width * 0.9} height={height}>
              <title>{`${humanNumber(x, series.x_unit)}: ${humanCount(y)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="tl-ends" aria-hidden="true"><span>{from}</span><span>{to}</span></div>
    </figure>
  );
}

function Occurrences({ event, controller }: { event: EventDetails; controller: Controller }) {
  const { source, run, loads } = controller;
  const name = `${event.track}.${event.event}`;
  const { value, problem } = useLoad(`occurrences ${loads}`, name, (signal) => source.occurrences(run, event, signal));
  const report = value?.reports[0];
  return (
    <section aria-busy={!report}>
      <h3>{t("timeline.occurrences")}</h3>
      {problem && <ProblemPanel problem={problem} />}
      {!report && !problem && <Busy />}
      {report && <Metrics metrics={report.metrics} />}
      {report?.series.map((series) => <Histogram key={series.key} series={series} />)}
      {report?.tables.map((table) => <DataTable key={table.key} table={table} name="occurrences" />)}
    </section>
  );
}

export function Details({ event, controller }: { event: EventDetails; controller: Controller }) {
  return (
    <section class="tl-details" aria-label={t("timeline.details")}>
      <div class="tl-panel-head">
        <h2 lang="en" tabIndex={event.name.length > 200 ? 0 : -1}>{visible(event.name)}</h2>
        <button type="button" aria-label={t("timeline.close")} onClick={() => controller.change({ selected: null })}>×</button>
      </div>
      <Facts event={event} controller={controller} />
      <div>
        <Stack event={event} controller={controller} />
        <Links event={event} controller={controller} />
      </div>
      {controller.source.live && <Occurrences event={event} controller={controller} />}
    </section>
  );
}
