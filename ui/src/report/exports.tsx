// Saves what stands above or around these buttons: as PNG and SVG, as it looks now, and its numbers as CSV.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Table } from "../data/report";
import { t } from "../text";
import { csvOf, saveBlob, saveText } from "./csv";
import { drawingOf, pngOf } from "./drawing";
import { visible } from "./format";

// `of`: the element that is drawn. `name`: of the files, without what they end with.
export function DrawnExports({ name, title, of }: { name: string; title: string; of: () => Element | null }) {
  const drawn = () => {
    const element = of();
    return element && drawingOf(element, title);
  };
  const svg = () => {
    const drawing = drawn();
    if (drawing) saveText(`${name}.svg`, drawing.svg, "image/svg+xml");
  };
  const png = async () => {
    const drawing = drawn();
    if (drawing) saveBlob(`${name}.png`, await pngOf(drawing));
  };
  return (
    <>
      <button type="button" onClick={() => void png()} aria-label={t("picture.save_of", { form: "PNG", title })}>PNG</button>
      <button type="button" onClick={svg} aria-label={t("picture.save_of", { form: "SVG", title })}>SVG</button>
    </>
  );
}

// A picture with its buttons. `table`: its numbers.
export function Exported({ name, table, title = visible(table.title), children }: {
  name: string; table: Pick<Table, "columns" | "rows" | "title">; title?: string; children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const csv = () => saveText(`${name}.csv`, csvOf(table), "text/csv;charset=utf-8");
  return (
    <div class="exported" ref={box}>
      {children}
      <p class="exports">
        <DrawnExports name={name} title={title} of={() => box.current} />
        <button type="button" onClick={csv} aria-label={t("picture.save_of", { form: "CSV", title })}>CSV</button>
      </p>
    </div>
  );
}
