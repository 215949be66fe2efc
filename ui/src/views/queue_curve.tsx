// Draws how many activities of one stream were queued, and how many of them had not started: first of the stream that the
// report's sentence names, whose curves come first.
import { useMemo } from "preact/hooks";
import type { Report, Series } from "../data/report";
import { langOf } from "../data/words";
import { chartsOf, partsText, type Chart } from "../report/curves";
import { visible } from "../report/format";
import { ChartView } from "../report/series";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { type PictureProps } from "./parts";

const streamOf = (series: Series): string => series.key.slice(series.key.indexOf(".") + 1);
// "rank 0, stream 7": as its title in English ends, else by its key.
function nameOf(series: Series): string {
  const on = series.title.indexOf(" on ");
  return on >= 0 ? visible(series.title.slice(on + 4)) : partsText(streamOf(series).split(".").filter((part) => part !== "window0"));
}

// Of each stream its curves, by the end of their keys.
export function streamsOf(report: Report): Map<string, Series[]> {
  const streams = new Map<string, Series[]>();
  for (const series of report.series) streams.set(streamOf(series), [...(streams.get(streamOf(series)) ?? []), series]);
  return streams;
}

export function QueueCurve({ report }: PictureProps) {
  const streams = useMemo(() => streamsOf(report), [report]);
  const [chosen, choose] = useUrlState("stream", [...streams.keys()][0] ?? "");
  const curves = streams.get(chosen) ?? [...streams.values()][0];
  const chart = useMemo(() => {
    const [first] = chartsOf(curves ?? []);
    // Titles tell the curves apart: their keys have the same end.
    return first && curves ? ({ ...first, series: curves.map((one) => ({ ...one, key: `queue.${one.key.split(".")[0]}` })) } satisfies Chart) : undefined;
  }, [curves]);
  if (!chart || !curves) return null;
  return (
    <figure class="queue">
      <figcaption lang={langOf(report.title)}>{visible(report.title)}: {nameOf(curves[0]!)}</figcaption>
      {streams.size > 1 && (
        <label class="choose">
          <span>{t("queue.stream")}</span>
          <select value={streams.has(chosen) ? chosen : [...streams.keys()][0]} onChange={(event) => choose(event.currentTarget.value)}>
            {[...streams].map(([key, all]) => <option key={key} value={key}>{nameOf(all[0]!)}</option>)}
          </select>
        </label>
      )}
      <ChartView chart={chart} across={t("series.time")} title={`${visible(report.title)}: ${nameOf(curves[0]!)}`} />
    </figure>
  );
}
