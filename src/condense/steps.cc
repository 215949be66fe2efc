// Asks the same functions as the analyses do of whole recordings.
#include "condense/steps.h"

#include <array>
#include <string_view>

#include "facts/derived/lateness/host_efforts.h"
#include "facts/derived/steps/before_steps.h"
#include "facts/derived/steps/step_categories.h"
#include "partials/step_names.h"

namespace stepscope {
namespace {

static_assert(kPartialParts.size() == kStepParts && kPartialRoles.size() == kStepRoles);

class StepRows {
 public:
  StepRows(const Facts& facts, PartialTable& into)
      : facts_(facts), rank_(facts.ranks.front()), out_(into) {}

  void Write() {
    for (const RankSteps& own : RankStepsOf(facts_)) {
      const auto roles = RolesOf(own, *facts_.names);
      for (size_t s = 0; s < own.steps.size(); ++s) WriteStep(own.steps[s], roles[s]);
      if (const auto before = BeforeStepsOf(own, *facts_.names))
        WriteTimes("before", kPartialParts, -1, before->time.time);
    }
    for (const CondensedEffort& effort : HostEfforts(*facts_.names).Of(rank_)) WriteEffort(effort);
  }

 private:
  void Begin(std::string_view kind, int64_t step) {
    out_.BeginRow(kind, rank_.rank);
    if (step >= 0) out_.Set(PartialColumn::kStep, step);
  }

  void WriteStep(const StepBreakdown& step, const std::array<int64_t, kStepRoles>& roles) {
    Begin("stretch", step.window.number);
    out_.Set(PartialColumn::kStart, step.window.start);
    out_.Set(PartialColumn::kDuration, step.Total());
    WriteTimes("part", kPartialParts, step.window.number, step.time);
    WriteTimes("role", kPartialRoles, step.window.number, roles);
  }

  void WriteTimes(std::string_view kind, const auto& names, int64_t step, const auto& times) {
    for (size_t i = 0; i < times.size(); ++i) {
      if (times[i] == 0) continue;
      Begin(kind, step);  // -1: of none
      out_.Set(PartialColumn::kName, names[i]);
      out_.Set(PartialColumn::kDuration, times[i]);
    }
  }

  void WriteEffort(const CondensedEffort& effort) {
    Begin("effort", effort.step);
    if (effort.device >= 0) out_.Set(PartialColumn::kDevice, effort.device);
    out_.Set(PartialColumn::kCount, effort.kernels);
    out_.Set(PartialColumn::kLate, effort.host_late);
    out_.Set(PartialColumn::kPauses, effort.pauses);
    out_.Set(PartialColumn::kInput, effort.input);
  }

  const Facts& facts_;
  const RankActivity& rank_;
  PartialTable& out_;
};

}  // namespace

void CondenseSteps(const Facts& facts, PartialTable& into) { StepRows(facts, into).Write(); }

}  // namespace stepscope
