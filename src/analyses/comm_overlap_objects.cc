// Sums the communication that calls of functions start, or the messages of object collectives.
#include "analyses/comm_overlap_objects.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/derived/python/along_windows.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

constexpr auto kFunctions = std::to_array<std::string_view>(
    {"all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list",
     "send_object_list", "recv_object_list"});

// The function that a frame is of; empty for all others.
std::string FunctionOf(std::string_view frame) {
  if (!frame.contains("_object")) return {};
  FrameName name = ParseFrameName(frame);
  const bool is_one = std::ranges::find(kFunctions, name.function) != kFunctions.end() &&
                      name.file.ends_with("distributed_c10d.py");
  return is_one ? std::move(name.function) : std::string();
}

// The communication that the calls start, in order.
std::vector<Interval> StartedIn(const RankActivity& rank, std::vector<Interval> calls) {
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

class ObjectFunctions {
 public:
  explicit ObjectFunctions(const StringTable& names) : names_(names) {}

  void Add(const RankActivity& rank) {
    for (const auto& [function, calls] : CallsOf(rank)) {
      int64_t& time = times_[function];
      for (const Interval& started : StartedIn(rank, calls))
        time = AddSaturated(time, started.end - started.start);
    }
  }

  ObjectCollectives Sum() const {
    ObjectCollectives sum;
    int64_t most = 0;
    for (const auto& [name, time] : times_) {
      sum.time = AddSaturated(sum.time, time);
      if (time > most) sum.name = name;
      most = std::max(most, time);
    }
    return sum;
  }

 private:
  std::map<std::string, std::vector<Interval>> CallsOf(const RankActivity& rank) {
    std::map<std::string, std::vector<Interval>> calls;
    for (const HostFrames& frames : rank.host->frames) {
      for (const HostFrame& frame : frames) {
        const auto [at, is_new] = known_.try_emplace(frame.name);
        if (is_new) at->second = FunctionOf(names_[frame.name]);
        if (!at->second.empty()) calls[at->second].push_back({frame.start, frame.end});
      }
    }
    return calls;
  }

  const StringTable& names_;
  std::unordered_map<StringId, std::string> known_;
  std::map<std::string, int64_t> times_;
};

bool IsGather(std::string_view operation) {
  return !operation.contains("reduce") &&
         (operation.contains("gather") || operation.contains("broadcast"));
}

// Sizes go before each message of pickled bytes.
ObjectCollectives InMessages(const Facts& facts) {
  constexpr int64_t kFew = 64;  // objects of a list
  int64_t sizes = 0, messages = 0, time = 0;
  for (const RankActivity& rank : facts.ranks) {
    for (const Activity& activity : rank.activities) {
      if (!rank.IsCollective(activity) || activity.detail == kNoDetail) continue;
      const Collective& own = rank.collectives[static_cast<size_t>(activity.detail)];
      if (own.type == kNoString || own.operation == kNoString) continue;
      if (!IsGather((*facts.names)[own.operation])) continue;
      const std::string_view type = (*facts.names)[own.type];
      const bool is_bytes = type == "Byte" || type == "unsigned char";
      const bool is_size =
          (type == "Long" || type == "long int") && own.in_elements >= 0 && own.in_elements <= kFew;
      sizes += is_size ? 1 : 0;
      messages += is_bytes ? 1 : 0;
      if (is_bytes || is_size) time = AddSaturated(time, activity.duration());
    }
  }
  return {.time = messages > 0 && 2 * sizes >= messages ? time : 0, .name = {}};
}

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

}  // namespace

std::optional<CalledCommunication> FindCalledCommunication(const Facts& facts) {
  UserCalls users(*facts.names);
  std::map<FrameName, std::map<std::string, int64_t>> times;
  for (const RankActivity& rank : facts.ranks) {
    for (const auto& [of, calls] : users.Of(rank)) {
      int64_t& time = times[of.first][of.second];
      time = AddSaturated(time, LengthOf(UnionOf(StartedIn(rank, calls))));
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
      own.of_objects = std::ranges::find(kFunctions, function) != kFunctions.end();
    }
    if (own.time > (most ? most->time : 0)) most = std::move(own);
  }
  return most;
}

ObjectCollectives FindObjectCollectives(const Facts& facts) {
  ObjectFunctions functions(*facts.names);
  for (const RankActivity& rank : facts.ranks) functions.Add(rank);
  ObjectCollectives found = functions.Sum();
  return found.time > 0 ? found : InMessages(facts);
}

}  // namespace stepscope
