// The devices' planes of an XPlane file: what GPUs and TPUs did.
#pragma once

#include <string_view>
#include <vector>

#include "ingest/trace_reader.h"
#include "ingest/xplane_groups.h"
#include "ingest/xplane_lines.h"
#include "ingest/xplane_programs.h"
#include "ingest/xplane_runs.h"

namespace stepscope {

bool IsDevicePlane(std::string_view name);  // "/device:GPU:0", "/device:TPU:3"

class DevicePlanes {
 public:
  DevicePlanes(Trace& trace, Wanted keep, const HostGroups& groups, const Programs& programs,
               ModuleRuns& runs)
      : trace_(trace), keep_(keep), groups_(groups), programs_(programs), runs_(runs) {}

  void Read(const XPlane& plane, LineReader& lines);

  // Whether devices recorded steps of their own, which then are the steps.
  bool HaveSteps() const { return !device_steps_.empty(); }

  // To be called once, after all planes and HostPlanes::MarkEvents(): tells each piece of work its
  // step, and adds to the trace the steps that only devices know of, or that only executions of
  // programs show.
  void MarkSteps();

 private:
  enum class LineUse : uint8_t { kWork, kSteps, kNone };
  // A piece of work in the trace, as far as steps care.
  struct Piece {
    int64_t start = 0;
    int64_t device = 0;
    int64_t correlation = -1;
    int64_t step = -1;
    EventId event = 0;
  };
  struct DeviceStep {
    int64_t number = 0;
    int64_t start = 0;
    int64_t end = 0;
  };

  LineUse UseOf(std::string_view line) const;
  void AddProperties(const XPlane& plane);
  void TakeWork(const XEvent& event, const XTime& time);
  void AddDetails(Kind kind, const XEvent& event);
  void TakeStep(const XEvent& event, const XTime& time);
  void StepsFromLaunches();
  void StepsFromIntervals(const std::vector<DeviceStep>& steps);
  std::vector<DeviceStep> StepsOfDevices() const;
  void AddMarkers(const std::vector<DeviceStep>& steps, StringId name);
  void WriteSteps();
  void SetText(TextField field, std::string_view text);

  Trace& trace_;
  Wanted keep_;
  const HostGroups& groups_;
  const Programs& programs_;
  ModuleRuns& runs_;
  int64_t device_ = -1;
  bool is_tpu_ = false;
  TrackId track_ = 0;
  std::vector<Piece> pieces_;
  std::vector<DeviceStep> device_steps_;
};

}  // namespace stepscope
