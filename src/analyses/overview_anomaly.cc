// Counts what the engine runs behind each function.
#include "analyses/overview_anomaly.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "analyses/build.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "report/humanize.h"

namespace stepscope {
namespace overview_anomaly {
namespace {

constexpr int64_t kFewest = 10;  // functions of the backward pass, per recording

// What the engine runs directly in a function's range to look at its results.
constexpr auto kLooks = std::to_array<std::string_view>(
    {"aten::isnan", "aten::_is_any_true", "aten::any", "aten::item"});

struct Looks {
  int64_t functions = 0, looked = 0;
  int64_t time = 0;  // ns
};

Looks LooksIn(const Facts& facts, const RankSteps& own) {
  enum : uint8_t { kUnknown, kOther, kFunction, kIsNan, kLook };
  std::unordered_map<StringId, uint8_t> known;
  const auto kind_of = [&](StringId id) {
    uint8_t& kind = known[id];
    if (kind != kUnknown) return kind;
    const std::string_view name = (*facts.names)[id];
    const bool looks = std::ranges::find(kLooks, name) != kLooks.end();
    return kind = name.starts_with("autograd::engine::evaluate_function") ? kFunction
                  : name == kLooks.front()                                ? kIsNan
                  : looks                                                 ? kLook
                                                                          : kOther;
  };
  Looks looks;
  StopChecks checks;
  const HostRanges& ranges = own.rank->host->ranges;
  for (const HostRange& range : ranges) {
    checks.Turn();
    if (range.kind != Kind::kOperator || !facts.Counts(*own.rank, range.start)) continue;
    const uint8_t kind = kind_of(range.name);
    if (kind == kFunction) ++looks.functions;
    if (kind < kIsNan || range.parent == kNoRange) continue;
    if (kind_of(ranges[static_cast<size_t>(range.parent)].name) != kFunction) continue;
    looks.looked += kind == kIsNan ? 1 : 0;
    looks.time = AddSaturated(looks.time, range.duration());
  }
  return looks;
}

}  // namespace
}  // namespace overview_anomaly

void AddAnomalyDetection(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  using namespace overview_anomaly;
  if (ranks.empty() || ranks.front().whole_recording) return;
  Looks sum;
  for (const RankSteps& own : ranks) {
    const Looks looks = LooksIn(facts, own);
    if (looks.functions < kFewest || 2 * looks.looked < looks.functions) return;
    sum.looked += looks.looked;
    sum.time = AddSaturated(sum.time, looks.time);
  }
  const StepStatistics total = StatisticsOfTotals(ranks);
  const auto steps = static_cast<double>(total.steps);
  report.findings.push_back(
      {.message =
           Say("Anomaly detection looks for NaN in all gradients: {time} of {step} per step.",
               HumanTime(static_cast<double>(sum.time) / steps), HumanTime(total.mean)),
       .because =
           Say("{operator} runs {count} times per step behind functions of the backward "
               "pass; what anomaly detection keeps of the forward pass comes on top",
               Phrase::Name("aten::isnan"), HumanCount(static_cast<double>(sum.looked) / steps)),
       .hint = "turn it off once the NaN is found: torch.autograd.set_detect_anomaly(False), or "
               "detect_anomaly=False of the trainer",
       .impact = sum.time / std::ssize(ranks),
       .table = "step_time",
       .cause = {CauseKind::kHost},
       .nearness = Nearness::kCause,
       .where = {.event = "aten::isnan"}});
}

}  // namespace stepscope
