// Leads from an event to the tables of the analyses that count it, with its name as their filter.
import { useContext } from "preact/hooks";
import type { EventDetails, TimelineInfo } from "../data/source";
import { visible } from "../report/format";
import { Mentions } from "../report/mentions";
import { linkTo } from "../shell/url";
import { t } from "../text";
import { kindOfEvent } from "./kinds";

interface Place {
  readonly analysis: string;
  readonly table: string;
  readonly named: boolean;  // its rows are names of events
}

const at = (analysis: string, table: string, named = true): Place => ({ analysis, table, named });

// The analyses of what runs on a device, of communication, of annotations and of the host.
export function placesOf(event: Pick<EventDetails, "track" | "kind">, info: TimelineInfo): readonly Place[] {
  const track = info.tracks[event.track], kind = kindOfEvent(info, event.kind);
  if (track?.kind === "steps") return [at("steps", "steps", false)];
  if (track?.kind === "annotations" || event.kind === "annotation" || event.kind === "gpu annotation") return [at("user_annotations", "annotations")];
  if (track?.kind === "stream") {
    const kernels = [at("kernels", "top"), at("kernel_distribution", "kernels")];
    return kind === "communication" ? [at("collectives", "collectives", false), ...kernels] : kernels;
  }
  if (event.kind === "runtime") return [at("launch_stats", "calls")];
  return event.kind === "operator" ? [at("operators", "top")] : [];
}

const kMostWords = 200;  // characters of a name that a table is filtered by

export function Analyses({ event, info, run }: { event: EventDetails; info: TimelineInfo; run: string }) {
  const { reports } = useContext(Mentions);
  const known = placesOf(event, info).flatMap((place) => {
    const report = reports.find((one) => one.analysis === place.analysis);
    return report ? [{ ...place, title: report.title }] : [];
  });
  if (known.length === 0) return null;
  return (
    <section>
      <h3>{t("timeline.in_analyses")}</h3>
      <ul class="tl-analyses">
        {known.map(({ analysis, table, named, title }) => (
          <li key={analysis}>
            <a href={linkTo(["run", run, "report", analysis], { at: `table-${table}`, ...(named && { [`find.${table}`]: event.name.slice(0, kMostWords) }) })}>{visible(title)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
