// Which tables have a picture of their own, by analysis and table. All others are tables alone,
// except that any table by rank and step gets a heat map, and any table that compares two runs bars, or one flame
// graph of both.
import type { ComponentType } from "preact";
import type { Report, Table } from "../data/report";
import { plainBars } from "./bars";
import { ComparedBars, isCompared } from "./compared";
import { KindRings } from "./donut";
import { FlameGraph } from "./flame";
import { isRankByStep, matrixPicture, RankStepPicture } from "./heatmap";
import { JobTimeline } from "./job_timeline";
import type { PictureProps } from "./parts";
import { stackedColumns, stackedRows } from "./stacked";
import { OverviewSteps } from "./step_columns";
import { Waterfall } from "./waterfall";
import { KernelWhiskers } from "./whiskers";

const kPictures: Readonly<Record<string, ComponentType<PictureProps>>> = {
  "overview.step_time": stackedRows("category", "mean"),
  "overview.steps": OverviewSteps,
  "steps.breakdown": OverviewSteps,
  "temporal_breakdown.ranks": stackedColumns([["compute", "compute"], ["non_compute", "communication"], ["idle", "idle"]]),
  "comm_overlap.ranks": stackedColumns([["overlapped", "overlap"], ["exposed", "communication"]]),
  "idle_time.main_streams": stackedColumns([["host_wait", "host"], ["kernel_wait", "launch"], ["other", "other"]]),
  "input_pipeline.host": stackedRows("category", "time"),
  "input_pipeline.stages": plainBars("waited", "input", ["rank", "name"]),
  "step_gaps.ranks": plainBars("idle", "idle"),
  "kernel_breakdown.kinds": KindRings,
  "kernel_breakdown.top": plainBars("sum", "compute"),
  "kernel_breakdown.kernels": KernelWhiskers,
  "kernel_groups.groups": plainBars("time", "compute"),
  "phases.ranks": stackedRows("phase", "busy"),
  "critical_path.bounds": stackedRows("bound", "time"),
  "critical_path.what_if": plainBars("saved", "compute"),
  "collectives.ranks": stackedColumns([["transfer", "communication"], ["wait", "wait"]]),
  "collectives.waits": matrixPicture("for_rank", "rank"),
  "allreduce_check.ranks": stackedColumns([["transfer", "communication"], ["waiting", "wait"]]),
  "stragglers.ranks": plainBars("blame", "wait"),
  "stragglers.reasons": stackedColumns([["compute", "compute"], ["late_launches", "launch"], ["input", "input"], ["copies", "memory"], ["transfer", "communication"]]),
  "operators.top": plainBars("self", "host"),
  "operators.tree": FlameGraph,
  "operator_kernels.operators": plainBars("gpu_time", "compute"),
  "hlo_operators.top": plainBars("self", "compute"),
  "memory_timeline.devices": plainBars("peak_allocated", "memory"),
  "memory_timeline.holders": plainBars("bytes", "memory"),
  "memory_timeline.uses": plainBars("at_peak", "memory"),
  "memory_profile.at_peak": plainBars("bytes", "memory"),
  "memory_bandwidth.kinds": plainBars("mean", "memory"),
  "goodput.buckets": Waterfall,
  "goodput.segments": JobTimeline,
};

export function pictureOf(report: Report, table: Table): ComponentType<PictureProps> | null {
  const own = kPictures[`${report.analysis}.${table.key}`];
  if (isCompared(table)) return own === FlameGraph ? FlameGraph : ComparedBars;
  return own ?? (isRankByStep(table) ? RankStepPicture : null);
}
