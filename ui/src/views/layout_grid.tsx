// Shows ranks at their places in the parallel layout: stages of the pipeline to the right, all else below one another.
import { useMemo } from "preact/hooks";
import type { Column, Table } from "../data/report";
import { t } from "../text";
import { HeatMap } from "./heatmap";
import { columnAt, fullLabelOf, labelColumns, type PictureProps } from "./parts";

const kNoPlace = new Set(["host", "recorded"]);

// The same ranks, keyed by place and stage; null where fewer than two coordinates are known. Without a pipeline, the last
// coordinate goes to the right.
export function placesOf(table: Table): Table | null {
  const at = (keep: (column: Column) => boolean) => table.columns.map((_, k) => k).filter((k) => keep(table.columns[k]!));
  const places = at((column) => column.role === "value" && column.unit === "" && !kNoPlace.has(column.key));
  const values = at((column) => column.role === "value" && column.unit !== "");
  if (places.length < 2 || table.rows.length < 2) return null;
  const pipeline = columnAt(table, "pp");
  const across = pipeline >= 0 ? pipeline : places[places.length - 1]!;
  const rest = places.filter((k) => k !== across);
  const key = (name: string, title: string): Column => ({ key: name, title, unit: "", role: "key" });
  return {
    key: table.key,
    title: table.title,
    columns: [key("place", t("heat.axis.place")), key("stage", table.columns[across]!.title), ...values.map((k) => table.columns[k]!)],
    rows: table.rows.map((row) => [
      rest.map((k) => `${table.columns[k]!.title} ${row[k] ?? "?"}`).join(", "),
      row[across] ?? null,
      ...values.map((k) => row[k] ?? null),
    ]),
  };
}

// The place of each rank.
function placeByRank(table: Table, places: Table): ReadonlyMap<string, string> {
  const rank = columnAt(table, "rank"), labels = labelColumns(places, ["stage"]);
  return new Map(table.rows.map((row, at) => [String(row[rank]), fullLabelOf(places, places.rows[at]!, labels)]));
}

export function LayoutGrid({ table }: PictureProps) {
  const places = useMemo(() => placesOf(table), [table]);
  const placeOf = useMemo(() => (places ? placeByRank(table, places) : new Map<string, string>()), [table, places]);
  return places && <HeatMap table={places} axes={{ across: "stage", left: "place" }} labelOf={(rank) => placeOf.get(rank)} />;
}
