// Registers all commands in one list, which keys, menu, palette (Ctrl+K) and help (`?`) share.
import { useEffect } from "preact/hooks";
import type { TextKey } from "../text";
import { makeStore, useStore } from "./store";

export type Group = "go" | "select" | "view" | "timeline" | "table";

export interface Command {
  readonly id: string;
  // How a key is written: "?", "/", "w", "ArrowLeft", "ctrl+k", "shift+Enter", and "g o" for g, then
  // o. Printable keys are matched by the character they type, so "?" needs no "shift+". Letters are
  // lower case; "ctrl" is Command on a Mac. "g" is taken as the first key of pairs.
  readonly keys: readonly string[];
  readonly title: TextKey;
  readonly args?: Readonly<Record<string, string | number>>;  // of the title
  readonly also?: string;  // another name to find it by
  readonly group: Group;
  readonly run: (event?: KeyboardEvent) => void;
  readonly release?: () => void;  // the key went up, or the page lost the focus: for keys to hold
  readonly repeat?: boolean;      // run again while the key is held; else only once
  readonly when?: () => boolean;  // false: not now; the key is left to the browser
}

const commands = makeStore<readonly Command[]>([]);
let prefix = "";
let prefixUntil = 0;
const held = new Map<string, Command>();  // by KeyboardEvent.code

// Adds commands and returns what takes them away again. A later command with a key that an earlier
// one has comes first: a view may take over a key while it is shown.
export function register(...added: readonly Command[]): () => void {
  commands.set([...commands.get(), ...added]);
  return () => commands.set(commands.get().filter((command) => !added.includes(command)));
}

export const allCommands = (): readonly Command[] => commands.get();
export const useAllCommands = (): readonly Command[] => useStore(commands);

// Registers while the component is shown; `make` is called again when one of `inputs` changes.
export function useCommands(make: () => readonly Command[], inputs: readonly unknown[]): void {
  useEffect(() => register(...make()), inputs as unknown[]);
}

export const isNow = (command: Command): boolean => command.when?.() ?? true;

// The key of an event as commands write it.
export function keyOf(event: KeyboardEvent): string {
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const typedWithShift = key.length === 1 && !/[a-z]/.test(key);  // as "?": its shift goes without saying
  const shift = event.shiftKey && !typedWithShift ? "shift+" : "";
  return `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${event.altKey ? "alt+" : ""}${shift}${key}`;
}

// In a field keys type text: only those with ctrl and Escape are commands there.
function typesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

export function commandFor(key: string): Command | undefined {
  return commands.get().findLast((command) => command.keys.includes(key) && isNow(command));
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return; // it has the keys to itself
  const key = keyOf(event);
  if (typesText(event.target) && !key.startsWith("ctrl+") && key !== "Escape") return;
  const pair = performance.now() < prefixUntil ? commandFor(`${prefix} ${key}`) : undefined;
  prefixUntil = 0;
  const command = pair ?? commandFor(key);
  if (command) {
    event.preventDefault();
    if (event.repeat && !command.repeat) return;
    if (command.release) held.set(event.code, command);
    command.run(event);
  } else if (key === "g") {
    prefix = key;
    prefixUntil = performance.now() + 1500;
  }
}

function releaseKey(code: string): void {
  held.get(code)?.release?.();
  held.delete(code);
}

// Begins to listen to keys. Called once.
export function listenToKeys(): void {
  addEventListener("keydown", onKeyDown);
  addEventListener("keyup", (event) => releaseKey(event.code));
  addEventListener("blur", () => [...held.keys()].forEach(releaseKey));
}
