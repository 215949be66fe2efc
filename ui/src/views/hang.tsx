// Shows what a stuck job left behind: the same report as `stepscope hang`, the verdict first.
import type { ReportSet } from "../data/report";
import type { Source } from "../data/source";
import { langOf } from "../data/words";
import { visible } from "../report/format";
import { Notes } from "../report/notes";
import { ReportView } from "../report/page";
import type { Loaded } from "../shell/load";
import { Busy, ProblemPanel } from "../shell/status";
import { t } from "../text";
import { reportOf } from "./parts";

export function HangPage({ source, hang, loaded }: { source: Source; hang: string; loaded: Loaded<ReportSet> }) {
  if (loaded.problem) return <ProblemPanel problem={loaded.problem} />;
  const answer = loaded.value;
  if (!answer) return <Busy />;
  const report = reportOf(answer, "hang");
  if (!report) return <p class="panel">{t("page.nothing")}</p>;
  const lead = <p class="verdict" lang={langOf(answer.verdict)}>{visible(answer.verdict)}</p>;
  return (
    <div class={loaded.busy ? "stale" : ""} aria-busy={loaded.busy}>
      <ReportView report={report} base={["hang", hang]} source={source} explained={false} lead={lead} said={answer.verdict} />
      <Notes notes={answer.run.notes} title={t("report.notes")} />
    </div>
  );
}
