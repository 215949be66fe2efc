// Derives each fact at its first use.
#include "facts/derived/on_demand.h"

#include "base/stop.h"
#include "facts/derived/compiled_code.h"
#include "facts/derived/stages.h"

namespace stepscope {

const std::vector<RankSteps>& FactsOnDemand::Steps(const Facts& facts) {
  if (!steps_) steps_ = StepsOfRanks(facts);
  return *steps_;
}

const StepChanges& FactsOnDemand::Changes(const Facts& facts) {
  if (!changes_) changes_ = FindStepChanges(Steps(facts));
  return *changes_;
}

const std::vector<StepParts>& FactsOnDemand::Parts(const Facts& facts) {
  if (parts_) return *parts_;
  const std::vector<RankSteps>& steps = Steps(facts);
  const bool marked = !steps.empty() && !steps.front().whole_recording;
  parts_.emplace();
  if (marked && facts.OnHost()) parts_ = PartsOfSteps(facts, steps);
  return *parts_;
}

const WorkRises& FactsOnDemand::Work(const Facts& facts) {
  if (!work_) work_ = FindWorkRises(Parts(facts), Changes(facts).median, !TiedByMessages(facts));
  return *work_;
}

const MissingCommunication& FactsOnDemand::CommunicationMissing(const Facts& facts) {
  if (!missing_communication_) missing_communication_ = FindMissingCommunication(facts);
  return *missing_communication_;
}

const AbsentWaits& FactsOnDemand::WaitsForAbsent(const Facts& facts) {
  if (!absent_waits_) absent_waits_ = FindAbsentWaits(facts);
  return *absent_waits_;
}

const std::vector<WaitCause>& FactsOnDemand::WaitCauses(const Facts& facts) {
  if (!wait_causes_) wait_causes_ = FindWaitCauses(facts, WaitsForAbsent(facts));
  return *wait_causes_;
}

Purpose FactsOnDemand::JobPurpose(const Facts& facts) {
  if (!purpose_) purpose_ = FindPurpose(facts);
  return *purpose_;
}

bool FactsOnDemand::HasCompiledCode(const Facts& facts) {
  if (!compiled_) compiled_ = FindCompiledCode(facts);
  return *compiled_;
}

const OperatorTree& FactsOnDemand::Operators(const Facts& facts, const RankActivity& rank) {
  auto& operators = ranks_[&rank].operators;
  if (!operators) operators.emplace(*facts.names, *rank.host);
  return *operators;
}

const NarrowArray<int64_t>& FactsOnDemand::OperatorSelfTimes(const Facts& facts,
                                                             const RankActivity& rank) {
  auto& self_times = ranks_[&rank].self_times;
  if (!self_times) self_times = SelfTimes(*rank.host, Operators(facts, rank));
  return *self_times;
}

const std::vector<CountedOperator>& FactsOnDemand::OperatorCosts(const Facts& facts,
                                                                 const RankActivity& rank) {
  auto& costs = ranks_[&rank].costs;
  if (!costs) costs = CountOperators(*facts.names, *rank.host, Operators(facts, rank));
  return *costs;
}

TensorCores FactsOnDemand::UseOfTensorCores(const Facts& facts, StringId kernel) {
  tensor_cores_.resize(facts.names->size());
  auto& use = tensor_cores_[kernel];
  if (!use) use = TensorCoresOfKernel((*facts.names)[kernel]);
  return *use;
}

FactsOnDemand& OnDemand(const Facts& facts) {
  StopIfAsked();
  if (!facts.on_demand) facts.on_demand = std::make_shared<FactsOnDemand>();
  return *facts.on_demand;
}

}  // namespace stepscope
