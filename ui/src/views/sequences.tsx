// Draws sequences of kernels: one box a kernel, in the order of their starts. The first sequences of a table.
import { visible } from "../report/format";
import { RowInTimeline } from "../report/in_timeline";
import { cutInMiddle } from "../report/names";
import { shortName } from "../data/short_names";
import { t } from "../text";
import { columnAt, largestOf, valueAt, type PictureProps } from "./parts";

const kMost = 8;      // sequences
const kKernels = 24;  // of each
const kShown = 22;    // characters of a name in a box

export interface Box {
  readonly name: string;  // in full
  readonly times: number;  // in a row
}

// "a | a | b": a twice, then b.
export function boxesOf(sequence: string): Box[] {
  const boxes: { name: string; times: number }[] = [];
  for (const name of sequence.split(" | ")) {
    const last = boxes.at(-1);
    if (last?.name === name) ++last.times;
    else boxes.push({ name, times: 1 });
  }
  return boxes;
}

// Without template arguments: what tells kernels of a sequence apart is their order and their whole name, which is told beside.
const inBox = (name: string): string => cutInMiddle(visible(shortName(name)).replace(/<.*$/, ""), kShown);

export function KernelSequences({ report, table }: PictureProps) {
  const [sequence, count, time, operator] = ["sequence", "count", "gpu_time", "operator"].map((key) => columnAt(table, key)) as [number, number, number, number];
  const rows = table.rows.slice(0, kMost).map((row) => ({
    link: <RowInTimeline table={table} row={row} analysis={report.analysis} />, operator: operator >= 0 ? valueAt(table, row, operator).text : "", boxes: boxesOf(String(row[sequence] ?? "")),
    count: valueAt(table, row, count), time: valueAt(table, row, time),
  }));
  const full = largestOf(rows.map((row) => row.time.number ?? 0));
  return (
    <figure class="sequences">
      <figcaption>{t("sequences.title", { title: visible(table.title) })}</figcaption>
      <ul>
        {rows.map((row, at) => (
          <li key={at}>
            <p class="sequence-head">
              <b>{row.operator}</b> {visible(table.columns[count]!.title)} {row.count.text}, {visible(table.columns[time]!.title)} {row.time.text}{row.link}
            </p>
            <span class="bar sequence-bar" aria-hidden="true"><span class="part k-compute" style={{ width: `${full > 0 ? (100 * (row.time.number ?? 0)) / full : 0}%` }} /></span>
            <ol class="sequence">
              {row.boxes.slice(0, kKernels).map(({ name, times }, place) => (
                <li key={place} title={visible(name)}>{inBox(name)}{times > 1 && <b> ×{times}</b>}</li>
              ))}
              {row.boxes.length > kKernels && <li class="more">{t("sequences.more", { count: row.boxes.length - kKernels })}</li>}
            </ol>
          </li>
        ))}
      </ul>
    </figure>
  );
}
