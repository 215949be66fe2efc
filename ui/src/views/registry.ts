// Maps tables to their pictures, by analysis and table key. In addition, any table by rank and step gets a heat map, any
// table that compares two runs gets bars or one flame graph of both, and others the bars that they ask for.
import type { ComponentType } from "preact";
import type { Report, Table } from "../data/report";
import { UsesOverTime } from "./area";
import { kAtPeak, plainBars } from "./bars";
import { ChipHours } from "./chip_hours";
import { ComparedBars, isCompared } from "./compared";
import { KindRings } from "./donut";
import { FlameGraph } from "./flame";
import { isRankByStep, RankStepPicture, ReplayPicture, WaitPicture } from "./heatmap";
import { JobLosses } from "./job_losses";
import { JobTimeline } from "./job_timeline";
import { LatenessChain } from "./lateness_chain";
import { LayoutGrid } from "./layout_grid";
import type { PictureProps } from "./parts";
import { QueueCurve } from "./queue_curve";
import { MemoryPictures } from "./memory_pictures";
import { KernelSequences } from "./sequences";
import { stackedColumns, stackedRows } from "./stacked";
import { HostSteps, OverviewSteps } from "./step_columns";
import { StepPartBars } from "./step_parts";
import { TopKernels } from "./top_kernels";
import { WaitPicture as HangPicture } from "./wait_tree";
import { Waterfall } from "./waterfall";
import { WhatIf } from "./whatif";

const kPictures: Readonly<Record<string, ComponentType<PictureProps>>> = {
  "breakdown.parts": StepPartBars,
  "overview.step_time": stackedRows("category", "mean"),
  "overview.steps": OverviewSteps,
  "steps.breakdown": OverviewSteps,
  "temporal_breakdown.ranks": stackedColumns(["compute", "non_compute", "idle"]),
  "comm_overlap.ranks": stackedColumns(["overlapped", "exposed"]),
  "idle_time.main_streams": stackedColumns(["host_wait", "kernel_wait", "other"]),
  "input_pipeline.host": stackedRows("category", "time"),
  "input_pipeline.steps": OverviewSteps,
  "input_pipeline.host_steps": HostSteps,
  "input_pipeline.stages": plainBars("waited", { called: ["rank", "name"] }),
  "step_gaps.ranks": plainBars("idle"),
  "kernel_breakdown.kinds": KindRings,
  "kernel_breakdown.top": plainBars("sum"),
  "kernel_breakdown.kernels": TopKernels,
  "kernel_sequences.sequences": KernelSequences,
  "kernel_sequences.repeats": KernelSequences,
  "queue_length.streams": QueueCurve,
  "kernel_groups.groups": plainBars("busy"),
  "phases.ranks": stackedRows("phase", "busy"),
  "critical_path.bounds": stackedRows("bound", "time"),
  "critical_path.what_if": plainBars("saved", { ofOneRank: true }),
  "layout.groups": plainBars("exposed"),
  "layout.ranks": LayoutGrid,
  "layout.stages": plainBars("bubble_ratio"),
  "collectives.ranks": stackedColumns(["transfer", "wait"]),
  "collectives.waits": WaitPicture,
  "allreduce_check.ranks": stackedColumns(["transfer", "waiting"]),
  "stragglers.ranks": plainBars("blame"),
  "stragglers.reasons": stackedColumns(["compute", "late_launches", "input", "copies", "transfer"]),
  "operators.top": plainBars("self"),
  "operators.tree": FlameGraph,
  "shapes.shapes": plainBars("device_time", { called: ["call"] }),
  "modules.types": stackedColumns(["forward", "backward"]),
  "modules.tree": FlameGraph,
  "python.top": plainBars("self"),
  "python.tree": FlameGraph,
  "operator_kernels.operators": plainBars("gpu_time"),
  "hlo_operators.top": plainBars("self"),
  "hlo_operators.lines": plainBars("self"),
  "memory_timeline.devices": plainBars("peak_allocated"),
  "memory_timeline.holders": plainBars("bytes", { ofOneRank: true }),
  "memory_timeline.uses": UsesOverTime,
  "memory_profile.at_peak": plainBars("bytes", kAtPeak),
  "programs.at_peak": plainBars("bytes"),
  "memory_snapshot.stacks": plainBars("bytes"),
  "memory_snapshot.steps": plainBars("peak"),
  "memory_snapshot.trace_operators": plainBars("bytes"),
  "memory_bandwidth.kinds": plainBars("mean"),
  "whatif.chain": LatenessChain,
  "whatif.replay": ReplayPicture,
  "chip_hours.factors": ChipHours,
  "goodput.buckets": Waterfall,
  "goodput.segments": JobTimeline,
};

// What stands in place of a table, with all of its rows.
const kTables: Readonly<Record<string, ComponentType<PictureProps>>> = { "goodput_jobs.jobs": JobLosses };

export const tableViewOf = (report: Report, table: Table): ComponentType<PictureProps> | null => kTables[`${report.analysis}.${table.key}`] ?? null;

// Tables that are folded away: a picture or another table shows what they hold.
const kFolded = new Set(["goodput_jobs.trend", "hang.wait_groups", "memory_snapshot.blocks"]);

export const isFolded = (report: Report, table: Table): boolean => kFolded.has(`${report.analysis}.${table.key}`);

const kFewRows = 8;

// A long table of two runs, of which the picture has the largest changes: a comparison has many, one after another.
export const isBehindPicture = (table: Table): boolean => isCompared(table) && table.rows.length > kFewRows;

// What stands above all tables of a report.
const kPanels: Readonly<Record<string, ComponentType<{ report: Report }>>> = { whatif: WhatIf, hang: HangPicture, memory_snapshot: MemoryPictures };

// Reports whose panel draws their series.
const kDrawn = new Set(["memory_snapshot"]);

export const drawsSeries = ({ analysis }: Report): boolean => kDrawn.has(analysis);

export const panelOf = (report: Report): ComponentType<{ report: Report }> | null => kPanels[report.analysis] ?? null;

// One component for each column: a new one each time would lose what it knows.
const kBars = new Map<string, ComponentType<PictureProps>>();

function barsOf(column: string): ComponentType<PictureProps> {
  const bars = kBars.get(column) ?? plainBars(column);
  kBars.set(column, bars);
  return bars;
}

export function pictureOf(report: Report, table: Table): ComponentType<PictureProps> | null {
  const own = kPictures[`${report.analysis}.${table.key}`];
  if (isCompared(table)) return own === FlameGraph || own === StepPartBars ? own : ComparedBars;
  return own ?? (isRankByStep(table) ? RankStepPicture : table.bars ? barsOf(table.bars) : null);
}
