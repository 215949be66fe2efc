// Summarizes a selected area by name, kind, track or rank.
import { useMemo } from "preact/hooks";
import type { Cell } from "../data/report";
import { humanTime, visible } from "../report/format";
import { Picture } from "../report/in_timeline";
import { DataTable } from "../report/table";
import { useAnswer } from "../shell/load";
import { Busy, ProblemPanel } from "../shell/status";
import { useUrlState } from "../shell/url";
import type { BoxQuery } from "../data/source";
import { t, useLanguage } from "../text";
import { FlameGraph } from "../views/flame";
import type { Controller } from "./controller";
import { mergedTables } from "./merged";
import type { Area } from "./scene";
import { startText } from "./ticks";

// To the longest event of a name in the area.
function Longest({ name, query: { from, to, tracks }, controller }: { name: string; query: BoxQuery; controller: Controller }) {
  const says = t("area.longest", { name: visible(name).slice(0, 60) });
  const select = () => void controller.selectFound(controller.source.named(controller.run, { name, kind: "", from, to, tracks }));
  return <button type="button" class="in-timeline" aria-label={says} title={says} onClick={select}><Picture /></button>;
}

const kBy = ["name", "kind", "track", "rank", "stack"] as const satisfies readonly BoxQuery["by"][];

export function AreaPanel({ area, controller }: { area: Area; controller: Controller }) {
  const { source, run, loads } = controller;
  const [chosen, setBy] = useUrlState("by", "name");
  const by = kBy.find((one) => one === chosen) ?? "name";
  const query: BoxQuery = { from: Math.floor(area.from), to: Math.ceil(area.to), tracks: area.tracks, by };
  const length = query.to - query.from;
  const ask = (signal: AbortSignal) => source.select(run, query, signal);
  const nothing = area.tracks.length === 0;  // without tracks the server would take all
  const { value, problem, busy } = useAnswer(`select ${loads} ${by}`, nothing ? null : JSON.stringify(query), ask);
  const { pair } = controller.info, language = useLanguage();
  const tables = useMemo(() => mergedTables(value?.reports.flatMap((report) => report.tables) ?? [], pair ? t("area.merged", { a: visible(pair.names[1]), b: visible(pair.names[0]), by: t(`timeline.by.${by}`) }) : ""), [value, pair, by, language]);
  const longest = (row: readonly Cell[]) => <Longest name={String(row[0] ?? "")} query={query} controller={controller} />;
  return (
    <section class="tl-area" aria-label={t("timeline.area_title")} aria-busy={busy}>
      <div class="tl-panel-head">
        <h2>{t("timeline.area_title")}</h2>
        <button type="button" aria-label={t("timeline.close")} onClick={() => controller.setArea(null)}>×</button>
      </div>
      <p>
        {t("timeline.area_message", { length: humanTime(length), from: startText(query.from, length), tracks: area.tracks.length })}
      </p>
      {nothing && <p class="tl-nothing">{t("timeline.area_nothing")}</p>}
      {!nothing && <div class="tl-by" role="group" aria-label={t("timeline.by")}>
        {kBy.map((one) => (
          <button key={one} type="button" aria-pressed={one === by} onClick={() => setBy(one, "replace")}>{t(`timeline.by.${one}`)}</button>
        ))}
      </div>}
      {problem && <ProblemPanel problem={problem} />}
      {busy && <Busy />}
      {tables.map((table) => (
        <div key={`${by} ${table.key}`}>
          {by === "stack" && table.rows.length > 0 && <FlameGraph report={value!.reports[0]!} table={table} />}
          <DataTable table={table} name="selection" act={by === "name" ? longest : undefined} />
        </div>
      ))}
      {value && <p class="faint tl-note">{t("timeline.area_counts")}</p>}
    </section>
  );
}
