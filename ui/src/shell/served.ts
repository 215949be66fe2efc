// Tells a picture of which run it is, and whom to ask more about it.
import { createContext } from "preact";
import type { Run, Source } from "../data/source";

export interface Served {
  readonly source: Source;
  readonly run: Run;
}

// Null where a picture is of no run alone: a comparison, a ledger.
export const Served = createContext<Served | null>(null);
