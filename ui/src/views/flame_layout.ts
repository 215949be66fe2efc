// Computes the boxes of a flame graph from a table of paths. For two runs a box is as wide as the longer of both times, so
// that operators of only one run are kept.
import type { Cell, Table } from "../data/report";
import { columnAt, valueAt } from "./parts";

export interface Node {
  readonly path: string;
  readonly name: string;
  readonly row: readonly Cell[];
  readonly total: number;  // what its width stands for
  readonly parent: Node | null;
  readonly children: Node[];
}

export interface Box {
  readonly node: Node;
  readonly depth: number;
  readonly from: number;  // 0..1
  readonly share: number;
}

const kSmallest = 0.001;  // of the width: what is narrower is not drawn

// A path is the names joined by ";"; parents come before their children, or are missing.
export function treeOf(table: Table): Node[] {
  const at = { path: columnAt(table, "path"), name: columnAt(table, "name") };
  const totals = ["total", "total_a", "total_b"].map((key) => columnAt(table, key)).filter((column) => column >= 0);
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  for (const row of table.rows) {
    const path = String(row[at.path] ?? "");
    const name = String(row[at.name] ?? path.slice(path.lastIndexOf(";") + 1));
    const parent = nodes.get(path.slice(0, Math.max(0, path.length - name.length - 1))) ?? null;
    const total = Math.max(0, ...totals.map((column) => valueAt(table, row, column).number ?? 0));
    const node: Node = { path, name, row, total, parent, children: [] };
    (parent?.children ?? roots).push(node);
    nodes.set(path, node);
  }
  return roots;
}

// The node's own time, or what its children need beside one another: of two runs each child may be from the other.
function widthOf(node: Node, known: Map<Node, number>): number {
  const before = known.get(node);
  if (before !== undefined) return before;
  const width = Math.max(node.total, node.children.reduce((sum, child) => sum + widthOf(child, known), 0));
  known.set(node, width);
  return width;
}

// All operators; or, of `top`, those that called it, each over the whole width, and those below it.
export function layOut(roots: readonly Node[], top: Node | null): Box[] {
  const widths = new Map<Node, number>(), boxes: Box[] = [];
  const width = (nodes: readonly Node[]): number => nodes.reduce((sum, node) => sum + widthOf(node, widths), 0);
  const callers: Node[] = [];
  for (let node = top?.parent ?? null; node; node = node.parent) callers.unshift(node);
  callers.forEach((node, depth) => boxes.push({ node, depth, from: 0, share: 1 }));
  const shown = top ? [top] : roots, whole = width(shown);
  const put = (nodes: readonly Node[], from: number, depth: number): void => {
    let at = from;
    for (const node of nodes) {
      const share = whole > 0 ? widthOf(node, widths) / whole : 0;
      if (share >= kSmallest) {
        boxes.push({ node, depth, from: at, share });
        put(node.children, at, depth + 1);
      }
      at += share;
    }
  };
  put(shown, 0, callers.length);
  return boxes;
}

// Where an arrow key leads: down to what it called, up to its caller, aside to its neighbors in the row.
export function boxBeside(boxes: readonly Box[], at: Box, key: string): Box | undefined {
  const row = boxes.filter(({ depth }) => depth === at.depth), place = row.indexOf(at);
  switch (key) {
    case "ArrowDown": return boxes.find(({ node }) => node.parent === at.node);
    case "ArrowUp": return boxes.find(({ node }) => node === at.node.parent);
    case "ArrowLeft": return row[place - 1];
    case "ArrowRight": return row[place + 1];
    case "Home": return row[0];
    case "End": return row[row.length - 1];
    default: return undefined;
  }
}

export type Tone = "" | "longer" | "much longer" | "shorter" | "much shorter" | "new" | "gone";

// What became of an operator from run a to run b. Less than a hundredth is no change to look at.
export function toneOf(table: Table, node: Node): Tone {
  const read = (key: string): number | null => valueAt(table, node.row, columnAt(table, key)).number;
  const a = read("total_a"), b = read("total_b");
  if (a === null || b === null) return a === null ? "new" : "gone";
  const ratio = a > 0 ? b / a - 1 : b > 0 ? Infinity : 0;
  if (Math.abs(ratio) < 0.01) return "";
  return `${Math.abs(ratio) >= 0.1 ? "much " : ""}${ratio > 0 ? "longer" : "shorter"}`;
}
