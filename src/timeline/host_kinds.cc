// Implements kinds of events on hosts that compute.
#include "timeline/host_kinds.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "facts/activity/host_meaning.h"
#include "trace/processor_names.h"

namespace stepscope {
namespace {

Kind KindOf(HostMeaning meaning, Kind recorded) {
  // The library records its collectives as annotations.
  if (meaning == HostMeaning::kCollective) return Kind::kCommunication;
  if (recorded != Kind::kOperator) return recorded;
  switch (meaning) {
    case HostMeaning::kCompute:
      return Kind::kCompute;
    case HostMeaning::kDispatch:
    case HostMeaning::kFunctional:
      return Kind::kCommunication;
    default:
      return recorded;
  }
}

// Of a program's operations, "dot.3", and not of the runtime's own records,
// "ThunkExecutor::Execute".
bool MayBeHlo(std::string_view name) { return name.find_first_of(": ") == name.npos; }

}  // namespace

void TakeKindsOfHost(const RankActivity& rank, const StringTable& names_of_rank,
                     const StringTable& names, RecordedEvents& recording) {
  if (!rank.on_host) return;
  const bool compiled = rank.framework == Framework::kJax;
  const std::vector<HostMeaning> of_rank = MeaningsOfNames(*rank.host, names_of_rank, compiled);
  std::unordered_map<std::string_view, HostMeaning> meanings;
  for (StringId id = 0; id < names_of_rank.size(); ++id)
    meanings.emplace(names_of_rank[id], of_rank[id]);
  for (RecordedTrack& track : recording.tracks) {
    // What Python runs beside the programs is no operation of theirs.
    if (compiled && !IsXlaThread(track.name)) continue;
    track.events.TakeKinds([&](uint32_t name, Kind recorded) {
      const std::string_view text = names[recording.Shared(name)];
      const auto meaning = meanings.find(text);
      const bool told = meaning != meanings.end() && (!compiled || MayBeHlo(text));
      return told ? KindOf(meaning->second, recorded) : recorded;
    });
  }
}

}  // namespace stepscope
