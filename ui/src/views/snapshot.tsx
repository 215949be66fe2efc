// Shows a memory snapshot: the same report as `stepscope memory`, with memory over time and the segments above its tables.
import type { ReportSet } from "../data/report";
import type { Source } from "../data/source";
import { ReportView } from "../report/page";
import type { Loaded } from "../shell/load";
import { Busy, ProblemPanel } from "../shell/status";
import { t } from "../text";

export function SnapshotPage({ source, snapshot, loaded }: { source: Source; snapshot: string; loaded: Loaded<ReportSet> }) {
  if (loaded.problem) return <ProblemPanel problem={loaded.problem} />;
  if (!loaded.value) return <Busy />;
  const report = loaded.value.reports[0];
  if (!report) return <p class="panel">{t("page.nothing")}</p>;
  return (
    <div class={loaded.busy ? "stale" : ""} aria-busy={loaded.busy}>
      <ReportView key={snapshot} report={report} base={["snapshot", snapshot]} source={source} explained={false} />
    </div>
  );
}
