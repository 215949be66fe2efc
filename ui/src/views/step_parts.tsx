// Draws where a step goes: a bar for each part, before and since a change, or of two runs.
import type { Report, Table } from "../data/report";
import { langOf } from "../data/words";
import { humanCount, humanTime, numberOf, visible } from "../report/format";
import { InTimeline, kOfEvents } from "../report/in_timeline";
import { t } from "../text";
import { lookClass } from "./legend";
import { columnAt, kindOfRow, largestOf, valueAt, type PictureProps } from "./parts";

interface Column {
  readonly title: string;
  readonly at: number;
}

// The columns of times that have any: before and since, those of two runs, or the only one.
function columnsOf(table: Table): Column[] {
  const found = (key: string, title: string): Column[] => {
    const at = columnAt(table, key);
    return at >= 0 && table.rows.some((row) => row[at] !== null) ? [{ title, at }] : [];
  };
  const pair = [...found("before", t("parts.before")), ...found("since", t("parts.since"))];
  if (pair.length === 2) return pair;
  const compared = [...found("time_a", t("parts.before")), ...found("time_b", t("parts.after"))];
  return compared.length === 2 ? compared : found("time", t("parts.time"));
}

function Bar({ title, time, longest, look }: { title: string; time: number; longest: number; look: string }) {
  return (
    <td class="parts-bar">
      <span class="bar" role="img" aria-label={`${title}: ${humanTime(time)}`}>
        <span class={`part ${look}`} style={{ width: `${longest > 0 ? (100 * Math.max(0, time)) / longest : 0}%` }} />
      </span>
      <span class="bar-value">{humanTime(time)}</span>
    </td>
  );
}

const kLeast = 0.001;  // of a step: the table below has the rest

// "1 first step and 2 slow steps"; empty: none. `side`: "_a" and "_b" in a comparison.
function stepsLeftOut({ metrics }: Report, side: string): string {
  return ([["warm_up_steps", "parts.first_one", "parts.first"], ["slow_steps", "parts.slow_one", "parts.slow"]] as const)
    .map(([metric, one, more]) => ({ count: numberOf(metrics.find(({ key }) => key === metric + side)?.value, "count") ?? 0, one, more }))
    .filter(({ count }) => count > 0)
    .map(({ count, one, more }) => t(count === 1 ? one : more, { count: humanCount(count) }))
    .join(t("parts.and"));
}

// What the terminal says of the same means (src/report/summary.cc, SayLeftOut); empty where they leave out nothing.
export function leftOutOf(report: Report): string {
  const steps = stepsLeftOut(report, ""), before = stepsLeftOut(report, "_a"), after = stepsLeftOut(report, "_b");
  if (steps !== "") return t("parts.left_out", { steps });
  if (before !== "" && after !== "") return t("parts.left_out_both", { before, after });
  if (before !== "") return t("parts.left_out_before", { steps: before });
  return after === "" ? "" : t("parts.left_out_after", { steps: after });
}

export function StepPartBars({ report, table }: PictureProps) {
  const columns = columnsOf(table), name = columnAt(table, "part");
  const all = table.rows.map((row) => columns.map(({ at }) => valueAt(table, row, at).number ?? 0));
  const totals = columns.map((_, at) => all.reduce((sum, row) => sum + row[at]!, 0));
  const shown = table.rows.map((_, index) => index).filter((index) => all[index]!.some((time, at) => time >= kLeast * totals[at]!));
  const times = shown.map((index) => all[index]!);
  const longest = largestOf(times.flat()), leftOut = leftOutOf(report);
  if (columns.length === 0) return null;
  return (
    <figure class="step-parts">
      <figcaption>{visible(table.title)}</figcaption>
      <table>
        <thead>
          <tr>
            <td />
            {columns.map(({ title }, at) => <th key={title} scope="col">{title}: <span data-total={at}>{humanTime(totals[at]!)}</span></th>)}
          </tr>
        </thead>
        <tbody>
          {shown.map((place, index) => {
            const row = table.rows[place]!, title = valueAt(table, row, name).text, kind = table.kind_column ? kindOfRow(table, row) : "other";
            return (
              <tr key={title}>
                <th scope="row" lang={langOf(title)}>{title}{kOfEvents.has(kind) && <InTimeline target={{ kind }} place={`${report.analysis}.${table.key}`} />}</th>
                {columns.map((column, at) => <Bar key={column.title} title={`${title}, ${column.title}`} time={times[index]![at]!} longest={longest} look={lookClass(kind)} />)}
              </tr>
            );
          })}
        </tbody>
      </table>
      {leftOut !== "" && <p class="faint left-out">{leftOut}</p>}
    </figure>
  );
}
