// Shows the navigation of a run: summary, timeline, and one entry per report of the answer.
import type { Report, ReportSet } from "../data/report";
import type { State } from "../data/source";
import { langOf } from "../data/words";
import { visible } from "../report/format";
import { Name } from "../report/names";
import { t } from "../text";
import { useJob } from "./job";
import { ledgerReport } from "./routes";
import { runTitle } from "./choices";
import { isLive } from "./live";
import { linkTo, usePlace } from "./url";

interface Entry {
  readonly path: readonly string[];
  readonly also?: readonly string[];  // another path that leads there
  readonly title: string;
  readonly mark?: { readonly sign: string; readonly message: string };  // after the title
  readonly lang?: string;
  readonly name?: boolean;  // a name of the user's: cut where there is no room
}

function Entries({ title, entries }: { title: string; entries: readonly Entry[] }) {
  const here = usePlace().path.join("/");
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {entries.map((entry) => (
          <li key={entry.path.join("/")}>
            <a href={linkTo(entry.path)} title={entry.name ? entry.title : undefined} aria-current={[entry.path, entry.also].some((path) => path?.join("/") === here) ? "page" : undefined}>
              <span lang={entry.lang}>{entry.name ? <Name text={entry.title} /> : entry.title}</span>{entry.mark && <span class="mark" title={entry.mark.message}><span aria-hidden="true">{entry.mark.sign}</span><span class="hidden">, {entry.mark.message}</span></span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function worst(report: Report): Entry["mark"] {
  const severe = report.findings.find((finding) => finding.severity === "high") ?? report.findings.find((finding) => finding.severity === "medium");
  if (!severe) return report.status === "partial" ? { sign: "◐", message: t("nav.partial") } : undefined;
  return severe.severity === "high" ? { sign: "▲", message: t("nav.high") } : { sign: "◆", message: t("nav.medium") };
}

const entryOf = (base: readonly string[], report: Report): Entry => {
  const mark = worst(report), title = visible(report.label || report.title);
  return { path: [...base, report.analysis], title, lang: langOf(title), ...(mark && { mark }) };
};

const kMostRuns = 12;  // the header has all

// As the core groups analyses, in this order; reports without a group last.
const kGroups = ["overview", "ranks", "device", "host", "memory", "other"] as const;

const groupOf = (report: Report): string => ((kGroups as readonly string[]).includes(report.group ?? "") ? report.group! : "other");

const snapshotEntries = (snapshots: State["snapshots"]): Entry[] =>
  snapshots.slice(0, kMostRuns).map(({ id, name }) => ({ path: ["snapshot", id], title: t("choice.snapshot", { name: visible(name) }), name: true }));

export function RunNav({ run, timeline, answer, compared, ledgers, hangs, snapshots }: {
  run: string; timeline: boolean; answer: ReportSet | undefined; compared: boolean; ledgers: State["ledgers"]; hangs: State["hangs"]; snapshots: State["snapshots"];
}) {
  const reports = answer?.reports ?? [];
  const there = reports.filter((report) => report.status !== "unavailable");
  const missing = reports.filter((report) => report.status === "unavailable");
  const pages: Entry[] = [
    { path: ["run", run], title: t("page.home") },
    ...(timeline ? [{ path: ["run", run, "timeline"], title: t("timeline.title") }] : []),
    ...(compared ? [{ path: ["run", run, "compare"], title: t("page.compare") }] : []),
    { path: ["run", run, "input"], title: t("page.input") },
    ...(isLive() ? [{ path: ["run", run, "query"], title: t("page.query") }] : []),
    ...hangs.map(({ id, name }): Entry => ({ path: ["hang", id], title: hangs.length === 1 ? t("nav.hang") : t("choice.hang", { name: visible(name) }), name: hangs.length > 1 })),
    ...ledgers.map(({ id, name }): Entry => ({ path: ["ledger", id], title: ledgers.length === 1 ? t("nav.ledger") : t("choice.ledger", { name: visible(name) }), name: ledgers.length > 1 })),
    ...snapshotEntries(snapshots),
  ];
  const base = ["run", run, "report"];
  return (
    <>
      <Entries title={t("nav.run")} entries={pages} />
      {kGroups.map((group) => <Entries key={group} title={t(`nav.group.${group}`)} entries={there.filter((report) => groupOf(report) === group).map((report) => entryOf(base, report))} />)}
      {missing.length > 0 && (
        <details class="without">
          <summary>{t("nav.without", { count: missing.length })}</summary>
          <Entries title={t("nav.missing")} entries={missing.map((report) => entryOf(base, report))} />
        </details>
      )}
    </>
  );
}

function RunEntries({ runs }: { runs: State["runs"] }) {
  return <Entries title={t("nav.runs")} entries={runs.slice(0, kMostRuns).map((run) => ({ path: ["run", run.id], title: runTitle(run, runs), name: true }))} />;
}

export function LedgerNav({ ledger, answer, runs }: { ledger: string; answer: ReportSet | undefined; runs: State["runs"] }) {
  const base = ["ledger", ledger], job = useJob(ledger);
  const first = answer && ledgerReport(answer, "", job);
  const entries = (answer?.reports ?? []).map((report): Entry => ({ ...entryOf(base, report), ...(report === first && { also: base }) }));
  return (
    <>
      <Entries title={t("nav.ledger")} entries={entries} />
      <RunEntries runs={runs} />
    </>
  );
}

export function SnapshotNav({ snapshots, runs }: { snapshots: State["snapshots"]; runs: State["runs"] }) {
  return (
    <>
      <Entries title={t("nav.snapshots")} entries={snapshotEntries(snapshots)} />
      <RunEntries runs={runs} />
    </>
  );
}

export function HangNav({ hangs, runs }: { hangs: State["hangs"]; runs: State["runs"] }) {
  return (
    <>
      <Entries title={t("nav.hang")} entries={hangs.map(({ id, name }) => ({ path: ["hang", id], title: visible(name), name: true }))} />
      <RunEntries runs={runs} />
    </>
  );
}
