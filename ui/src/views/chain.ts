// Reads chains of lateness from the table of `whatif`, and finds their links on the axis of the timeline.
import type { Cell, Table } from "../data/report";
import type { TimelineInfo } from "../data/source";
import { cellText, numberOf } from "../report/format";
import type { Query } from "../shell/url";
import { columnAt } from "./parts";

export interface Placed {
  readonly rankIndex: number;
  readonly at: number;  // ns on the axis
}

export interface Link {
  readonly rank: number;
  readonly step: string;
  readonly event: string;
  readonly waited: number;  // ns
  readonly place: Placed | null;
}

export interface Chain {
  readonly origin: string;
  readonly links: readonly Link[];
}

// A moment of a rank's own clock, which may be text beyond 2^53; null where no trace of the rank has it.
export function onAxis(info: TimelineInfo, rank: number, time: Cell): Placed | null {
  if (!/^-?\d+$/.test(String(time ?? ""))) return null;
  for (const [rankIndex, one] of info.ranks.entries()) {
    const begin = BigInt(one.own_begin), long = Number(BigInt(one.own_end) - begin);
    const at = long > 0 ? (info.end * Number(BigInt(time!) - begin)) / long : -1;
    if (one.rank === rank && at >= 0 && at <= info.end) return { rankIndex, at: Math.round(at) };
  }
  return null;
}

// `info`: of the timeline, where there is one.
export function chainsOf(table: Table, info: TimelineInfo | undefined): Chain[] {
  const [origin, rank, step, event, waited, time] = ["origin", "rank", "step", "event", "waited", "time"].map((key) => columnAt(table, key)) as [number, number, number, number, number, number];
  const chains = new Map<string, Link[]>();
  for (const row of table.rows) {
    const number = Number(row[rank]);
    const link = {
      rank: number, step: cellText(row[step], ""), event: cellText(row[event], ""), waited: numberOf(row[waited], "ns") ?? 0,
      place: info ? onAxis(info, number, row[time] ?? null) : null,
    };
    const name = cellText(row[origin], ""), links = chains.get(name);
    if (links) links.push(link);
    else chains.set(name, [link]);
  }
  return [...chains].map(([name, links]) => ({ origin: name, links }));
}

// The places of all links, where their clocks can be compared.
export function placesOf(chain: Chain, info: TimelineInfo | undefined): readonly Placed[] | null {
  const places = chain.links.flatMap(({ place }) => (place && info?.ranks[place.rankIndex]?.aligned ? [place] : []));
  return places.length === chain.links.length ? places : null;
}

const kMostPins = 12;

// The timeline around a link: streams of the chain's ranks on top, its own first, and arrows from link to link.
export function queryOf(chain: Chain, info: TimelineInfo, { rankIndex, at }: Placed): Query {
  const places = placesOf(chain, info) ?? [], times = places.map((place) => place.at);
  const around = Math.max(1000, Math.max(at, ...times) - Math.min(at, ...times));
  const ranks = [...new Set([rankIndex, ...places.map((place) => place.rankIndex)])];
  const pins = ranks.flatMap((index) => info.tracks.filter((track) => track.rank_index === index && track.kind === "stream"));
  return {
    from: String(at - around), to: String(at + around), marks: String(at), pins: pins.slice(0, kMostPins).map(({ id }) => id).join(","),
    chain: places.map((place) => `${place.rankIndex}:${place.at}`).join(","),
  };
}
