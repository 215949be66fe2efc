// Registers the commands of every page: navigation, selection, appearance.
import type { Report } from "../data/report";
import type { State } from "../data/source";
import { visible } from "../report/format";
import { chooseLanguage, useLanguage } from "../text";
import { useCommands, type Command } from "./commands";
import { isLive } from "./live";
import { reportBase, type Route } from "./routes";
import { chooseTheme, currentTheme } from "./theme";
import { currentPlace, goTo, setQuery } from "./url";

interface Shell {
  readonly state: State | undefined;
  readonly route: Route;
  readonly reports: readonly Report[];
  readonly timeline: boolean;  // the run has one
  readonly open: (dialog: "help" | "finder") => void;
}

const focus = (id: string) => () => document.getElementById(id)?.focus();
const isThere = (id: string) => () => document.getElementById(id) !== null;

function pageCommands({ state, route, timeline }: Shell): Command[] {
  const run = "run" in route ? route.run : undefined;
  const to = (id: string, keys: string[], title: Command["title"], path: string[]): Command => ({
    id, keys, title, group: "go", when: () => run !== undefined, run: () => goTo(["run", run ?? "", ...path]),
  });
  return [
    to("go.home", ["g h"], "page.home", []),
    { ...to("go.timeline", ["g t"], "timeline.title", ["timeline"]), when: () => timeline },
    to("go.input", ["g i"], "page.input", ["input"]),
    { ...to("go.query", ["g q"], "page.query", ["query"]), when: () => run !== undefined && isLive() },
    { ...to("go.compare", ["g c"], "page.compare", ["compare"]), when: () => run !== undefined && (state?.runs.length ?? 0) > 1 },
    ...(state?.runs ?? []).map((one): Command => ({
      id: `go.run.${one.id}`, keys: [], title: "go.run", args: { name: visible(one.path || one.name) }, group: "go", run: () => goTo(["run", one.id]),
    })),
    ...(state?.hangs ?? []).map((one): Command => ({
      id: `go.hang.${one.id}`, keys: [], title: "go.hang", args: { name: visible(one.name) }, group: "go", run: () => goTo(["hang", one.id]),
    })),
    ...(state?.ledgers ?? []).map((one, at): Command => ({
      id: `go.ledger.${one.id}`, keys: at === 0 ? ["g l"] : [], title: "go.ledger", args: { name: visible(one.name) }, group: "go", run: () => goTo(["ledger", one.id]),
    })),
    ...(state?.snapshots ?? []).map((one): Command => ({
      id: `go.snapshot.${one.id}`, keys: [], title: "go.snapshot", args: { name: visible(one.name) }, group: "go", run: () => goTo(["snapshot", one.id]),
    })),
  ];
}

function reportCommands({ route, reports }: Shell): Command[] {
  const base = reportBase(route);
  if (!base) return [];
  const step = (by: number) => () => {
    const there = reports.filter((report) => report.status !== "unavailable");
    const at = there.findIndex((report) => report.analysis === currentPlace().path.at(-1));
    const next = there[at < 0 ? (by > 0 ? 0 : there.length - 1) : (at + by + there.length) % there.length];
    if (next) goTo([...base, next.analysis]);
  };
  return [
    { id: "go.next", keys: ["]"], title: "go.next", group: "go", run: step(1) },
    { id: "go.previous", keys: ["["], title: "go.previous", group: "go", run: step(-1) },
    ...reports.map((report): Command => ({
      id: `go.report.${report.analysis}`, keys: [], title: "go.report", args: { name: visible(report.title) }, also: report.analysis, group: "go",
      run: () => goTo([...base, report.analysis]),
    })),
  ];
}

function choiceCommands(): Command[] {
  return [
    { id: "choose.run", keys: ["g u"], title: "choose.run", group: "select", run: focus("choose-run"), when: isThere("choose-run") },
    { id: "choose.with", keys: ["g w"], title: "choose.with", group: "select", run: focus("choose-with"), when: isThere("choose-with") },
    { id: "choose.steps", keys: ["g s"], title: "choose.steps", group: "select", run: focus("choose-steps"), when: isThere("choose-steps") },
    { id: "choose.ranks", keys: ["g r"], title: "choose.ranks", group: "select", run: focus("choose-ranks"), when: isThere("choose-ranks") },
    { id: "choose.all", keys: ["g a"], title: "choose.everything", group: "select", run: () => setQuery({ steps: "", ranks: "" }), when: isThere("choose-steps") },
  ];
}

export function useShellCommands(shell: Shell): void {
  const language = useLanguage();
  useCommands(() => [
    { id: "help", keys: ["?"], title: "command.help", group: "view", run: () => shell.open("help") },
    { id: "finder", keys: ["ctrl+k", "ctrl+shift+p"], title: "command.finder", group: "view", run: () => shell.open("finder") },
    { id: "theme", keys: ["shift+d"], title: "command.theme", group: "view", run: () => chooseTheme(currentTheme() === "dark" ? "light" : "dark") },
    { id: "language", keys: ["shift+j"], title: "command.language", group: "view", run: () => chooseLanguage(language === "en" ? "ja" : "en") },
  ], [language]);
  const inputs = [shell.state, shell.reports, "run" in shell.route ? shell.route.run : shell.route.page, shell.route.page === "ledger"];
  useCommands(() => [...pageCommands(shell), ...reportCommands(shell), ...choiceCommands()], inputs);
}
