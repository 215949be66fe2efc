// Reads the device planes of an XPlane file: the activities of GPUs and TPUs.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/common/read_options.h"
#include "ingest/xplane/xplane_groups.h"
#include "ingest/xplane/xplane_lines.h"
#include "ingest/xplane/xplane_programs.h"
#include "ingest/xplane/xplane_runs.h"
#include "trace/trace.h"

namespace stepscope {

bool IsDevicePlane(std::string_view name);  // "/device:GPU:0", "/device:TPU:3"
// The number of such a plane's device; -1: it has none.
int64_t DeviceOfPlane(std::string_view name);
// Of the plane of a core of a TPU beside its main one, "/device:TPU:3 SparseCore 1"; -1: it is
// none.
int64_t SparseCoreOfPlane(std::string_view name);

class DevicePlanes {
 public:
  DevicePlanes(Trace& trace, Wanted keep, const HostGroups& groups, const Programs& programs,
               ModuleRuns& runs)
      : trace_(trace), keep_(keep), groups_(groups), programs_(programs), runs_(runs) {}

  // The devices of the recording, ascending, by which replicas of programs are told.
  void Expect(std::vector<int64_t> devices) { expected_ = std::move(devices); }

  void Read(const XPlane& plane, LineReader& lines);

  // Whether devices recorded steps of their own, which then are the steps.
  bool HaveSteps() const { return !device_steps_.empty(); }

  // To be called once, after all planes and HostPlanes::MarkEvents(): tells each activity its
  // step, and adds to the trace the steps that only devices know of, or that only executions of
  // programs show.
  void MarkSteps();

 private:
  enum class LineUse : uint8_t { kActivity, kSteps, kModules, kNone };
  struct Name {
    StringId id;
    Kind kind;          // of a GPU's activities that says no more
    bool spans_others;  // and is not an activity of its own
  };
  struct DeviceStep {
    int64_t number = 0;
    int64_t start = 0;
    int64_t end = 0;
  };

  Name NameFor(const XEvent& event);
  LineUse UseOf(std::string_view line) const;
  void AddProperties(const XPlane& plane);
  void TakeActivity(const XEvent& event, const XTime& time);
  void AddDetails(Kind kind, const XEvent& event);
  const HloOp* Program(const XEvent& event) const;
  StringId SourceOf(const HloOp& op);
  void AddCollective(const HloCollective& collective);
  StringId MembersOf(const HloCollective& collective);
  void TakeStep(const XEvent& event, const XTime& time);
  void TakeModule(const XEvent& event, const XTime& time);
  std::vector<EventId> Work() const;
  std::vector<int64_t> StepsFromLaunches(const std::vector<EventId>& work) const;
  std::vector<int64_t> StepsFromIntervals(const std::vector<EventId>& work,
                                          const std::vector<DeviceStep>& steps,
                                          std::span<const Evaluation> evaluations) const;
  std::vector<DeviceStep> StepsOfDevices() const;
  void AddMarkers(const std::vector<DeviceStep>& steps, const std::vector<Evaluation>& evaluations,
                  StringId name);
  Kind KindOfGpuWork(const XEvent& event, Kind by_name);
  StringId Intern(const XStats& stats, StatKey key);
  void SetText(TextField field, const XStats& stats, StatKey key);
  void SetText(TextField field, std::string_view text);
  void WriteSteps(const std::vector<EventId>& work, const std::vector<int64_t>& steps);

  Trace& trace_;
  Wanted keep_;
  const HostGroups& groups_;
  const Programs& programs_;
  ModuleRuns& runs_;
  std::vector<int64_t> expected_;
  // Of each collective the members of this device's group, "[0, 1]"; kNoString: not known.
  std::unordered_map<const HloCollective*, StringId> members_;
  int64_t device_ = -1;
  int64_t sparse_core_ = -1;  // of the plane; -1: it is a whole device's
  bool is_tpu_ = false;
  TrackId track_ = 0;
  int64_t work_ = 0;               // pieces that are kept
  std::vector<StringId> sources_;  // in the trace, by number in the programs
  OncePerText<Name> names_;
  OncePerText<StringId> texts_;
  OncePerText<LaunchConfig> configs_;
  OncePerText<bool> is_collective_, is_call_;  // of HLO operations; of ranges
  std::vector<DeviceStep> device_steps_;
};

}  // namespace stepscope
