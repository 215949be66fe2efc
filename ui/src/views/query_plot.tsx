// Draws two columns of an answer to SQL: bars, one per row, or a line.
import { useMemo, useState } from "preact/hooks";
import type { Series } from "../data/report";
import { isNumber, pointsOf, type SqlAnswer } from "../data/sql";
import { visible } from "../report/format";
import { ChartView } from "../report/series";
import { t } from "../text";
import { StackedBars, type BarRow } from "./stacked";

function Column({ label, columns, at, choose }: { label: string; columns: SqlAnswer["columns"]; at: number; choose: (at: number) => void }) {
  return (
    <label class="choose">
      <span>{label}</span>
      <select value={String(at)} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {columns.map(({ name }, place) => <option key={name} value={String(place)}>{visible(name)}</option>)}
      </select>
    </label>
  );
}

const textOf = (cell: SqlAnswer["rows"][number][number] | undefined): string => (cell === null || cell === undefined ? "-" : visible(String(cell)));

// A number in few letters: its unit is not known.
const short = (value: number): string => (Number.isInteger(value) ? String(value) : value.toPrecision(4));

function Bars({ answer, x, y }: { answer: SqlAnswer; x: number; y: number }) {
  const title = visible(answer.columns[y]!.name);
  const rows = answer.rows.flatMap((row): BarRow[] => {
    const value = row[y];
    return typeof value === "number" && value > 0 ? [{ label: textOf(row[x]), parts: [{ title, kind: "other", value, text: short(value) }] }] : [];
  });
  return <StackedBars rows={rows} title={title} legend={false} />;
}

function Line({ answer, x, y }: { answer: SqlAnswer; x: number; y: number }) {
  const [across, title] = [visible(answer.columns[x]!.name), visible(answer.columns[y]!.name)];
  const chart = useMemo(() => {
    const series: Series = { key: "sql", title, x_unit: "", y_unit: "", points: pointsOf(answer, x, y) };
    const across = series.points.map(([one]) => one ?? 0);
    return { key: "sql", x: "" as const, y: "" as const, from: across[0] ?? 0, to: across.at(-1) ?? 0, series: [series] };
  }, [answer, x, y]);
  return chart.series[0]!.points.length > 1 ? <ChartView chart={chart} across={across} title={title} /> : <p class="faint">{t("query.no_line")}</p>;
}

export function QueryPlot({ answer }: { answer: SqlAnswer }) {
  const { columns } = answer, numbers = columns.map((_, at) => at).filter((at) => isNumber(columns[at]!.type));
  const [kind, setKind] = useState<"none" | "bars" | "line">("none"), [chosenX, setX] = useState(-1), [chosenY, setY] = useState(-1);
  const y = columns[chosenY] && numbers.includes(chosenY) ? chosenY : numbers.at(-1), x = columns[chosenX] ? chosenX : columns.findIndex((_, at) => at !== y);
  if (y === undefined || x < 0 || answer.rows.length === 0) return null;
  return (
    <div class="query-plot">
      <div class="tabs" role="group" aria-label={t("query.plot")}>
        {(["none", "bars", "line"] as const).map((one) => <button key={one} type="button" aria-pressed={kind === one} onClick={() => setKind(one)}>{t(`query.plot.${one}`)}</button>)}
      </div>
      {kind !== "none" && <Column label="x" columns={columns} at={x} choose={setX} />}
      {kind !== "none" && <Column label="y" columns={columns} at={y} choose={setY} />}
      {kind === "bars" && <Bars answer={answer} x={x} y={y} />}
      {kind === "line" && <Line answer={answer} x={x} y={y} />}
    </div>
  );
}
