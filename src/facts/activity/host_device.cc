// Makes activities of a host's operators and collectives.
#include "facts/activity/host_device.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/match_any.h"
#include "base/sort_runs.h"
#include "trace/input_lists.h"

namespace stepscope {
namespace {

constexpr auto kHostLibraries = std::to_array<std::string_view>({"gloo:", "mpi:", "ucc:"});
constexpr auto kDeviceLibraries =
    std::to_array<std::string_view>({"nccl:", "rccl:", "xccl:", "hccl:"});
constexpr auto kHostKernels = std::to_array<std::string_view>({"mkldnn", "_for_cpu", "onednn::"});
constexpr std::string_view kDispatch = "c10d::";

// Of a name, what it tells about the range.
enum class Meaning : uint8_t { kNothing, kCollective, kDispatch };

Meaning MeaningOf(std::string_view name) {
  if (StartsWithAny(name, kHostLibraries)) return Meaning::kCollective;
  return name.starts_with(kDispatch) ? Meaning::kDispatch : Meaning::kNothing;
}

// By name: each is read once.
std::vector<Meaning> Meanings(const StringTable& names) {
  std::vector<Meaning> meanings;
  meanings.reserve(names.size());
  for (StringId id = 0; id < names.size(); ++id) meanings.push_back(MeaningOf(names[id]));
  return meanings;
}

int64_t Elements(std::string_view shapes) {
  int64_t sum = 0;
  for (const Dimensions& dimensions : ReadShapes(shapes)) {
    int64_t product = 1;
    for (const int64_t size : dimensions) {
      if (__builtin_mul_overflow(product, size, &product)) return -1;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return -1;
  }
  return sum;
}

// The profiler writes C++ types where NCCL's metadata has PyTorch's: "float" is "Float".
std::string_view ScalarType(std::string_view type) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr auto kTypes = std::to_array<Pair>({{"float", "Float"},
                                               {"double", "Double"},
                                               {"long int", "Long"},
                                               {"int", "Int"},
                                               {"short int", "Short"},
                                               {"unsigned char", "Byte"},
                                               {"signed char", "Char"},
                                               {"bool", "Bool"},
                                               {"c10::Half", "Half"},
                                               {"c10::BFloat16", "BFloat16"}});
  const auto at = std::ranges::find(kTypes, type, &Pair::first);
  return at == kTypes.end() ? type : at->second;
}

// Both ends of a message do the same thing, as those of NCCL's kernel for it.
std::string_view OperationOf(std::string_view operation) {
  constexpr auto kMessages = std::to_array<std::string_view>({"send", "recv", "recvAnySource"});
  return std::ranges::find(kMessages, operation) == kMessages.end() ? operation : "sendrecv";
}

class Maker {
 public:
  Maker(RankActivity& rank, StringTable& names, int64_t group_size)
      : rank_(rank),
        host_(*rank.host),
        names_(names),
        group_size_(group_size),
        meanings_(Meanings(names)) {}

  void Make() {
    MarkAroundCollectives();
    std::vector<Activity> made = Collect();
    NumberStreams(made);
    SortRuns(made, [](const Activity& a, const Activity& b) {
      return std::tuple(a.start, a.end, a.stream) < std::tuple(b.start, b.end, b.stream);
    });
    AddActivities(made);
    rank_.on_host = true;
  }

 private:
  Meaning Of(const HostRange& range) const { return meanings_[range.name]; }

  // A range that holds a collective of its own thread waits for it.
  void MarkAroundCollectives() {
    around_.resize(host_.ranges.size());
    for (const HostRange& range : host_.ranges) {
      if (Of(range) != Meaning::kCollective) continue;
      for (int32_t r = range.parent; r != kNoRange && !around_[static_cast<size_t>(r)];
           r = host_.ranges[static_cast<size_t>(r)].parent) {
        around_[static_cast<size_t>(r)] = true;
      }
    }
  }

  std::vector<Activity> Collect() {
    std::vector<Activity> made;
    std::vector<bool> within(host_.ranges.size());  // an activity is around it, or is it
    for (size_t r = 0; r < host_.ranges.size(); ++r) {
      const HostRange range = host_.ranges[r];
      within[r] = range.parent != kNoRange && within[static_cast<size_t>(range.parent)];
      if (within[r] || range.duration() <= 0) continue;
      const bool communicates = Of(range) == Meaning::kCollective;
      const bool computes = range.kind == Kind::kOperator && Of(range) == Meaning::kNothing;
      if (around_[r] || !(communicates || computes)) continue;
      within[r] = true;
      made.push_back({.start = range.start,
                      .end = range.end,
                      .launched = range.start,
                      .name = range.name,
                      .stream = range.thread,
                      .detail = communicates ? AddCollective(range) : kNoDetail,
                      .kind = communicates ? Kind::kCommunication : Kind::kCompute});
    }
    return made;
  }

  // What it moves is its input, also where that is the place to receive in.
  int32_t AddCollective(const HostRange& range) {
    const std::string_view name = names_[range.name];
    const size_t colon = name.find(':');
    Collective collective{.operation = names_.Intern(OperationOf(name.substr(colon + 1))),
                          .group = names_.Intern(name.substr(0, colon)),
                          .group_size = group_size_};
    if (const RangeDetail* detail = host_.DetailOf(range); detail != nullptr) {
      if (detail->shapes != kNoString) {
        collective.in_elements = collective.out_elements = Elements(names_[detail->shapes]);
      }
      const auto types = detail->types == kNoString ? std::vector<std::string>()
                                                    : ReadTexts(names_[detail->types]);
      if (!types.empty()) collective.type = names_.Intern(ScalarType(types.front()));
    }
    rank_.collectives.push_back(collective);
    return static_cast<int32_t>(rank_.collectives.size() - 1);
  }

  // Threads that have activities, in their order, as streams of one device.
  void NumberStreams(std::vector<Activity>& made) {
    std::vector<uint32_t> stream_of(host_.threads.size(), UINT32_MAX);
    for (const Activity& activity : made) stream_of[activity.stream] = 0;
    for (size_t thread = 0; thread < stream_of.size(); ++thread) {
      if (stream_of[thread] == UINT32_MAX) continue;
      stream_of[thread] = static_cast<uint32_t>(rank_.streams.size());
      rank_.streams.push_back({.device = 0, .stream = static_cast<int64_t>(thread)});
    }
    if (!made.empty()) rank_.devices = {0};
    for (Activity& activity : made) activity.stream = stream_of[activity.stream];
  }

  void AddActivities(const std::vector<Activity>& made) {
    std::vector<int64_t> busy_until(rank_.streams.size(), kNoTime);
    for (Activity activity : made) {
      int64_t& until = busy_until[activity.stream];
      activity.free_since = until;
      activity.step = rank_.StepAt(activity.start);
      until = std::max(until, activity.end);
      rank_.activities.Append(activity);
    }
  }

  RankActivity& rank_;
  HostOps& host_;
  StringTable& names_;
  const int64_t group_size_;
  const std::vector<Meaning> meanings_;
  std::vector<bool> around_;  // by range: a collective of its thread is within
};

}  // namespace

bool ComputesOnHost(const RankActivity& rank, const StringTable& names) {
  const LaunchCount& launches = rank.launches;
  if (!rank.activities.empty() || rank.memory_only || !rank.properties.empty() ||
      launches.calls > 0 || launches.captured > 0) {
    return false;
  }
  std::vector<bool> used(names.size());
  for (const HostRange& range : rank.host->ranges) used[range.name] = true;
  bool found = false;
  for (StringId id = 0; id < names.size(); ++id) {
    if (!used[id]) continue;
    if (StartsWithAny(names[id], kDeviceLibraries)) return false;
    found |= StartsWithAny(names[id], kHostLibraries) || ContainsAny(names[id], kHostKernels);
  }
  return found;
}

void TakeHostForDevice(RankActivity& rank, StringTable& names, int64_t group_size) {
  Maker(rank, names, group_size).Make();
}

}  // namespace stepscope
