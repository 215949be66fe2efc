// Finds by which functions of the user's program communication is started.
#include "facts/derived/python/called_communication.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/step_function.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

// When the thread of a call of the user's is in torch.distributed, by the user's function and the
// one that it calls.
using CallsByFunction = std::map<std::pair<FrameName, std::string>, std::vector<Interval>>;

class UserCalls {
 public:
  explicit UserCalls(const StringTable& names) : names_(names) {}

  CallsByFunction Of(const RankActivity& rank) {
    CallsByFunction calls;
    for (const HostFrames& frames : rank.host->frames) AddThread(frames, calls);
    return calls;
  }

 private:
  // kPasses: what is built in, a part of a function, or wraps what it calls.
  enum class Is : uint8_t { kDistributed, kPasses, kUser, kOther };
  struct Known {
    Is is = Is::kOther;
    bool of_model = false;
  };
  struct Frame {
    int32_t nearest = kNoRange;  // it, or what it is called by, without what passes
    bool in_model = false;
  };

  Known KnownOf(StringId id) {
    const auto [at, is_new] = known_.try_emplace(id);
    if (!is_new) return at->second;
    const FrameName name = ParseFrameName(names_[id]);
    at->second.of_model = IsPass(name) || !ModuleOfFrame(names_[id]).empty();
    if (name.file.empty() || name.file.ends_with("c10d_logger.py") ||
        name.function.starts_with("<listcomp") || name.function.starts_with("<genexpr"))
      at->second.is = Is::kPasses;
    else if (name.file.ends_with("distributed_c10d.py"))
      at->second.is = Is::kDistributed;
    else if (!IsOfLibrary(name))
      at->second.is = Is::kUser;
    return at->second;
  }

  void AddThread(const HostFrames& frames, CallsByFunction& calls) {
    std::vector<Frame> known;
    known.reserve(frames.size());
    for (size_t f = 0; f < frames.size(); ++f) {
      const HostFrame frame = frames[f];
      const Known own = KnownOf(frame.name);
      const Frame around =
          frame.parent == kNoRange ? Frame() : known[static_cast<size_t>(frame.parent)];
      known.push_back({own.is == Is::kPasses ? around.nearest : static_cast<int32_t>(f),
                       around.in_model || own.of_model});
      if (own.is != Is::kDistributed || around.in_model || around.nearest == kNoRange) continue;
      const StringId caller = frames[static_cast<size_t>(around.nearest)].name;
      if (KnownOf(caller).is != Is::kUser) continue;
      calls[{ParseFrameName(names_[caller]), ParseFrameName(names_[frame.name]).function}]
          .push_back({frame.start, frame.end});
    }
  }

  const StringTable& names_;
  std::unordered_map<StringId, Known> known_;
};

std::optional<CalledCommunication> FindMost(const Facts& facts) {
  UserCalls users(*facts.names);
  std::map<FrameName, std::map<std::string, int64_t>> times;
  for (const RankActivity& rank : facts.ranks) {
    for (const auto& [of, calls] : users.Of(rank)) {
      int64_t& time = times[of.first][of.second];
      time = AddSaturated(time, LengthOf(UnionOf(CommunicationOf(rank, calls))));
    }
  }
  std::optional<CalledCommunication> most;
  for (const auto& [caller, functions] : times) {
    CalledCommunication own{.caller = caller};
    int64_t longest = 0;
    for (const auto& [function, time] : functions) {
      own.time = AddSaturated(own.time, time);
      if (time <= longest) continue;
      longest = time;
      own.function = function;
      own.of_objects = IsObjectCollective(function);
    }
    if (own.time > (most ? most->time : 0)) most = std::move(own);
  }
  return most;
}

}  // namespace

bool IsObjectCollective(std::string_view function) {
  constexpr auto kFunctions = std::to_array<std::string_view>(
      {"all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list",
       "send_object_list", "recv_object_list"});
  return std::ranges::find(kFunctions, function) != kFunctions.end();
}

std::vector<Interval> CommunicationOf(const RankActivity& rank, std::vector<Interval> calls) {
  const IntervalSet windows = UnionOf(std::move(calls));
  const AnywhereInWindows within(windows);
  std::vector<Interval> started;
  for (const Activity& activity : rank.activities) {
    const int64_t begun = activity.launched == kNoTime ? activity.start : activity.launched;
    if (rank.IsCollective(activity) && within.Holds(begun))
      started.push_back({activity.start, activity.end});
  }
  return started;
}

const std::optional<CalledCommunication>& CalledCommunicationOf(const Facts& facts) {
  return facts.memo.Of<FindMost>(facts);
}

int64_t CommunicationIn(const Facts& facts, const FrameName& function) {
  int64_t time = 0;
  for (const RankActivity& rank : facts.ranks) {
    const auto started = CommunicationOf(rank, CallsOf(facts, rank, function));
    time = AddSaturated(time, LengthOf(UnionOf(started)));
  }
  return time;
}

}  // namespace stepscope
