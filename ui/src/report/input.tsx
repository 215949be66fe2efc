// Shows the input: files, their ranks, and notes.
import { useMemo } from "preact/hooks";
import type { RunInfo, Table } from "../data/report";
import { t, useLanguage } from "../text";
import { humanCount, visible } from "./format";
import { Notes } from "./notes";
import { DataTable } from "./table";

function fileTable(info: RunInfo): Table {
  return {
    key: "files", title: t("input.files"),
    columns: [
      { key: "path", title: t("input.path"), unit: "", role: "key" },
      { key: "rank", title: t("input.rank"), unit: "", role: "value" },
      { key: "window", title: t("input.window"), unit: "", role: "value" },
      { key: "events", title: t("input.events"), unit: "count", role: "value" },
      { key: "gpu_events", title: t("input.gpu_events"), unit: "count", role: "value" },
      { key: "bytes", title: t("input.bytes"), unit: "bytes", role: "value" },
      { key: "problem", title: t("input.problem"), unit: "", role: "value" },
    ],
    rows: info.files.map((file) => [file.path, file.rank, file.window, file.events, file.gpu_events, file.bytes, file.problem]),
  };
}

// Which steps count, as the header has it.
export const stepsText = ({ steps }: RunInfo): string => (steps === "all" || steps === "complete" ? t(`choice.${steps}`) : steps);

// How many ranks the input has, and which of them are chosen.
export const ranksText = ({ ranks }: RunInfo, chosen: string): string => (chosen === "" ? humanCount(ranks) : t("input.chosen", { chosen: visible(chosen), all: humanCount(ranks) }));

export function InputPage({ info, chosen }: { info: RunInfo; chosen: string }) {
  const language = useLanguage();
  const table = useMemo(() => fileTable(info), [info, language]);
  return (
    <article>
      <h1>{t("page.input")}</h1>
      <p class="headline">{t("input.message", { name: visible(info.name), files: humanCount(info.files.length), ranks: ranksText(info, chosen), steps: stepsText(info) })}</p>
      <DataTable table={table} name="input" level={2} />
      <Notes notes={info.notes} title={t("input.notes")} />
    </article>
  );
}
