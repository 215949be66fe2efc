// Keeps the selected job of a ledger in the URL, as job=LEDGER:NAME. Other ledgers ignore it and show their first job.
import { usePlace, useUrlState } from "./url";

const kOfALedger = /^([0-9a-f]{10}):([^]*)$/;

// Empty: the ledger's first. A name alone, as somebody writes it by hand, is of whichever ledger is shown.
export function jobIn(text: string, ledger: string): string {
  const [, of, name] = kOfALedger.exec(text) ?? [];
  if (of === undefined || name === undefined) return text;
  return of === ledger ? name : "";
}

export const useJob = (ledger: string | undefined): string => jobIn(usePlace().query["job"] ?? "", ledger ?? "");

export function useChosenJob(ledger: string): [string, (name: string) => void] {
  const [text, setText] = useUrlState("job", "");
  return [jobIn(text, ledger), (name) => setText(`${ledger}:${name}`)];
}
