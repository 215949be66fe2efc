// Shows the goodput of a ledger: the same reports as `goodput analyze`. Of several jobs it opens on their list, the one that
// lost most first, and the reader selects one.
import type { ReportSet } from "../data/report";
import type { Source } from "../data/source";
import { langOf } from "../data/words";
import { visible } from "../report/format";
import { ReportView } from "../report/page";
import { useChosenJob } from "../shell/job";
import type { Loaded } from "../shell/load";
import { firstReport } from "../shell/routes";
import { Busy, ProblemPanel } from "../shell/status";
import { t } from "../text";
import { ChipHoursOf } from "./chip_hours";
import { columnAt } from "./parts";

const kList = "goodput_jobs";

function jobsOf(answer: ReportSet): string[] {
  const table = answer.reports.flatMap((report) => report.tables).find((one) => one.key === "jobs" && columnAt(one, "job") >= 0);
  return table ? table.rows.map((row) => String(row[columnAt(table, "job")] ?? "")) : [];
}

function JobChooser({ ledger, answer }: { ledger: string; answer: ReportSet }) {
  const jobs = jobsOf(answer);
  const [chosen, setChosen] = useChosenJob(ledger);
  if (jobs.length < 2) return null;
  return (
    <label class="choose">
      <span>{t("ledger.job")}</span>
      <select id="choose-job" value={jobs.includes(chosen) ? chosen : jobs[0]} onChange={(event) => setChosen(event.currentTarget.value)}>
        {jobs.map((job) => <option key={job} value={job}>{visible(job)}</option>)}
      </select>
    </label>
  );
}

export function LedgerPage({ source, ledger, name, loaded }: { source: Source; ledger: string; name: string; loaded: Loaded<ReportSet> }) {
  const [chosen] = useChosenJob(ledger);
  if (loaded.problem) return <ProblemPanel problem={loaded.problem} />;
  const answer = loaded.value;
  if (!answer) return <Busy />;
  const listed = name === "" && chosen === "" && jobsOf(answer).length > 1;
  const wanted = listed ? kList : name;
  const report = answer.reports.find(({ analysis }) => analysis === wanted) ?? firstReport(answer);
  if (!report) return <p class="panel">{t("page.nothing")}</p>;
  const verdict = answer.verdict;  // that of the list stands above it
  return (
    <div class={loaded.busy ? "stale" : ""} aria-busy={loaded.busy}>
      <JobChooser ledger={ledger} answer={answer} />
      {!listed && <p class="verdict" lang={langOf(verdict)}>{visible(verdict)}</p>}
      {report.analysis === "goodput" && <ChipHoursOf answer={answer} />}
      <ReportView key={report.analysis} report={report} base={["ledger", ledger]} source={source} explained={false} />
    </div>
  );
}
