// Draws who waits for whom in a hang: each root with those that wait for it below, and below them those that wait for them. The
// sentences under the picture say the same.
import type { Report } from "../data/report";
import { Exported } from "../report/exports";
import { langOf } from "../data/words";
import { visible } from "../report/format";
import { linkTo, usePlace } from "../shell/url";
import { t } from "../text";
import { tableOf } from "./parts";
import { waitTreeOf, type WaitLink, type WaitNode, type WaitTree } from "./wait_nodes";

const kRow = 62;     // pixels from one group to the next
const kBox = 52;     // of a group
const kStep = 26;    // to the right, for each wait
const kGutter = 28;  // on the right, for waits that are no branch
const kDeepest = 6;

function ranksText(ranks: string, count: number): string {
  const list = visible(ranks);
  if (count === 1) return t("hang.rank", { list });
  return list.endsWith("...") ? t("hang.many", { count: count.toLocaleString("en-US"), list }) : t("hang.ranks", { list });
}

const leftOf = (node: WaitNode): number => kStep * Math.min(node.depth, kDeepest);
const rootText = ({ root }: WaitNode): string => (root === "" ? "" : t(root === "root" ? "hang.root" : "hang.perhaps"));
const linkWords = ({ operation, group, why }: WaitLink) => ({ operation: visible(operation), group: visible(group), why });

// From a group up to the one that it waits for.
function branchPath(nodes: readonly WaitNode[], at: number): string {
  const node = nodes[at]!, parent = nodes[node.parent]!;
  const x = leftOf(parent) + kStep / 2, from = kRow * at + kBox / 2, to = kRow * node.parent + kBox;
  return `M${Math.max(leftOf(node), x + 8)} ${from}H${x}V${to + 6}`;
}

// To a table of the report, on the page that shows it.
const useTableLink = (table: string): string => linkTo(usePlace().path, { at: `table-${table}` });

function Box({ node }: { node: WaitNode }) {
  const href = useTableLink(node.root === "" ? "waits" : "roots");
  const ranks = ranksText(node.ranks, node.count), more = node.link ? t("hang.in", linkWords(node.link)) : rootText(node);
  return (
    <a class={`wait-box ${node.root}`} href={href} tabindex={-1} style={{ height: `${kBox}px`, marginLeft: `${leftOf(node)}px`, marginBottom: `${kRow - kBox}px` }} title={`${ranks}, ${more}`}>
      <strong>{ranks}</strong>
      <span>{more}</span>
    </a>
  );
}

// Waits that are no branch, such as those of a circle, are arcs on the right.
function Arcs({ tree }: { tree: WaitTree }) {
  const middle = (at: number) => kRow * at + kBox / 2;
  return (
    <svg class="wait-arcs" width={kGutter} height={kRow * tree.nodes.length}>
      {tree.others.map(([from, to], at) => (
        <path key={at} d={`M0 ${middle(from) + 6}C${kGutter} ${middle(from) + 6} ${kGutter} ${middle(to) - 6} 6 ${middle(to) - 6}`} marker-end="url(#wait-arrow)" />
      ))}
    </svg>
  );
}

function Picture({ tree }: { tree: WaitTree }) {
  const { nodes, others } = tree;
  return (
    <div class="waits" aria-hidden="true" style={{ paddingRight: `${others.length > 0 ? kGutter : 0}px` }}>
      <svg class="wait-branches" width="100%" height={kRow * nodes.length}>
        <defs><marker id="wait-arrow" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z" /></marker></defs>
        {nodes.map((node, at) => node.parent >= 0 && <path key={at} d={branchPath(nodes, at)} marker-end="url(#wait-arrow)" />)}
      </svg>
      {nodes.map((node, at) => <Box key={at} node={node} />)}
      {others.length > 0 && <Arcs tree={tree} />}
    </div>
  );
}

// Of a group only those that wait, for those that they wait for.
function sentenceOf(link: WaitLink): string {
  const { waiting, awaited, each } = link;
  const words = { ranks: ranksText(link.ranks, waiting), other: ranksText(link.waits_for, awaited), count: each.toLocaleString("en-US"), ...linkWords(link) };
  if (waiting === 1) return t("hang.waits_one", words);
  return t(each < awaited ? "hang.waits_each" : "hang.waits", words);
}

export function WaitPicture({ report }: { report: Report }) {
  const table = tableOf(report, "wait_groups"), waits = useTableLink("waits");
  if (!table) return null;
  const tree = waitTreeOf(table), title = visible(table.title);
  return (
    <section>
      <h2 lang={langOf(title)}>{title}</h2>
      <Exported name="hang.waits.picture" table={table}>
        <figure class="wait-figure" aria-label={title}>
          <Picture tree={tree} />
          <ul class="wait-sentences">{tree.links.map((link, at) => <li key={at}><a href={waits}>{sentenceOf(link)}</a></li>)}</ul>
        </figure>
      </Exported>
    </section>
  );
}
