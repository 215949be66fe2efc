// Finds the operators of a trace once.
#include "facts/derived/operators/operator_trees.h"

namespace stepscope {
namespace {

OperatorTree FindTree(const Facts& facts, const RankActivity& rank) {
  return {*facts.names, *rank.host};
}

NarrowArray<int64_t> MeasureSelfTimes(const Facts& facts, const RankActivity& rank) {
  return SelfTimes(*rank.host, OperatorTreeOf(facts, rank));
}

std::vector<CountedOperator> CountCosts(const Facts& facts, const RankActivity& rank) {
  return CountOperators(*facts.names, *rank.host, OperatorTreeOf(facts, rank));
}

}  // namespace

const OperatorTree& OperatorTreeOf(const Facts& facts, const RankActivity& rank) {
  return facts.memo.Of<FindTree>(facts, rank);
}

const NarrowArray<int64_t>& SelfTimesOf(const Facts& facts, const RankActivity& rank) {
  return facts.memo.Of<MeasureSelfTimes>(facts, rank);
}

const std::vector<CountedOperator>& OperatorCostsOf(const Facts& facts, const RankActivity& rank) {
  return facts.memo.Of<CountCosts>(facts, rank);
}

}  // namespace stepscope
