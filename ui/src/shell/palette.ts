// The colours of pictures. They follow Okabe and Ito's palette, which people with any of the common
// colour blindnesses can tell apart, shifted for contrast on each background; and no colour is ever
// alone: every kind also has a name (text key) and a pattern.
import type { TextKey } from "../text";
import type { Theme } from "./theme";

export type Pattern = "solid" | "stripes" | "dots" | "cross" | "backstripes" | "outline" | "bars" | "waves";

export interface Look {
  readonly light: string;
  readonly dark: string;
  readonly onLight: string;  // text upon it
  readonly onDark: string;
  readonly pattern: Pattern;
  readonly title: TextKey;
}

const look = (light: string, dark: string, onLight: string, onDark: string, pattern: Pattern, title: TextKey): Look =>
  ({ light, dark, onLight, onDark, pattern, title });

export const kLooks = {
  compute: look("#00795c", "#2bb890", "#ffffff", "#06231b", "solid", "kind.compute"),
  communication: look("#0064a8", "#56a8e4", "#ffffff", "#04182a", "stripes", "kind.communication"),
  overlap: look("#2f7f7f", "#6cc7c0", "#ffffff", "#042321", "cross", "kind.overlap"),
  memory: look("#9a5b93", "#d493c6", "#ffffff", "#2a0f25", "dots", "kind.memory"),
  input: look("#c0301a", "#f0805a", "#ffffff", "#2e0d02", "backstripes", "kind.input"),
  host: look("#806200", "#c08a3e", "#ffffff", "#2a1f00", "bars", "kind.host"),
  launch: look("#3f51b5", "#93a0f0", "#ffffff", "#0c1236", "waves", "kind.launch"),
  optimizer: look("#7a4fa3", "#b99be0", "#ffffff", "#1d0f2e", "waves", "kind.optimizer"),
  idle: look("#c9ccd1", "#4a4f57", "#1c1f24", "#f2f3f5", "outline", "kind.idle"),
  wait: look("#f0e05a", "#f2e88a", "#1c1200", "#1f1400", "backstripes", "kind.wait"),
  output: look("#8c564b", "#c99a8f", "#ffffff", "#241210", "dots", "kind.output"),
  compilation: look("#5c6f7b", "#93a9b6", "#ffffff", "#101a20", "cross", "kind.compilation"),
  other: look("#6b717b", "#9aa1ac", "#ffffff", "#15181c", "solid", "kind.other"),
} as const satisfies Record<string, Look>;

export type Kind = keyof typeof kLooks;
export const kKinds = Object.keys(kLooks) as readonly Kind[];

// What the reports call things, as far as it is not one of the kinds above.
const kAlso: Readonly<Record<string, Kind>> = {
  gpu_compute: "compute", device: "compute", kernel: "compute", device_compute: "compute", productive: "compute", forward: "compute", computing: "compute",
  gpu_communication: "communication", device_collectives: "communication", collective: "communication", transfer: "communication",
  exposed: "communication", exposed_communication: "communication", nccl: "communication", non_compute: "communication",
  compute_communication: "overlap", compute_communication_memory: "overlap", communication_memory: "overlap", compute_memory: "overlap", overlapped: "overlap",
  gpu_memory: "memory", copy: "memory", memcpy: "memory", memset: "memory", device_to_device: "memory", copies: "memory",
  data_loading: "input", dataloader: "input", input_wait: "input",
  cpu: "host", host_compute: "host", runtime: "host", python: "host", operator: "host", host_wait: "host", cpu_exec: "host",
  kernel_launch: "launch", launch_overhead: "launch", kernel_wait: "launch", late_launches: "launch",
  reading_data_from_files_on_demand: "input", reading_data_from_files_in_advance: "memory", data_preprocessing: "host",
  enqueuing_data_to_be_transferred_to_device: "launch", waiting_for_loader_workers: "wait",
  synchronization: "wait", sync: "wait", queue: "wait", blame: "wait", waiting: "wait",
  gpu_idle: "idle", backward: "optimizer", annotation: "other", all_others: "other",
};

export function kindOf(name: string): Kind {
  const key = name.toLowerCase().replace(/[^a-z]+/g, "_").replace(/^_|_$/g, "");
  return key in kLooks ? (key as Kind) : (kAlso[key] ?? "other");
}

export const colorOf = (kind: Kind, theme: Theme): string => kLooks[kind][theme];
export const textColorOn = (kind: Kind, theme: Theme): string =>
  theme === "light" ? kLooks[kind].onLight : kLooks[kind].onDark;

// What everything else is drawn with, on canvases as in the style sheet.
export const kInk = {
  light: { page: "#ffffff", panel: "#f5f6f8", line: "#d4d8de", text: "#1c1f24", faint: "#545b66", accent: "#0b57d0", select: "#b3261e" },
  dark: { page: "#15181c", panel: "#1d2126", line: "#3a414b", text: "#e6e8eb", faint: "#a9b1bd", accent: "#8ab4f8", select: "#ff8a80" },
} as const;

// From little to much, one hue, by lightness: heat maps.
export const kRamp: Readonly<Record<Theme, readonly [string, string]>> = {
  light: ["#eef3f9", "#08417c"],
  dark: ["#232a33", "#9fd0ff"],
};

// For curves that are of no kind: one for each rank, in this order; each with dashes of its own beside it.
export const kCurves: Readonly<Record<Theme, readonly string[]>> = {
  light: ["#0064a8", "#c0301a", "#00795c", "#9a5b93", "#806200", "#3f51b5", "#6b717b", "#2f7f7f"],
  dark: ["#56a8e4", "#f0805a", "#2bb890", "#d493c6", "#dcb13a", "#93a0f0", "#9aa1ac", "#6cc7c0"],
};

// Gives the style sheet the same colours, as variables of the page: --k-compute, --on-compute, --line.
export function applyPalette(theme: Theme): void {
  const style = document.documentElement.style;
  for (const kind of kKinds) {
    style.setProperty(`--k-${kind}`, colorOf(kind, theme));
    style.setProperty(`--on-${kind}`, textColorOn(kind, theme));
  }
  for (const [name, color] of Object.entries(kInk[theme])) style.setProperty(`--${name}`, color);
}
