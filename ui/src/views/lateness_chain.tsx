// Draws chains of lateness: a row for each rank, time to the right, an arrow from link to link. Each link opens the timeline.
import { useContext } from "preact/hooks";
import { humanTime } from "../report/format";
import { useLoad } from "../shell/load";
import { hasTimeline, Served } from "../shell/served";
import { linkTo } from "../shell/url";
import { t } from "../text";
import { chainsOf, placesOf, queryOf, type Chain } from "./chain";
import type { TimelineInfo } from "../data/source";
import type { PictureProps } from "./parts";

const kRow = 34;  // pixels
const kDot = 9;

function useTimelineInfo(): TimelineInfo | undefined {
  const served = useContext(Served);
  return useLoad("timeline", served && hasTimeline(served.source, served.run) ? `${served.run.id} ${served.run.revision ?? 0}` : null, (signal) => served!.source.timeline(served!.run.id, signal)).value;
}

interface Drawn {
  readonly x: string;
  readonly y: number;
  readonly words: string;
  readonly href: string | undefined;
}

function drawnOf(chain: Chain, ranks: readonly number[], info: TimelineInfo | undefined, run: string): Drawn[] {
  const places = placesOf(chain, info), times = places?.map(({ at }) => at) ?? chain.links.map((_, at) => at);
  const first = Math.min(...times), long = Math.max(1, Math.max(...times) - first);
  return chain.links.map((link, at): Drawn => {
    const says = { rank: link.rank, step: link.step, event: link.event, time: places ? `, +${humanTime(times[at]! - times[0]!)}` : "" };
    const more = at === 0 ? t("chain.origin") : link.waited > 0 ? t("chain.waited", { time: humanTime(link.waited) }) : "";
    return {
      x: `${4 + (90 * (times[at]! - first)) / long}%`, y: kRow * (ranks.indexOf(link.rank) + 0.5),
      words: `${t("chain.link", says)}${more && ` (${more})`}`,
      href: info && link.place ? linkTo(["run", run, "timeline"], queryOf(chain, info, link.place)) : undefined,
    };
  });
}

function Picture({ drawn, ranks }: { drawn: readonly Drawn[]; ranks: readonly number[] }) {
  return (
    <div class="chain" aria-hidden="true">
      <div class="chain-ranks">{ranks.map((rank) => <span key={rank} style={{ height: `${kRow}px` }}>{`${t("heat.axis.rank")} ${rank}`}</span>)}</div>
      <svg width="100%" height={kRow * ranks.length}>
        <defs><marker id="chain-arrow" viewBox="0 0 10 10" refX={2 * kDot - 1} refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z" /></marker></defs>
        {ranks.map((rank, at) => <line key={rank} class="chain-row" x1="0" x2="100%" y1={kRow * (at + 0.5)} y2={kRow * (at + 0.5)} />)}
        {drawn.slice(1).map((to, at) => <line key={at} class="chain-arrow" x1={drawn[at]!.x} y1={drawn[at]!.y} x2={to.x} y2={to.y} marker-end="url(#chain-arrow)" />)}
        {drawn.map(({ x, y, words, href }, at) => (
          <a key={at} href={href} tabindex={-1}>
            <circle class={at === 0 ? "origin" : ""} cx={x} cy={y} r={kDot}><title>{words}</title></circle>
            <text x={x} y={y}>{at + 1}</text>
          </a>
        ))}
      </svg>
    </div>
  );
}

export function LatenessChain({ table }: PictureProps) {
  const info = useTimelineInfo(), run = useContext(Served)?.run.id ?? "";
  return (
    <>
      {chainsOf(table, info).map((chain) => {
        const ranks = [...new Set(chain.links.map(({ rank }) => rank))].sort((a, b) => a - b);
        const drawn = drawnOf(chain, ranks, info, run);
        return (
          <figure key={chain.origin}>
            <figcaption>{t("chain.title", { rank: chain.origin })}{info && !placesOf(chain, info) && ` ${t("chain.order")}`}</figcaption>
            {drawn.length > 1 && <Picture drawn={drawn} ranks={ranks} />}
            <ol class="chain-links">
              {drawn.map(({ words, href }, at) => <li key={at}>{href ? <a href={href}>{words}</a> : words}</li>)}
            </ol>
          </figure>
        );
      })}
    </>
  );
}
