// Derives facts that only some analyses need, at the first request, and keeps them. This is the
// only mutable part of Facts; it is used from one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "facts/derived/absent_ranks.h"
#include "facts/derived/job_purpose.h"
#include "facts/derived/missing_communication.h"
#include "facts/derived/step_categories.h"
#include "facts/derived/step_changes.h"
#include "facts/derived/wait_causes.h"
#include "facts/derived/work_rises.h"
#include "facts/facts.h"
#include "facts/operators/operator_flops.h"
#include "facts/operators/operators.h"
#include "trace/kernel_vocabulary.h"

namespace stepscope {

struct Modules;
struct RecordingFlops;

class FactsOnDemand {
 public:
  // As StepsOfRanks().
  const std::vector<RankSteps>& Steps(const Facts& facts);
  bool HasSteps() const { return steps_.has_value(); }  // whether they were derived already

  // As FindStepChanges().
  const StepChanges& Changes(const Facts& facts);

  // As PartsOfSteps(); empty where devices compute, or no steps are marked.
  const std::vector<StepParts>& Parts(const Facts& facts);

  // As FindWorkRises().
  const WorkRises& Work(const Facts& facts);

  // As FindMissingCommunication().
  const MissingCommunication& CommunicationMissing(const Facts& facts);

  // As FindAbsentWaits().
  const AbsentWaits& WaitsForAbsent(const Facts& facts);

  // As FindWaitCauses().
  const std::vector<WaitCause>& WaitCauses(const Facts& facts);

  // As FindPurpose().
  Purpose JobPurpose(const Facts& facts);

  // As FindCompiledCode().
  bool HasCompiledCode(const Facts& facts);

  const OperatorTree& Operators(const Facts& facts, const RankActivity& rank);
  // As SelfTimes() and CountOperators().
  const NarrowArray<int64_t>& OperatorSelfTimes(const Facts& facts, const RankActivity& rank);
  const std::vector<CountedOperator>& OperatorCosts(const Facts& facts, const RankActivity& rank);
  // Where FlopsOf() (recording_flops.h) keeps its answer; null until then.
  std::shared_ptr<const RecordingFlops>& Flops(const RankActivity& rank) {
    return ranks_[&rank].flops;
  }

  // Where ModulesOf() (modules.h) keeps its answer; null until then.
  std::shared_ptr<const Modules>& KeptModules() { return modules_; }

  TensorCores UseOfTensorCores(const Facts& facts, StringId kernel);

 private:
  struct OfRank {
    std::optional<OperatorTree> operators;
    std::optional<NarrowArray<int64_t>> self_times;
    std::optional<std::vector<CountedOperator>> costs;
    std::shared_ptr<const RecordingFlops> flops;
  };

  std::optional<std::vector<RankSteps>> steps_;
  std::optional<StepChanges> changes_;
  std::optional<std::vector<StepParts>> parts_;
  std::optional<WorkRises> work_;
  std::optional<MissingCommunication> missing_communication_;
  std::optional<AbsentWaits> absent_waits_;
  std::optional<std::vector<WaitCause>> wait_causes_;
  std::optional<Purpose> purpose_;
  std::optional<bool> compiled_;
  std::map<const RankActivity*, OfRank> ranks_;
  std::shared_ptr<const Modules> modules_;
  std::vector<std::optional<TensorCores>> tensor_cores_;  // by name
};

// What `facts` keeps. Stops if asked: what takes long comes by here.
FactsOnDemand& OnDemand(const Facts& facts);

}  // namespace stepscope
