// Shows the palette (Ctrl+K): finds commands and pages by part of their name.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../text";
import { isNow, useAllCommands, type Command } from "./commands";
import { Dialog } from "./dialog";
import { Keys } from "./help";

// How well `text` fits what was typed: all words occur (the earlier, the better), or its letters do
// in this order; null if neither.
export function fit(text: string, typed: string): number | null {
  const lower = text.toLowerCase();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const places = words.map((word) => lower.indexOf(word));
  if (places.every((place) => place >= 0)) return places.reduce((sum, place) => sum + place, 0);
  let from = 0;
  for (const letter of words.join("")) {
    from = lower.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return 1000 + from;
}

export function scoreOf(command: Command, typed: string): number | null {
  const names = [t(command.title, command.args), ...(command.also ? [command.also] : [])];
  const scores = names.map((name) => fit(name, typed)).filter((score) => score !== null);
  return scores.length > 0 ? Math.min(...scores) : null;
}

function ranked(commands: readonly Command[], typed: string): Command[] {
  return commands
    .filter((command) => command.id !== "finder" && isNow(command))
    .map((command) => ({ command, score: scoreOf(command, typed) }))
    .filter((one): one is { command: Command; score: number } => one.score !== null)
    .sort((a, b) => a.score - b.score)
    .map(({ command }) => command);
}

export function Finder({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemo(() => ranked(commands, typed), [commands, typed]);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at, found]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    setTimeout(() => command.run()); // once the dialog has given the focus back
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((now) => Math.max(0, Math.min(found.length - 1, now + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[at]);
    }
  };
  return (
    <Dialog title={t("finder.title")} onClose={onClose}>
      <input
        class="finder-input" type="text" role="combobox" aria-expanded="true" aria-controls="finder-list" autofocus
        aria-activedescendant={found[at] && `finder-${at}`} aria-label={t("finder.title")} placeholder={t("finder.placeholder")}
        value={typed} onKeyDown={onKeyDown} spellcheck={false}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
      />
      <ul id="finder-list" role="listbox" class="finder-list" aria-label={t("finder.title")} ref={list}>
        {found.map((command, index) => (
          <li key={command.id} id={`finder-${index}`} role="option" aria-selected={index === at} onClick={() => run(command)}>
            <span>{t(command.title, command.args)}</span><Keys keys={command.keys.slice(0, 1)} />
          </li>
        ))}
        {found.length === 0 && <li role="option" aria-selected="false" aria-disabled="true">{t("finder.nothing")}</li>}
      </ul>
    </Dialog>
  );
}
