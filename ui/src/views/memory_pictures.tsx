// Shows what stands above the tables of a memory snapshot: memory over time, and the segments.
import type { Report } from "../data/report";
import { MemoryArea } from "./memory_area";
import { SegmentMap } from "./segment_map";

export function MemoryPictures({ report }: { report: Report }) {
  return (
    <>
      <MemoryArea report={report} />
      <SegmentMap report={report} />
    </>
  );
}
