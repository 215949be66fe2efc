// Tests how keys are written and what the palette finds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFor, keyOf, register, type Command } from "../src/shell/commands";
import { fit, scoreOf } from "../src/shell/finder";

const press = (key: string, held: Partial<KeyboardEvent> = {}) =>
  keyOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held } as KeyboardEvent);

test("keys are written by what they type", () => {
  assert.equal(press("?", { shiftKey: true }), "?");
  assert.equal(press("D", { shiftKey: true }), "shift+d");
  assert.equal(press("k", { ctrlKey: true }), "ctrl+k");
  assert.equal(press("k", { metaKey: true }), "ctrl+k");
  assert.equal(press("P", { ctrlKey: true, shiftKey: true }), "ctrl+shift+p");
  assert.equal(press("ArrowLeft", { shiftKey: true }), "shift+ArrowLeft");
  assert.equal(press(" "), "Space");
});

test("a view takes a key over while it is shown", () => {
  const command = (id: string, when = true) =>
    ({ id, keys: ["/"], title: "command.filter", group: "table", run: () => undefined, when: () => when }) as const;
  const away = register(command("table"));
  const awayToo = register(command("timeline"), command("never", false));
  assert.equal(commandFor("/")?.id, "timeline");
  awayToo();
  assert.equal(commandFor("/")?.id, "table");
  away();
  assert.equal(commandFor("/"), undefined);
});

test("the palette finds an analysis by its id", () => {
  const go: Command = { id: "go.report.comm_overlap", keys: [], title: "go.report", args: { name: "Communication hidden behind compute" }, also: "comm_overlap", group: "go", run: () => undefined };
  assert.ok(scoreOf(go, "comm_overlap") !== null);
  assert.ok(scoreOf(go, "hidden") !== null);
  assert.equal(scoreOf(go, "xyz"), null);
});

test("the palette takes words in any order, and letters in order", () => {
  assert.ok(fit("Analysis: Memory over time", "time mem") !== null);
  assert.ok(fit("Analysis: Memory over time", "amt") !== null);
  assert.equal(fit("Analysis: Memory over time", "xyz"), null);
  assert.ok(fit("Timeline", "time")! < fit("Analysis: Memory over time", "time")!);
});
