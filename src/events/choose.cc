// Finds kinds by name and steps of events.
#include "events/choose.h"

#include "base/nearest_name.h"

namespace stepscope {
namespace {

// Names for several kinds at once.
std::optional<KindSet> GroupOfKinds(std::string_view name) {
  if (name == "device") return kDeviceActivity;
  if (name == "kernel") return KindSet{Kind::kCompute, Kind::kCommunication};
  return std::nullopt;
}

Result<KindSet> KindOf(const std::string& name) {
  if (const auto group = GroupOfKinds(name)) return *group;
  for (size_t k = 0; k < Index(Kind::kCount); ++k) {
    if (KindName(static_cast<Kind>(k)) == name) return KindSet{static_cast<Kind>(k)};
  }
  std::vector<std::string> known = EventTable::KindNames();
  known.insert(known.end(), {"device", "kernel"});
  const std::string near = NearestName(name, known);
  return std::unexpected(Error{"there is no kind of events '" + name + "'", "`kind`",
                               near.empty() ? "" : "did you mean '" + near + "'?"});
}

}  // namespace

Result<KindSet> KindsOf(const std::vector<std::string>& names) {
  if (names.empty()) return KindSet::All();
  KindSet kinds;
  for (const std::string& name : names) {
    const auto kind = KindOf(name);
    if (!kind) return std::unexpected(kind.error());
    kinds = kinds | *kind;
  }
  return kinds;
}

WantedSteps::WantedSteps(const EventFilter& filter)
    : any_(filter.step || filter.steps), one_(filter.step), several_(filter.steps) {
  if (several_) std::ranges::sort(*several_);
}

StepsOfEvents::StepsOfEvents(const RecordedFile& file, const std::vector<uint32_t>& launches,
                             const StepsAt& steps)
    : trace_(file.trace()),
      launches_(launches),
      steps_(steps),
      said_(file.trace().Ints(IntField::kStep)) {}

std::optional<int64_t> StepsOfEvents::At(EventId event) {
  if (!IsDeviceActivity(trace_.kinds()[event])) return steps_.At(trace_.starts()[event]);
  const auto said = said_.At(event);
  if (said && steps_.Has(*said)) return said;
  const uint32_t launch = launches_[event];
  return launch == kNoEvent ? std::nullopt : steps_.At(trace_.starts()[launch]);
}

}  // namespace stepscope
