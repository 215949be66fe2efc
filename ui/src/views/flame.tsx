// Draws a flame graph of operators below their callers; width is time. For two runs, color and sign show the change.
import { useMemo, useRef, useState } from "preact/hooks";
import type { Table } from "../data/report";
import { shortName } from "../data/short_names";
import { unsigned, visible } from "../report/format";
import { Name } from "../report/names";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { comparedColumns, isCompared, titleOf } from "./compared";
import { boxBeside, layOut, toneOf, treeOf, type Box, type Node } from "./flame_layout";
import { columnAt, largestOf, valueAt, type PictureProps, type Value } from "./parts";

const kRow = 26;        // pixels
const kToPress = 0.03;  // of the width: what is narrower is reached with the arrow keys, not with Tab

const reader = (table: Table, node: Node) => (key: string): Value => valueAt(table, node.row, columnAt(table, key));

// All values of an operator, in words.
function describe(table: Table, node: Node): string {
  const read = reader(table, node);
  const values = isCompared(table)
    ? comparedColumns(table).map((name) => t("compare.message", {
        label: titleOf(table, name), a: read(`${name}_a`).text, b: read(`${name}_b`).text, change: changeText(table, node, name),
      }))
    : table.columns.flatMap(({ key, title, role, unit }) => (role === "value" && unit !== "" ? [`${visible(title)} ${read(key).text}`] : []));
  return `${visible(node.name)}: ${values.join("; ")}`;
}

function changeText(table: Table, node: Node, name: string): string {
  const read = reader(table, node), ratio = read(`${name}_change_ratio`);
  return `${read(`${name}_change`).text}${ratio.number === null ? "" : ` (${ratio.text})`}`;
}

// What stands before the name: "▲ 4.1%".
function changeSign(table: Table, node: Node): string {
  const tone = toneOf(table, node), read = reader(table, node);
  if (tone === "new") return `+ ${t("flame.new")} `;
  if (tone === "gone") return `− ${t("flame.gone")} `;
  const change = read("total_change").number ?? 0;
  return change === 0 ? "= " : `${change > 0 ? "▲" : "▼"} ${unsigned(read("total_change_ratio").text)} `;
}

function Looks() {
  return (
    <ul class="legend">
      {(["longer", "shorter", "new", "gone"] as const).map((tone) => (
        <li key={tone}><span class={`swatch flame-tone ${tone === "longer" || tone === "shorter" ? "much " : ""}${tone}`} aria-hidden="true" /> {t(`flame.legend.${tone}`)}</li>
      ))}
    </ul>
  );
}

// One place for Tab, and from there the arrow keys.
function useArrows(boxes: readonly Box[]) {
  const [at, setAt] = useState("");
  const area = useRef<HTMLDivElement>(null);
  const stop = boxes.find(({ node }) => node.path === at) ?? boxes[0];
  const onKeyDown = (event: KeyboardEvent) => {
    const here = boxes.find(({ node }) => node.path === (event.target as HTMLElement).dataset["path"]);
    const next = here && boxBeside(boxes, here, event.key);
    if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(next.node.path);
    (area.current?.children[boxes.indexOf(next)] as HTMLElement | undefined)?.focus();
  };
  return { area, stop: stop?.node.path, onKeyDown, setAt };
}

// `urlKey`: where the URL has what it is narrowed to.
export function FlameGraph({ table, urlKey = "flame" }: PictureProps & { readonly urlKey?: string }) {
  const { roots, byPath } = useMemo(() => {
    const made = treeOf(table), all = new Map<string, Node>();
    const add = (node: Node): void => {
      all.set(node.path, node);
      node.children.forEach(add);
    };
    made.forEach(add);
    return { roots: made, byPath: all };
  }, [table]);
  const [path, setPath] = useUrlState(urlKey, "");
  const top = byPath.get(path) ?? null, compared = isCompared(table);
  const boxes = useMemo(() => layOut(roots, top), [roots, top]);
  const { area, stop, onKeyDown, setAt } = useArrows(boxes);
  const [pointed, setPointed] = useState<string | null>(null);
  const told = byPath.get(pointed ?? "");
  const deep = largestOf(boxes.map((box) => box.depth)) + 1;
  return (
    <figure class="flame">
      <figcaption>{t(compared ? "flame.title_two" : "flame.title")}</figcaption>
      {compared && <Looks />}
      <div
        class="flame-box" ref={area} style={{ height: `${deep * kRow}px` }} role="group" aria-label={t("flame.label")}
        onKeyDown={onKeyDown} onMouseLeave={() => setPointed(null)}
      >
        {boxes.map(({ node, depth, from, share }) => (
          <button
            key={node.path} type="button" tabIndex={node.path === stop ? 0 : -1} aria-label={`${compared ? changeSign(table, node) : ""}${describe(table, node)}`} data-path={node.path}
            class={`flame-part ${compared ? `flame-tone ${toneOf(table, node)}` : `depth-${depth % 3}`} ${share < kToPress ? "narrow" : ""}`}
            style={{ left: `${100 * from}%`, width: `${100 * share}%`, top: `${depth * kRow}px` }}
            onClick={() => setPath(node.path)} onMouseEnter={() => setPointed(node.path)}
            onFocus={() => { setAt(node.path); setPointed(node.path); }} onBlur={() => setPointed(null)}
          >
            {compared && <span class="flame-sign">{changeSign(table, node)}</span>}{share < kToPress ? visible(shortName(node.name)) : <Name text={shortName(node.name)} />}
          </button>
        ))}
      </div>
      <p class="readout" aria-hidden="true">{told ? describe(table, told) : t("flame.hint")}</p>
      {top && <button type="button" class="quiet" onClick={() => setPath("")}>{t("flame.whole")}</button>}
    </figure>
  );
}
