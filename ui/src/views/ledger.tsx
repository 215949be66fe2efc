// Shows the goodput of a ledger: the same reports as `goodput analyze`. Of several jobs it opens on their list, the one that
// lost most first, and the reader selects one.
import type { ReportSet } from "../data/report";
import type { Source } from "../data/source";
import { langOf } from "../data/words";
import { visible } from "../report/format";
import { ReportView } from "../report/page";
import { useChosenJob } from "../shell/job";
import type { Loaded } from "../shell/load";
import { jobsOf, kJobList, ledgerReport } from "../shell/routes";
import { Busy, ProblemPanel } from "../shell/status";
import { goTo } from "../shell/url";
import { t } from "../text";
import { ChipHoursOf } from "./chip_hours";

// From one job to another, and to all of them, whose list needs no second one.
function JobChooser({ ledger, answer }: { ledger: string; answer: ReportSet }) {
  const jobs = jobsOf(answer);
  const [chosen, setChosen] = useChosenJob(ledger);
  if (jobs.length < 2) return null;
  const choose = (job: string) => {
    if (job === "") goTo(["ledger", ledger], { job: "" });
    else setChosen(job);
  };
  const now = jobs.includes(chosen) ? chosen : jobs[0];
  return (
    <label class="choose">
      <span>{t("ledger.job")}</span>
      <select id="choose-job" value={now} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{t("ledger.all_jobs")}</option>
        {jobs.map((job) => <option key={job} value={job}>{visible(job)}</option>)}
      </select>
    </label>
  );
}

export function LedgerPage({ source, ledger, name, loaded }: { source: Source; ledger: string; name: string; loaded: Loaded<ReportSet> }) {
  const [chosen] = useChosenJob(ledger);
  if (loaded.problem) return <ProblemPanel problem={loaded.problem} />;
  const answer = loaded.value, report = answer && ledgerReport(answer, name, chosen);
  if (!answer) return <Busy />;
  if (!report) return <p class="panel">{t("page.nothing")}</p>;
  const listed = report.analysis === kJobList, { verdict } = answer;  // of one job: the list has its own sentence
  const lead = !listed && (
    <>
      <p class="verdict" lang={langOf(verdict)}>{visible(verdict)}</p>
      {report.analysis === "goodput" && <ChipHoursOf answer={answer} />}
    </>
  );
  return (
    <div class={loaded.busy ? "stale" : ""} aria-busy={loaded.busy}>
      {!listed && <JobChooser ledger={ledger} answer={answer} />}
      <ReportView key={report.analysis} report={report} base={["ledger", ledger]} source={source} explained={false} lead={lead} said={listed ? "" : verdict} />
    </div>
  );
}
