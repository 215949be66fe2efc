// Reads who waits for whom from the table "wait_groups" of a hang: a tree from each root, and what does not fit into one.
import type { Cell, Table } from "../data/report";
import { columnAt, valueAt } from "./parts";

export interface WaitLink {
  readonly from: string;    // a group of ranks: "9, 14"
  readonly to: string;
  readonly ranks: string;   // those of `from` that wait
  readonly waiting: number;
  readonly waits_for: string;  // those of `to` that they wait for
  readonly awaited: number;
  readonly each: number;       // how many of these each of them waits for
  readonly group: string;
  readonly operation: string;
  readonly why: string;     // in the language that is shown
}

export interface WaitNode {
  readonly ranks: string;
  readonly count: number;
  readonly root: string;           // "root", "perhaps"; else empty
  readonly depth: number;          // in the tree
  readonly parent: number;         // which node it hangs below; -1: none
  readonly link: WaitLink | null;  // to that one
}

export interface WaitTree {
  readonly nodes: readonly WaitNode[];
  readonly links: readonly WaitLink[];  // all
  readonly others: readonly (readonly [number, number])[];  // links that are no branch, as nodes
}

const textOf = (cell: Cell | undefined): string => String(cell ?? "");

interface Known {
  count: number;
  root: string;
}

function readLinks(table: Table): { links: WaitLink[]; known: Map<string, Known> } {
  const at = (key: string) => columnAt(table, key), known = new Map<string, Known>(), links: WaitLink[] = [];
  for (const row of table.rows) {
    const text = (key: string) => textOf(row[at(key)]), count = (key: string) => Number(row[at(key)]);
    const [from, to] = [text("from"), text("to")];
    if (from !== "") known.set(from, { count: count("from_count"), root: known.get(from)?.root ?? "" });
    known.set(to, { count: count("to_count"), root: text("root") });
    if (from === "") continue;  // a root that nobody is known to wait for
    links.push({
      from, to, ranks: text("ranks"), waiting: count("waiting"), waits_for: text("waits_for"), awaited: count("awaited"), each: count("each"),
      group: text("group"), operation: text("operation"), why: valueAt(table, row, at("why")).text,
    });
  }
  return { links, known };
}

// Each group of ranks once: below the first one that it waits for.
export function waitTreeOf(table: Table): WaitTree {
  const { links, known } = readLinks(table), nodes: WaitNode[] = [], places = new Map<string, number>(), branches = new Set<WaitLink>();
  const add = (ranks: string, parent: number, link: WaitLink | null): void => {
    const place = nodes.length, { count, root } = known.get(ranks)!;
    places.set(ranks, place);
    nodes.push({ ranks, count, root, depth: parent < 0 ? 0 : nodes[parent]!.depth + 1, parent, link });
    for (const below of links) {
      if (below.to !== ranks || places.has(below.from) || known.get(below.from)!.root !== "") continue;
      branches.add(below);
      add(below.from, place, below);
    }
  };
  for (const [ranks, { root }] of known) if (root !== "") add(ranks, -1, null);
  for (const ranks of known.keys()) if (!places.has(ranks)) add(ranks, -1, null);
  const others = links.filter((link) => !branches.has(link)).map((link) => [places.get(link.from)!, places.get(link.to)!] as const);
  return { nodes, links, others };
}
