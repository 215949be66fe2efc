// Keeps the selected job of a ledger in the URL, as job=LEDGER:NAME. Other ledgers ignore it and show their first job.
import type { ReportSet } from "../data/report";
import { linkTo, usePlace, useUrlState } from "./url";

const kOfALedger = /^([0-9a-f]{10}):([^]*)$/;

// Empty: the ledger's first. A name alone, as somebody writes it by hand, is of whichever ledger is shown.
export function jobIn(text: string, ledger: string): string {
  const [, of, name] = kOfALedger.exec(text) ?? [];
  if (of === undefined || name === undefined) return text;
  return of === ledger ? name : "";
}

export const useJob = (ledger: string | undefined): string => jobIn(usePlace().query["job"] ?? "", ledger ?? "");

export interface JobOfRun {
  readonly ledger: string;
  readonly name: string;
}

// The job that Source.goodput() found; null: none.
export function jobOfRun(answer: ReportSet | undefined): JobOfRun | null {
  const match = answer?.reports.find(({ analysis, status }) => analysis === "goodput_match" && status !== "unavailable");
  const of = (key: string) => match?.metrics.find((metric) => metric.key === key)?.value;
  const ledger = of("ledger"), name = of("job");
  return typeof ledger === "string" && typeof name === "string" ? { ledger, name } : null;
}

// The page of a job.
export const jobLink = (ledger: string, job: string): string => linkTo(["ledger", ledger, "goodput"], { job: `${ledger}:${job}` });

export function useChosenJob(ledger: string): [string, (name: string) => void] {
  const [text, setText] = useUrlState("job", "");
  return [jobIn(text, ledger), (name) => setText(`${ledger}:${name}`)];
}
