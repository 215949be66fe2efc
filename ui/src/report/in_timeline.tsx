// Links findings and rows to what they stand for in the timeline.
import { useContext } from "preact/hooks";
import { kindNamed, type Cell, type Finding, type Report, type Table } from "../data/report";
import { Linked } from "../shell/served";
import { linkTo } from "../shell/url";
import { visible } from "./format";
import { t } from "../text";
import { kHome, stepsOf, targetQuery, type Target } from "../timeline/target";

// The columns that name a part of the timeline, the nearest first: "slowest_rank" says which rank where no "rank" does.
const kRank = ["rank", "odd_rank", "slowest_rank", "longest_rank", "compute_max_rank", "last_rank", "critical_rank"];
const kStep = ["step", "longest_step", "peak_step"];
const kName = ["kernel", "annotation", "event", "host_call", "call", "name", "operator"];
const kNoNames = ["devices"];     // tables whose "name" is that of a device
const kOurs = /^\(.*\)$/;         // "(allocated before the trace)" is no event's name
const kPath = "path";  // the last of a path of names is many events

const kKinds: Readonly<Record<string, string>> = { communication: "communication", compute: "compute", copies: "memory", sync: "wait", wait: "communication" };  // ranks wait in collectives

const whole = (cell: Cell | undefined): number | undefined => {
  const number = typeof cell === "string" && /^\d{1,9}$/.test(cell) ? Number(cell) : cell;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

export const kChange = "change";  // a row that is one has a kind, but stands for more or fewer events than the longest of it

// Kinds of rows that events have, too: the longest of a kind stands for it.
export const kOfEvents: ReadonlySet<string> = new Set(["compute", "communication", "memory"]);

// What a row stands for: without an event's name, the longest of its kind. Null where it names neither a rank nor a step nor an event.
export function targetOfRow(table: Table, row: readonly Cell[]): Target | null {
  const cell = (key: string): Cell | undefined => row[table.columns.findIndex((column) => column.key === key && column.unit === "")];
  const first = (keys: readonly string[]) => keys.map((key) => whole(cell(key))).find((number) => number !== undefined);
  const rank = first(kRank), step = first(kStep);
  const names = kNoNames.includes(table.key) || table.columns.some(({ key }) => key === kPath) ? [] : kName.map(cell);
  const name = names.find((text): text is string => typeof text === "string" && text !== "" && !kOurs.test(text));
  if (rank === undefined && step === undefined && name === undefined) return null;
  const kind = table.columns.some(({ key }) => key === kChange) ? null : row[table.columns.findIndex(({ key }) => key === table.kind_column)];
  const [window, device, stream] = ["window", "device", "stream"].map((key) => whole(cell(key)));
  return {
    ...(rank !== undefined && { rank }), ...(step !== undefined && { step: String(step) }), ...(name !== undefined ? { name } : typeof kind === "string" && kOfEvents.has(kind) ? { kind } : {}),
    ...(rank !== undefined && window !== undefined && { window }), ...(rank !== undefined && device !== undefined && { device }), ...(rank !== undefined && stream !== undefined && { stream }),
  };
}

// A change is shown with the step before it.
export function targetOfCause(rank: number | null, in_steps: readonly number[], since: number | null): Target {
  const steps = stepsOf(in_steps) ?? (since !== null ? `${Math.max(0, since - 1)}..${since}` : undefined);
  return { ...(rank !== null && { rank }), ...(steps !== undefined && { step: steps }) };
}

// Of a row that stands for events of several ranks, without the rank: the longest of all is meant.
function ofAllRanks(target: Target, table: Table): Target {
  const named = table.rows.map((row) => targetOfRow(table, row)).filter((other) => other?.name === target.name);
  if (named.every((other) => other?.rank === target.rank)) return target;
  return { ...(target.step !== undefined && { step: target.step }), name: target.name! };
}

// The rank and step of the cause; else the first row of its table that names an event, or the longest event of its kind.
export function targetOfFinding(finding: Finding, report: Report): Target | null {
  const { kind = "" } = finding.cause ?? {}, since = finding.since_step ?? null, where = finding.where;
  const rank = finding.cause?.rank ?? where?.rank ?? null, step = finding.cause?.step ?? null, steps = step !== null ? [step] : where?.steps ?? [];
  const of = kKinds[kind], event = where?.event ?? "";
  if (rank !== null || steps.length > 0 || since !== null || event !== "") return { ...targetOfCause(rank, steps, since), ...(event !== "" && { event }), ...(of && { kind: of }) };
  const table = report.tables.find(({ key }) => key === finding.table), row = table?.rows[0];
  const target = table && row ? targetOfRow(table, row) : null;
  return table && target?.name ? ofAllRanks(target, table) : of ? { kind: of } : null;
}

// Where the timeline leads back to: the page of an analysis, the comparison's, or the first screen.
const backTo = (base: readonly string[], place: string): string => (base.length === 2 ? kHome : base[2] === "compare" ? `compare:${place}` : place);

// `base`: of the page with the link.
const timelineOf = (base: readonly string[], target: Target, place: string): string => linkTo(["run", base[1]!, "timeline"], targetQuery(target, backTo(base, place)));

// Where the link of a finding goes, and that in words; null: it is no part of a run, or of no part of it. `base`: of the
// page that shows it, which the timeline leads back to.
export function timelineOfFinding(finding: Finding, report: Report, base: readonly string[]): { readonly href: string; readonly says: string } | null {
  const target = base[0] === "run" && base[1] ? targetOfFinding(finding, report) : null;
  return target && { href: timelineOf(base, target, report.analysis), says: saysTarget(target) };
}

export const Picture = () => (
  <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><path d="M1 2h7v2.5H1zM5 5.8h8v2.5H5zM2 9.6h6v2.5H2z" fill="currentColor" /></svg>
);

// "4..9" is "4 to 9".
const stretchOf = (steps: string): string => steps.replace(/^(\d+)\.\.(\d+)$/, (_, first: string, last: string) => t("heat.from_to", { first, last }));

// "4..5" are the steps before and after a change: see targetOfCause().
function stepOf(step: string): string {
  const [, before, after] = /^(\d+)\.\.(\d+)$/.exec(step) ?? [];
  if (after !== undefined && Number(after) === Number(before) + 1) return t("table.change_steps", { before: before!, after });
  return after === before && !step.includes(",") ? `${t("heat.axis.step")} ${after ?? step}` : t("heat.steps", { steps: step.split(",").map(stretchOf).join(", ") });
}

// Where a link to the timeline leads, in words.
export function saysTarget({ rank, step, name, event, kind }: Target): string {
  const what = [
    ...(rank !== undefined ? [`${t("heat.axis.rank")} ${rank}`] : []), ...(step !== undefined ? [stepOf(step)] : []),
    ...(name !== undefined ? [name.slice(0, 60)] : event !== undefined ? [visible(event).slice(0, 60)] : []), ...(kind !== undefined ? [t(`kind.${kindNamed(kind)}`)] : []),
  ].join(", ");
  return t("table.in_timeline", { what });
}

// Without text, so that a cell has its value alone. `place`: an analysis and its table.
export function InTimeline({ target, place }: { target: Target; place: string }) {
  const base = useContext(Linked);
  if (!base) return null;
  const says = saysTarget(target);
  return <a class="in-timeline" href={timelineOf(base, target, place)} aria-label={says} title={says}><Picture /></a>;
}

// Of a row that stands for events.
export function RowInTimeline({ table, row, analysis }: { table: Table; row: readonly Cell[]; analysis: string }) {
  const target = targetOfRow(table, row);
  return target && <InTimeline target={target} place={`${analysis}.${table.key}`} />;
}
