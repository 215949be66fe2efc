// Maps paths to pages. Links and the page share this list.
//
//   #/run/ID                    the first screen       #/run/ID/timeline
//   #/run/ID/report/ANALYSIS    one analysis           #/run/ID/input        the files that were read
//   #/run/ID/query              SQL
//   #/snapshot/ID               a memory snapshot
//   #/run/ID/compare[/NAME]     against ?with=ID       #/ledger/ID[/NAME]    goodput of a ledger
//   #/hang/ID                   what a stuck job left behind
import type { Report, ReportSet } from "../data/report";

export type Route =
  | { readonly page: "none" }
  | { readonly page: "home" | "timeline" | "input" | "query"; readonly run: string }
  | { readonly page: "report"; readonly run: string; readonly name: string }
  | { readonly page: "compare"; readonly run: string; readonly name: string }
  | { readonly page: "snapshot"; readonly snapshot: string }
  | { readonly page: "ledger"; readonly ledger: string; readonly name: string }
  | { readonly page: "hang"; readonly hang: string };

export function routeOf(path: readonly string[]): Route {
  const [what, id, page, name] = path;
  if (!id) return { page: "none" };
  if (what === "ledger") return { page: "ledger", ledger: id, name: page ?? "" };
  if (what === "snapshot") return { page: "snapshot", snapshot: id };
  if (what === "hang") return { page: "hang", hang: id };
  if (what !== "run") return { page: "none" };
  if (page === "report" && name) return { page, run: id, name };
  if (page === "compare") return { page, run: id, name: name ?? "" };
  if (page === "timeline" || page === "input" || page === "query") return { page, run: id };
  return { page: "home", run: id };
}

// The path of the pages of reports, without their names.
export function reportBase(route: Route): readonly string[] | null {
  if (route.page === "ledger") return ["ledger", route.ledger];
  if (route.page === "snapshot") return ["snapshot", route.snapshot];
  if (route.page === "hang") return ["hang", route.hang];
  return "run" in route ? ["run", route.run, "report"] : null;
}

// The jobs of a ledger's answer, in the order of its list.
export function jobsOf({ reports }: ReportSet): string[] {
  const table = reports.flatMap(({ tables }) => tables).find(({ key, columns }) => key === "jobs" && columns.some((column) => column.key === "job"));
  const at = table?.columns.findIndex(({ key }) => key === "job") ?? -1;
  return table ? table.rows.map((row) => String(row[at] ?? "")) : [];
}

export const kJobList = "goodput_jobs";

// The report that the page of a ledger shows: where its path names none, the list of its jobs, or of one job its goodput.
export function ledgerReport(answer: ReportSet, name: string, job: string): Report | undefined {
  const named = (wanted: string) => answer.reports.find(({ analysis }) => analysis === wanted);
  const list = name === "" && job === "" && jobsOf(answer).length > 1 ? named(kJobList) : undefined;
  return list ?? named(name) ?? named("goodput") ?? answer.reports[0];
}
