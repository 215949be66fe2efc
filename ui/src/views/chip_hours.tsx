// Draws the way from all chip-hours of a job to those that an ideal program would have needed: what each factor of goodput
// took, and which input would tell a factor that is not known.
import type { Cell, Kind, ReportSet, Table } from "../data/report";
import { Exported } from "../report/exports";
import { humanTime, visible } from "../report/format";
import { t, type TextKey } from "../text";
import { lookClass } from "./legend";
import { columnAt, kindOfRow, reportOf, tableOf, valueAt, type PictureProps } from "./parts";

export interface Step {
  readonly factor: string;
  readonly title: string;
  readonly kind: Kind;
  readonly from: number;    // share of all, 0..1, where its bar begins
  readonly length: number;  // of its bar; of an unknown one: what it may take at most
  readonly known: boolean;
  readonly end: boolean;    // all, or what is left: no factor
  readonly goodput: string; // empty: none
  readonly amount: string;  // "1,234 chip-hours" or a time
  readonly cost: string;    // empty: without a price
  readonly missing: string;
}

const kTitles: Readonly<Record<string, TextKey>> = {
  all: "chips.all", scheduling: "chips.scheduling", running: "chips.running", program: "chips.program", ideal: "chips.ideal",
};

const textOf = (cell: Cell | undefined): string => (cell === null || cell === undefined ? "" : visible(String(cell)));

// A cell in the language that is shown; empty where it has nothing.
const wordsIn = (table: Table, row: readonly Cell[], at: number): string => (textOf(row[at]) === "" ? "" : valueAt(table, row, at).text);

export function stepsOf(table: Table): Step[] {
  const at = Object.fromEntries(["factor", "goodput", "time", "chip_hours", "cost", "left", "missing"].map((key) => [key, columnAt(table, key)])) as Record<string, number>;
  const cellOf = (row: readonly Cell[], key: string): Cell | undefined => row[at[key]!];
  const all = valueAt(table, table.rows[0] ?? [], at["time"]!).number ?? 0;
  const open = table.rows.some((row) => textOf(cellOf(row, "missing")) !== "");
  return table.rows.map((row): Step => {
    const factor = textOf(cellOf(row, "factor"));
    const time = valueAt(table, row, at["time"]!).number, left = valueAt(table, row, at["left"]!).number ?? 0;
    const hours = valueAt(table, row, at["chip_hours"]!), cost = valueAt(table, row, at["cost"]!);
    const goodput = valueAt(table, row, at["goodput"]!);
    const end = factor === "all" || factor === "ideal";
    const title = kTitles[factor];
    return {
      factor, end, known: time !== null, kind: kindOfRow(table, row),
      title: factor === "ideal" && open ? t("chips.at_most") : factor === "all" && hours.number === null ? t("chips.all_time") : title ? t(title) : wordsIn(table, row, at["factor"]!),
      from: all > 0 && !end && time !== null ? left / all : 0,
      length: all > 0 ? (time ?? left) / all : 0,
      goodput: goodput.number === null ? "" : goodput.text,
      amount: time === null ? "" : hours.number === null ? humanTime(time) : t("chips.hours", { hours: hours.text }),
      cost: cost.number === null ? "" : cost.text,
      missing: wordsIn(table, row, at["missing"]!),
    };
  });
}

function wordsOf(step: Step): string {
  if (!step.known) return t("chips.unknown", { missing: step.missing });
  const amount = step.end ? step.amount : t("chips.lost", { amount: step.amount });
  return step.cost ? t("chips.with_cost", { amount, cost: step.cost }) : amount;
}

export function ChipHours({ table }: PictureProps) {
  const steps = stepsOf(table);
  const percent = (share: number) => `${(100 * share).toFixed(3)}%`;
  return (
    <figure class="bars chip-hours">
      <figcaption>{t("chips.title")}</figcaption>
      <ul class="bar-list">
        {steps.map((step) => {
          const words = wordsOf(step);
          return (
            <li key={step.factor}>
              <span class="bar-label">{step.title}{step.goodput && <strong> {step.goodput}</strong>}</span>
              <span class="bar fall" role="img" aria-label={`${step.title}: ${[step.goodput, words].filter(Boolean).join(", ")}`}>
                <span
                  class={step.known ? `part ${lookClass(step.kind)}` : "part chips-unknown"} title={words}
                  style={{ left: percent(step.from), width: percent(step.length) }}
                />
              </span>
              <span class={step.known ? "bar-value" : "bar-value chips-missing"}>{words}</span>
            </li>
          );
        })}
      </ul>
      {steps.some(({ known }) => !known) && <p class="faint">{t("chips.give")}</p>}
    </figure>
  );
}

// The same above the first page of a job.
export function ChipHoursOf({ answer }: { answer: ReportSet }) {
  const report = reportOf(answer, "chip_hours"), table = tableOf(report, "factors");
  if (!report || !table) return null;
  return <Exported name="chip_hours.factors.picture" table={table}><ChipHours report={report} table={table} /></Exported>;
}
