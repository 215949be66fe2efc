// Shows a tooltip for what is under the pointer.
import { humanCount, humanNumber, humanRatio, humanTime, visible } from "../report/format";
import { useStore, type Store } from "../shell/store";
import { t } from "../text";
import type { Controller } from "./controller";
import type { Hit } from "./hit";
import { kindAt } from "./kinds";
import { shownTitle } from "./lanes";

const kindText = (controller: Controller, kind: number): string => t(`kind.${kindAt(controller.info, kind)}`);

function lines(hit: Hit, controller: Controller): readonly [string, string] | null {
  switch (hit.what) {
    case "box": {
      const { boxes, names } = hit.at.tile, { box } = hit.at;
      const more = `${kindText(controller, boxes.kind[box]!)} · ${humanTime(boxes.duration[box]!)}`;
      return [visible(names.at(boxes.name[box]!)), more];
    }
    case "span":
      return [t("timeline.span", { count: humanCount(hit.count), cover: humanRatio(hit.cover) }), kindText(controller, hit.kind)];
    case "value": {
      const unit = controller.info.tracks[hit.track]?.unit ?? "";
      const [low, high, value] = [hit.low, hit.high, hit.last].map((one) => humanNumber(one, unit)) as [string, string, string];
      return [visible(shownTitle(controller.info, hit.spot.lane.title)), low === high ? value : t("timeline.value", { value, low, high })];
    }
    case "lane":
      return null;
  }
}

export interface Pointed { readonly hit: Hit | null; readonly x: number; readonly y: number }

export function Tip({ pointed, controller }: { pointed: Store<Pointed>; controller: Controller }) {
  const { hit, x, y } = useStore(pointed), { width } = controller.size;
  const message = hit && lines(hit, controller);
  if (!message) return null;
  const place = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div class="tl-tip" aria-hidden="true" style={{ top: `${y + 14}px`, ...place }}>
      <strong>{message[0]}</strong>
      <span>{message[1]}</span>
    </div>
  );
}
