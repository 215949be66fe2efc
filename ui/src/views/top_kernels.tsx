// Draws the kernels with the most time of one rank and kind: bars, whose rank and kind the reader chooses.
import { wordOf } from "../data/words";
import { visible } from "../report/format";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { columnAt, kindOfRow, labelColumns, valueAt, type PictureProps } from "./parts";
import { barHead, StackedBars, type BarRow } from "./stacked";
import { KernelWhiskers } from "./whiskers";

const kMost = 12;

function Choice({ title, value, values, choose }: { title: string; value: string; values: readonly string[]; choose: (value: string) => void }) {
  if (values.length < 2) return null;
  return (
    <label class="choose">
      <span>{title}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>{values.map((one) => <option key={one} value={one}>{visible(wordOf(one))}</option>)}</select>
    </label>
  );
}

// Values of a column in the order in which they come.
const valuesOf = ({ table }: PictureProps, at: number): string[] => [...new Set(table.rows.map((row) => String(row[at] ?? "")))];

export function TopKernels(props: PictureProps) {
  const { table } = props;
  const [rank, kind, sum] = ["rank", "kind", "sum"].map((key) => columnAt(table, key)) as [number, number, number];
  const ranks = valuesOf(props, rank), kinds = valuesOf(props, kind);
  const [chosenRank, chooseRank] = useUrlState("top.rank", ranks[0] ?? ""), [chosenKind, chooseKind] = useUrlState("top.kind", kinds[0] ?? "");
  const whose = ranks.includes(chosenRank) ? chosenRank : (ranks[0] ?? ""), which = kinds.includes(chosenKind) ? chosenKind : (kinds[0] ?? "");
  const labels = labelColumns(table, ["rank", "kind"]);
  const rows = table.rows.flatMap((row): BarRow[] => {
    const { number, text } = valueAt(table, row, sum);
    if (String(row[rank] ?? "") !== whose || String(row[kind] ?? "") !== which || number === null || number <= 0) return [];
    return [{ ...barHead(props, row, labels), parts: [{ title: visible(table.columns[sum]!.title), kind: kindOfRow(table, row), value: number, text }] }];
  });
  const most = [...rows].sort((a, b) => b.parts[0]!.value - a.parts[0]!.value).slice(0, kMost);
  return (
    <>
      <div class="choices top-choices">
        <Choice title={t("top.rank")} value={whose} values={ranks} choose={chooseRank} />
        <Choice title={t("top.kind")} value={which} values={kinds} choose={chooseKind} />
      </div>
      {most.length > 0 ? <StackedBars rows={most} title={t("top.title", { rank: whose, kind: wordOf(which) })} legend={false} /> : <p class="faint">{t("top.none")}</p>}
      <KernelWhiskers {...props} />
    </>
  );
}
