// Shows all keys by group (`?`), from the registry of commands.
import { t } from "../text";
import { isNow, useAllCommands, type Command, type Group } from "./commands";
import { Dialog } from "./dialog";

const kGroups: readonly Group[] = ["go", "select", "view", "timeline", "table"];

const kSigns: Readonly<Record<string, string>> = {
  ctrl: "Ctrl", alt: "Alt", shift: "Shift", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc",
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

function GroupTable({ group, commands }: { group: Group; commands: readonly Command[] }) {
  if (commands.length === 0) return null;
  return (
    <section>
      <h3>{t(`help.${group}`)}</h3>
      <dl class="keylist">
        {commands.map((command) => (
          <div key={command.id}>
            <dt><Keys keys={command.keys} /></dt>
            <dd>{t(command.title, command.args)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Help({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands().filter((command) => command.keys.length > 0 && isNow(command));
  return (
    <Dialog title={t("help.title")} onClose={onClose} wide>
      <h2>{t("help.title")}</h2>
      <div class="help">
        {kGroups.map((group) => (
          <GroupTable key={group} group={group} commands={commands.filter((command) => command.group === group)} />
        ))}
      </div>
    </Dialog>
  );
}
