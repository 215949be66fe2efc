// Shows the names of the visible lanes beside the chart, with buttons to fold and pin.
import { humanNumber, visible } from "../report/format";
import { t } from "../text";
import type { Controller } from "./controller";
import { kAxisHeight, lanesBetween, shownTitle, type Lane } from "./lanes";

const kBeyond = 200;  // pixels above and below the part in sight

function Head({ lane, controller, top }: { lane: Lane; controller: Controller; top: number }) {
  const name = visible(shownTitle(controller.info, lane.title));
  const track = controller.info.tracks[lane.kind === "track" ? (lane.tracks[0] ?? -1) : -1];
  const counter = lane.counter && track;
  return (
    <div class={`tl-head tl-${lane.kind}`} style={{ top: `${top}px`, height: `${lane.height}px` }}>
      {lane.canFold && (
        <button
          type="button" class="tl-fold" aria-expanded={!lane.folded}
          aria-label={t(lane.folded ? "timeline.unfold" : "timeline.fold", { name })} onClick={() => controller.toggle(lane.key)}
        >
          <span aria-hidden="true">{lane.folded ? "▸" : "▾"}</span>
        </button>
      )}
      <span class="tl-name" title={name}>
        {name}
        {counter && <small>{t("timeline.most", { value: humanNumber(track.max, track.unit) })}</small>}
      </span>
      {track && (
        <button
          type="button" class="tl-pin" aria-pressed={lane.pinned}
          aria-label={t(lane.pinned ? "timeline.unpin" : "timeline.pin", { name })} onClick={() => controller.pin(track.id)}
        >
          <span aria-hidden="true">{lane.pinned ? "◆" : "◇"}</span>
        </button>
      )}
    </div>
  );
}

// Those that scroll.
export function Heads({ controller, scroll, height }: { controller: Controller; scroll: number; height: number }) {
  const { lanes, pinnedHeight } = controller.lanes;
  const above = kAxisHeight + pinnedHeight;
  return (
    <div class="tl-heads" role="group" aria-label={t("timeline.tracks")}>
      {lanesBetween(lanes, scroll - kBeyond, scroll + height + kBeyond).map((lane) => (
        <Head key={lane.key} lane={lane} controller={controller} top={lane.y + above} />
      ))}
    </div>
  );
}

// Those of pinned tracks, which stay.
export function PinnedHeads({ controller }: { controller: Controller }) {
  const { pinned, pinnedHeight } = controller.lanes;
  return (
    <div class="tl-pinned" style={{ height: `${kAxisHeight + pinnedHeight}px` }}>
      {pinned.map((lane) => <Head key={`pinned ${lane.key}`} lane={lane} controller={controller} top={lane.y + kAxisHeight} />)}
    </div>
  );
}
