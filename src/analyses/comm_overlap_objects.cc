// Sums the communication of object collectives.
#include "analyses/comm_overlap_objects.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/derived/python/called_communication.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

// The function that a frame is of; empty for all others.
std::string FunctionOf(std::string_view frame) {
  if (!frame.contains("_object")) return {};
  FrameName name = ParseFrameName(frame);
  const bool is_one =
      IsObjectCollective(name.function) && name.file.ends_with("distributed_c10d.py");
  return is_one ? std::move(name.function) : std::string();
}

class ObjectFunctions {
 public:
  explicit ObjectFunctions(const StringTable& names) : names_(names) {}

  void Add(const RankActivity& rank) {
    for (const auto& [function, calls] : CallsOf(rank)) {
      int64_t& time = times_[function];
      for (const Interval& started : CommunicationOf(rank, calls))
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

}  // namespace

ObjectCollectives FindObjectCollectives(const Facts& facts) {
  ObjectFunctions functions(*facts.names);
  for (const RankActivity& rank : facts.ranks) functions.Add(rank);
  ObjectCollectives found = functions.Sum();
  return found.time > 0 ? found : InMessages(facts);
}

}  // namespace stepscope
