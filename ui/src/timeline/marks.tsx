// Lists the marks: each can be named, gone to and taken away.
import { useStore } from "../shell/store";
import { t } from "../text";
import type { Controller } from "./controller";
import type { Mark } from "./scene";
import { formatDuration, startText } from "./ticks";

const timeOf = ({ from, to }: Mark): string => (from === to ? startText(from, 0) : `${startText(from, to - from)} + ${formatDuration(to - from)}`);

function Item({ mark, at, controller }: { mark: Mark; at: number; controller: Controller }) {
  const name = mark.name || t("timeline.mark", { number: at + 1 }), time = timeOf(mark);
  const leave = (event: KeyboardEvent) => {
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    (event.currentTarget as HTMLElement).blur();
    event.preventDefault();
  };
  return (
    <li>
      <button type="button" class="tl-goto" aria-label={t("timeline.mark_show", { name, time })} onClick={() => controller.showMark(mark)}>{time}</button>
      <input
        type="text" value={mark.name} maxLength={80} placeholder={name} aria-label={t("timeline.mark_name", { number: at + 1 })} spellcheck={false} autocomplete="off"
        onInput={(event) => controller.nameMark(at, event.currentTarget.value)} onKeyDown={leave}
      />
      <button type="button" aria-label={t("timeline.mark_remove", { name })} onClick={() => controller.removeMark(at)}>×</button>
    </li>
  );
}

export function Marks({ controller }: { controller: Controller }) {
  const { marks } = useStore(controller.state);
  if (marks.length === 0) return null;
  return (
    <section class="tl-marks" aria-label={t("timeline.marks")}>
      <h2>{t("timeline.marks")}</h2>
      <ul>{marks.map((mark, at) => <Item key={at} mark={mark} at={at} controller={controller} />)}</ul>
    </section>
  );
}
