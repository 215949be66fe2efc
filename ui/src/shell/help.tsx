// Shows all keys by group (`?`), from the registry of commands.
import { t, type TextKey } from "../text";
import { isNow, useAllCommands, type Group } from "./commands";
import { Dialog } from "./dialog";

const kGroups: readonly Group[] = ["go", "select", "view", "timeline", "table"];

const kSigns: Readonly<Record<string, string>> = {
  ctrl: "Ctrl", alt: "Alt", shift: "Shift", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", PageUp: "PgUp", PageDown: "PgDn",
};

const kMac = typeof navigator !== "undefined" && /Mac/.test(navigator.platform);

function keyParts(key: string): string[] {
  if (key === "+") return ["+"];
  return key.split(/\+(?=.)/).map((part) => (kMac && part === "ctrl" ? "⌘" : (kSigns[part] ?? part)));
}

export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span class="keys">
      {keys.map((key, at) => (
        <span key={key}>
          {at > 0 && ` ${t("help.or")} `}
          {key.split(" ").map((press) => (
            <span class="press" key={press}>{keyParts(press).map((part) => <kbd key={part}>{part}</kbd>)}</span>
          ))}
        </span>
      ))}
    </span>
  );
}

interface Listed {
  readonly keys: readonly string[];
  readonly title: string;
}

function GroupTable({ title, listed }: { title: string; listed: readonly Listed[] }) {
  if (listed.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl class="keylist">
        {listed.map((one) => (
          <div key={one.title}>
            <dt><Keys keys={one.keys} /></dt>
            <dd>{one.title}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

// What a heat map does with keys while it has the focus (views/canvas.tsx): those are no commands of the page.
const kOfPicture: readonly (readonly [keys: readonly string[], title: TextKey, zooms?: true])[] = [
  [["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], "help.cells"], [["PageUp", "PageDown"], "help.page_of_rows"], [["Home", "End"], "help.row_ends"],
  [["ctrl+Home", "ctrl+End"], "help.rows_ends"], [["+", "-"], "help.zoom_rows", true], [["0"], "help.all_rows", true], [["Enter"], "help.choose_cell"],
];

const isThere = (selector: string): boolean => document.querySelector(selector) !== null;

const ofPicture = (): Listed[] => (!isThere(".heat .canvas-grid") ? [] : kOfPicture.filter(([, , zooms]) => !zooms || isThere(".heat-rows")).map(([keys, title]) => ({ keys, title: t(title) })));

export function Help({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands().filter((command) => command.keys.length > 0 && isNow(command));
  return (
    <Dialog title={t("help.title")} onClose={onClose} wide>
      <h2>{t("help.title")}</h2>
      <div class="help">
        {kGroups.map((group) => (
          <GroupTable key={group} title={t(`help.${group}`)} listed={commands.filter((command) => command.group === group).map(({ keys, title, args }) => ({ keys, title: t(title, args) }))} />
        ))}
        <GroupTable title={t("help.picture")} listed={ofPicture()} />
      </div>
    </Dialog>
  );
}
