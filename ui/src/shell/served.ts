// Tells a picture of which run it is, and whom to ask more about it; and rows, whose timeline they lead to.
import { createContext } from "preact";
import type { ReportSet } from "../data/report";
import type { Run, Selection, Source } from "../data/source";

export interface Served {
  readonly source: Source;
  readonly run: Run;
  readonly answer?: ReportSet;  // all of what is shown of it
  readonly selection?: Selection;  // that it is of: another may have been asked for already
}

// Null where a picture is of no run alone: a comparison, a ledger.
export const Served = createContext<Served | null>(null);

// Looks at once which runs there are.
export const Look = createContext<() => Promise<void>>(() => Promise.resolve());

// Whether there is a timeline of the run to lead to: not of partials, nor in a file without events.
export const hasTimeline = (source: Source, run: Run): boolean => run.timeline !== false && source.shows(run.id);

// The base of the page of a run, ["run", ID] or longer, which the timeline leads back to. Null where rows are of no run: a
// ledger, what is selected in the timeline itself; or of one without a timeline.
export const Linked = createContext<readonly string[] | null>(null);
