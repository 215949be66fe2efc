// Looks at each name of operators, annotations and kernels until one is of compiled code.
#include "facts/derived/job/compiled_code.h"

#include <vector>

#include "base/stop.h"
#include "trace/purpose_names.h"

namespace stepscope {
namespace {

bool FindCompiledCode(const Facts& facts) {
  if (facts.names == nullptr) return false;
  std::vector<bool> seen(facts.names->size());
  StopChecks checks;
  const auto is_compiled = [&](StringId name) {
    checks.Turn();
    if (seen[name]) return false;
    seen[name] = true;
    return IsCompiledName((*facts.names)[name]);
  };
  for (const RankActivity& rank : facts.ranks) {
    if (rank.condensed && rank.condensed->compiled) return true;
    for (const HostRange& range : rank.host->ranges) {
      if (is_compiled(range.name)) return true;
    }
    for (const Activity& activity : rank.activities) {
      if (is_compiled(activity.name)) return true;
    }
  }
  return false;
}

}  // namespace

bool HasCompiledCode(const Facts& facts) { return facts.memo.Of<FindCompiledCode>(facts); }

}  // namespace stepscope
