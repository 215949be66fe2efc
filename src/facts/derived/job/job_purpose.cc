// Looks at each name of operators, annotations and kernels once.
#include "facts/derived/job/job_purpose.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/stop.h"

namespace stepscope {
namespace {

constexpr std::array kTelling = {Kind::kOperator, Kind::kAnnotation, Kind::kCompute};

class Finder {
 public:
  explicit Finder(const Facts& facts) : names_(*facts.names), seen_(facts.names->size()) {}

  void Add(const RankActivity& rank) {
    StopChecks checks;
    if (rank.condensed) {
      trains_ = trains_ || rank.condensed->purpose == Purpose::kTraining;
      infers_ = infers_ || rank.condensed->purpose == Purpose::kInference;
      return;
    }
    for (const HostRange& range : rank.host->ranges) {
      checks.Turn();
      Look(range.kind, range.name);
    }
    for (const Activity& activity : rank.activities) {
      checks.Turn();
      Look(activity.kind, activity.name);
    }
    for (const KernelDetail& kernel : rank.kernels) {
      if (kernel.framework_op != kNoString) Look(Kind::kOperator, kernel.framework_op);
    }
  }

  Purpose Found() const {
    if (trains_) return Purpose::kTraining;
    return infers_ ? Purpose::kInference : Purpose::kUnknown;
  }

 private:
  void Look(Kind kind, StringId name) {
    if (trains_) return;
    const auto* at = std::ranges::find(kTelling, kind);
    if (at == kTelling.end()) return;
    const auto bit = static_cast<uint8_t>(1 << (at - kTelling.begin()));
    if ((seen_[name] & bit) != 0) return;
    seen_[name] |= bit;
    const Purpose purpose = PurposeOfName(kind, names_[name]);
    trains_ = trains_ || purpose == Purpose::kTraining;
    infers_ = infers_ || purpose == Purpose::kInference;
  }

  const StringTable& names_;
  std::vector<uint8_t> seen_;  // by name: as what
  bool trains_ = false, infers_ = false;
};

Purpose FindPurpose(const Facts& facts) {
  Finder finder(facts);
  for (const RankActivity& rank : facts.ranks) finder.Add(rank);
  return finder.Found();
}

}  // namespace

Purpose PurposeOfJob(const Facts& facts) { return facts.memo.Of<FindPurpose>(facts); }

}  // namespace stepscope
