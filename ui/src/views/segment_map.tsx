// Draws each segment as a bar with its blocks: allocated, awaiting free, free. All bars have one scale.
import { useCallback, useMemo, useState } from "preact/hooks";
import type { Kind, Report } from "../data/report";
import { humanNumber, visible } from "../report/format";
import { colorOf, kInk } from "../shell/palette";
import { t } from "../text";
import { Legend } from "./legend";
import { Plot, type Draw } from "./plot";
import { largestFree, segmentsOf, shelvesOf, type BlockState, type Segment, type Shelves } from "./segments";

const kRow = 14, kGap = 4;  // pixels

const kKinds: Readonly<Record<BlockState, Kind>> = { allocated: "memory", "awaiting free": "wait", free: "idle" };
const kNames = { allocated: "segments.allocated", "awaiting free": "segments.awaiting", free: "segments.free" } as const;

const size = (bytes: number): string => humanNumber(bytes, "bytes");

const describe = ({ address, size: whole, allocated, unused, largest, blocks }: Segment): string =>
  t("segments.says", { address: visible(address), size: size(whole), allocated: size(allocated), unused: size(unused), largest: size(largest), blocks: blocks.length });

// Of the segments that are drawn: how many there are, what is free, and its largest block.
function Summary({ segments }: { segments: readonly Segment[] }) {
  const unused = segments.reduce((sum, one) => sum + one.unused, 0), largest = largestFree(segments)?.block.size ?? 0;
  const reserved = segments.reduce((sum, one) => sum + one.size, 0);
  return <p class="segments-says">{t("segments.summary", { count: segments.length, reserved: size(reserved), unused: size(unused), largest: size(largest) })}</p>;
}

function segmentAt({ placed, width }: Shelves, event: MouseEvent): number {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  const row = Math.floor((event.clientY - box.top) / (kRow + kGap)), at = ((event.clientX - box.left) / box.width) * width;
  return placed.findIndex((one) => one.row === row && at >= one.at && at < one.at + one.segment.size);
}

export function SegmentMap({ report }: { report: Report }) {
  const segments = useMemo(() => segmentsOf(report), [report]);
  const shelves = useMemo(() => shelvesOf(segments), [segments]);
  const free = useMemo(() => largestFree(segments), [segments]);
  const [at, setAt] = useState(-1);
  const draw = useCallback<Draw>((context, width, _, theme) => {
    const scale = width / shelves.width, ink = kInk[theme];
    shelves.placed.forEach(({ segment, row, at: left }, which) => {
      const top = row * (kRow + kGap), begin = left * scale, whole = Math.max(1, segment.size * scale - (segment.size * scale > 3 ? 1 : 0));
      context.fillStyle = colorOf("idle", theme);
      context.fillRect(begin, top, whole, kRow);
      for (const block of segment.blocks) {
        if (block.state === "free") continue;
        context.fillStyle = colorOf(kKinds[block.state], theme);
        context.fillRect(begin + block.offset * scale, top, Math.min(Math.max(0.5, block.size * scale), whole), kRow);
      }
      if (which === at) {
        context.strokeStyle = ink.select;
        context.lineWidth = 2;
        context.strokeRect(begin, top, whole, kRow);
      }
      if (segment !== free?.segment) return;
      context.strokeStyle = ink.text;
      context.lineWidth = 1.5;
      context.strokeRect(begin + free.block.offset * scale + 1, top + 1, Math.max(2, free.block.size * scale - 2), kRow - 2);
    });
  }, [shelves, free, at]);
  if (segments.length === 0) return null;
  const move = (by: number) => setAt((now) => Math.max(0, Math.min(segments.length - 1, now + by)));
  const keys: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10, Home: -1e9, End: 1e9 };
  return (
    <figure class="memory">
      <figcaption>{t("segments.title")}</figcaption>
      <Summary segments={segments} />
      <Legend entries={(Object.keys(kKinds) as BlockState[]).map((state) => ({ kind: kKinds[state], title: t(kNames[state]) }))} />
      <Plot
        draw={draw} height={shelves.rows * (kRow + kGap)} tabIndex={0} role="img" class="segment-map" data-segments={segments.length}
        aria-label={t("segments.label", { count: segments.length })}
        onKeyDown={(event) => {
          const by = keys[event.key];
          if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
          event.preventDefault();
          event.stopPropagation();
          move(by);
        }}
        onMouseMove={(event) => setAt(segmentAt(shelves, event))}
        onMouseLeave={() => setAt(-1)}
      />
      <p class="readout" role="status">{at < 0 ? t("segments.hint") : describe(shelves.placed[at]!.segment)}</p>
    </figure>
  );
}
