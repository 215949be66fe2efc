// Says which part of the timeline a number of a report stands for, as the "show" keys of a link; show.ts brings it into sight.
import type { Query } from "../shell/url";

export interface Target {
  readonly rank?: number;
  readonly window?: number;
  readonly step?: string;    // "5", "4..6", or several of these: "4,8,12..14"
  readonly device?: number;
  readonly stream?: number;
  readonly name?: string;    // of an event: the longest of these is selected
  readonly event?: string;   // what a finding says takes the time: the longest so called is selected, if there is one
  readonly kind?: string;    // without these: the longest event of this kind
}

const kNumbers = ["rank", "window", "device", "stream"] as const;
const kTexts = ["step", "name", "event", "kind"] as const;

export const kTargetKeys: readonly string[] = [...kNumbers, ...kTexts].map((key) => `show.${key}`);

// The first screen, as where something is shown from.
export const kHome = "home";

const kMostStretches = 12;
const kLeastRun = 3;  // "4..5" would be a change, which is shown with the step before it

// Steps as a target has them, ascending: those that follow one another as one stretch. Of too many stretches the first step
// alone.
export function stepsOf(steps: readonly number[]): string | undefined {
  const runs: number[][] = [];
  for (const step of steps) {
    const run = runs.at(-1);
    if (run && run.at(-1) === step - 1) run.push(step);
    else runs.push([step]);
  }
  if (steps.length === 0 || runs.length > kMostStretches) return steps[0]?.toString();
  return runs.flatMap((run) => (run.length < kLeastRun ? run.map(String) : [`${run[0]}..${run.at(-1)}`])).join(",");
}

// `back`: where it is shown from: "stragglers" or "stragglers.ranks", on the comparison "compare:stragglers", or the first
// screen.
export function targetQuery(target: Target, back: string): Query {
  const keys = [...kNumbers, ...kTexts].flatMap((key) => (target[key] === undefined ? [] : [[`show.${key}`, String(target[key])] as const]));
  return { ...Object.fromEntries(keys), back };
}

// What a link asks for; null: nothing. Numbers that are none are left out.
export function targetOf(query: Query): Target | null {
  const target: Record<string, number | string> = {};
  for (const key of kNumbers) {
    const text = query[`show.${key}`] ?? "";
    if (/^\d{1,9}$/.test(text)) target[key] = Number(text);
  }
  for (const key of kTexts) {
    const text = query[`show.${key}`];
    if (text) target[key] = text;
  }
  return Object.keys(target).length > 0 ? target : null;
}
