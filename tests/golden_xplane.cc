// Writes inline traces as XSpace files.
#include "tests/golden_xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/sample_xspace.h"
#include "trace/vocabulary.h"

namespace stepscope::testing {
namespace {

bool IsStep(const InlineEvent& e) { return !e.on_stream && StepNumber(e.name) >= 0; }

int64_t LaunchEnd(const InlineEvent& e) {
  return e.launch_end < 0 ? e.launch + 1000 : e.launch_end;
}

bool KindFits(const InlineEvent& e) {
  if (e.phase != "X" || !e.args.empty() || !e.collective.empty() || e.start < 0) return false;
  if (e.category == "gpu_memcpy" || e.category == "gpu_memset") return e.on_stream;
  if (e.category == "kernel") {
    const Kind kind = KindOfActivityName(e.name);
    return kind == Kind::kCompute || kind == Kind::kCommunication;
  }
  if (e.category == "cpu_op") return !IsStep(e) && IsFrameworkRange(e.name);
  if (e.category == "user_annotation") return IsStep(e) || !IsFrameworkRange(e.name);
  return e.category == "cuda_runtime" && e.correlation > 0;
}

// Whether the work's step is the same by the time of its launch and by what the launch is within.
bool StepFits(const InlineTrace& trace, const InlineEvent& e) {
  if (!e.on_stream) return true;
  if (e.launch < 0 || e.thread >= 0) return false;
  return std::ranges::all_of(trace.events, [&](const InlineEvent& step) {
    const bool begins_in = IsStep(step) && e.launch >= step.start && e.launch < step.end;
    return !begins_in || LaunchEnd(e) <= step.end;
  });
}

class Profile {
 public:
  void Add(const InlineEvent& e) {
    if (!e.on_stream) return AddHost(e);
    const int64_t correlation = e.correlation < 0 ? ++last_correlation_ : e.correlation;
    SampleStats stats = {{"correlation_id", correlation}};
    if (e.category == "gpu_memcpy") stats.push_back({"memcpy_details", "kind_src:device"});
    if (e.category == "gpu_memset") stats.push_back({"memset_details", "async:1"});
    Stream(e.device, e.stream).Event(e.name, e.start, e.end - e.start, stats);
    if (e.launch < 0) return;
    std::string call = e.category == "gpu_memcpy"   ? "cudaMemcpyAsync"
                       : e.category == "gpu_memset" ? "cudaMemsetAsync"
                                                    : "cudaLaunchKernel";
    if (!e.call.empty()) call = e.call;
    Thread(e.thread).Event(call, e.launch, LaunchEnd(e) - e.launch,
                           {{"correlation_id", correlation}});
  }
  std::string Bytes() { return file_.Bytes(); }

 private:
  void AddHost(const InlineEvent& e) {
    SampleStats stats;
    if (IsStep(e)) stats = {{"_r", 1}, {"step_num", StepNumber(e.name)}};
    if (e.correlation > 0) stats.push_back({"correlation_id", e.correlation});
    Thread(e.thread).Event(e.name, e.start, e.end - e.start, stats);
  }
  SampleLine& Thread(int64_t thread) {
    SampleLine*& line = threads_[thread];
    if (line == nullptr) {
      const int64_t id = thread < 0 ? 4242 : thread;
      line = &host_.Line(id, std::to_string(id));
    }
    return *line;
  }
  SampleLine& Stream(int64_t device, int64_t stream) {
    SamplePlane*& plane = devices_[device];
    if (plane == nullptr) plane = &file_.Plane(fmt::format("/device:GPU:{}", device));
    SampleLine*& line = streams_[{device, stream}];
    if (line == nullptr) line = &plane->Line(stream, fmt::format("Stream #{}", stream));
    return *line;
  }

  SampleXSpace file_;
  SamplePlane& host_ = file_.Plane("/host:CPU");
  std::map<int64_t, SampleLine*> threads_;
  std::map<int64_t, SamplePlane*> devices_;
  std::map<std::pair<int64_t, int64_t>, SampleLine*> streams_;
  int64_t last_correlation_ = 1000;
};

}  // namespace

bool FitsXPlane(const InlineTrace& trace) {
  if (trace.memory_timeline || trace.rank < 0 || trace.world >= 0 || !trace.gpu.empty() ||
      !trace.file.empty())
    return false;
  if (!std::ranges::all_of(trace.events, KindFits)) return false;
  if (std::ranges::none_of(trace.events, IsStep)) return true;
  std::set<int64_t> numbers;
  return std::ranges::all_of(trace.events, [&](const InlineEvent& e) {
    return StepFits(trace, e) && (!IsStep(e) || numbers.insert(StepNumber(e.name)).second);
  });
}

bool FitXPlane(const std::vector<InlineTrace>& traces) {
  std::set<int64_t> ranks;
  return std::ranges::all_of(traces, [&](const InlineTrace& trace) {
    return FitsXPlane(trace) && ranks.insert(trace.rank).second;
  });
}

std::string ToXPlane(const InlineTrace& trace) {
  Profile profile;
  for (const InlineEvent& event : trace.events) profile.Add(event);
  return profile.Bytes();
}

}  // namespace stepscope::testing
