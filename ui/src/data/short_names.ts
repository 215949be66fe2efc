// Keeps which names are shown shorter, as the answers say (`short_names`). A name is shortened to the same in every answer.
import type { ReportSet } from "./report";

const learned = new Map<string, string>();

export function learnNames(answer: ReportSet): ReportSet {
  for (const [full, short] of Object.entries(answer.short_names ?? {})) learned.set(full, short);
  return answer;
}

export const shortName = (full: string): string => learned.get(full) ?? full;
