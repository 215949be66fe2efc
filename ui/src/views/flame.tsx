// A flame graph of a table of paths: each operator under the one that called it, as wide as it took.
// Of two runs the width is that of the second, and the colour says whether it got longer or shorter.
import { useMemo } from "preact/hooks";
import type { Cell, Table } from "../data/report";
import { visible } from "../report/format";
import { useUrlState } from "../shell/url";
import { t } from "../text";
import { columnAt, largestOf, valueAt, type PictureProps } from "./parts";

interface Node {
  readonly path: string;
  readonly name: string;
  readonly row: readonly Cell[];
  readonly total: number;
  readonly children: Node[];
}

interface Box {
  readonly node: Node;
  readonly depth: number;
  readonly from: number;  // 0..1
  readonly share: number;
}

const kSmallest = 0.001;
const kRow = 26;  // pixels
const kToPress = 0.03;  // of the width: what is narrower is drawn, and can be pressed once one looks closer

// A path is the names joined by ";"; parents come before their children, or are missing.
export function treeOf(table: Table): Node[] {
  const at = { path: columnAt(table, "path"), name: columnAt(table, "name"), total: columnAt(table, "total") };
  const total = at.total >= 0 ? at.total : columnAt(table, "total_b");
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  for (const row of table.rows) {
    const path = String(row[at.path] ?? "");
    const name = String(row[at.name] ?? path.slice(path.lastIndexOf(";") + 1));
    const node: Node = { path, name, row, total: valueAt(table, row, total).number ?? 0, children: [] };
    const parent = nodes.get(path.slice(0, Math.max(0, path.length - name.length - 1)));
    (parent ? parent.children : roots).push(node);
    nodes.set(path, node);
  }
  return roots;
}

function layOut(nodes: readonly Node[], whole: number, from: number, depth: number, out: Box[]): void {
  let at = from;
  for (const node of nodes) {
    const share = whole > 0 ? node.total / whole : 0;
    if (share >= kSmallest) {
      out.push({ node, depth, from: at, share });
      layOut(node.children, whole, at, depth + 1, out);
    }
    at += share;
  }
}

function find(nodes: readonly Node[], path: string): Node | undefined {
  for (const node of nodes) {
    if (node.path === path) return node;
    const below = path.startsWith(`${node.path};`) ? find(node.children, path) : undefined;
    if (below) return below;
  }
  return undefined;
}

function changeSign(table: Table, node: Node): "" | "longer" | "shorter" {
  const change = valueAt(table, node.row, columnAt(table, "total_change")).number ?? 0;
  return change > 0 ? "longer" : change < 0 ? "shorter" : "";
}

function says(table: Table, node: Node): string {
  const values = table.columns.flatMap((column, at) =>
    column.role === "value" && column.unit !== "" ? [`${visible(column.title)} ${valueAt(table, node.row, at).text}`] : []);
  return `${visible(node.name)}: ${values.join(", ")}`;
}

export function FlameGraph({ table }: PictureProps) {
  const roots = useMemo(() => treeOf(table), [table]);
  const [path, setPath] = useUrlState("flame", "");
  const top = path ? find(roots, path) : undefined;
  const boxes = useMemo(() => {
    const out: Box[] = [];
    const shown = top ? [top] : roots;
    layOut(shown, shown.reduce((sum, node) => sum + node.total, 0), 0, 0, out);
    return out;
  }, [roots, top]);
  const deep = largestOf(boxes.map((box) => box.depth)) + 1;
  return (
    <figure class="flame">
      <figcaption>{t("flame.title")}</figcaption>
      {top && <button type="button" class="quiet" onClick={() => setPath("")}>{t("flame.whole")}</button>}
      <div class="flame-box" style={{ height: `${deep * kRow}px` }}>
        {boxes.map(({ node, depth, from, share }) => {
          const change = changeSign(table, node);
          const sign = change === "longer" ? "▲ " : change === "shorter" ? "▼ " : "";
          const props = {
            class: `flame-part depth-${depth % 3} ${change}`, title: says(table, node),
            style: { left: `${100 * from}%`, width: `${100 * share}%`, top: `${depth * kRow}px` },
          };
          if (share < kToPress) return <span key={node.path} {...props} aria-hidden="true" />;
          return <button key={node.path} type="button" {...props} aria-label={props.title} onClick={() => setPath(node.path)}>{sign + visible(node.name)}</button>;
        })}
      </div>
    </figure>
  );
}
