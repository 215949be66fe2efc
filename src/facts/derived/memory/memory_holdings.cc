// Sums memory blocks by their description.
#include "facts/derived/memory/memory_holdings.h"

#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/saturate.h"

namespace stepscope {
namespace {

// What describes a block, as ids of names: cheaper to compare than texts.
using Purpose = std::tuple<StringId, StringId, StringId, StringId>;

// A list as the trace writes it, without the white space between its parts.
std::string OnOneLine(std::string_view list) {
  std::string line;
  bool quoted = false;
  for (const char c : list) {
    if (c == '"') quoted = !quoted;
    if (quoted || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) line += c;
  }
  return line;
}

// Groups blocks of one recording.
class Grouping {
 public:
  Grouping(const Facts& facts, const RankActivity& rank, const MemoryOwners& owners)
      : facts_(facts), rank_(rank), owners_(owners) {}

  void Add(const MemoryBlock& block) {
    const MemoryEvent& event = rank_.host->memory[block.taken];
    const Purpose purpose = PurposeOf(event);
    const MemoryDetail* detail = rank_.host->DetailOf(event);
    const bool message = detail != nullptr && detail->requested >= 0;
    holdings_[purpose].Add({event.bytes, message ? detail->requested : -1, 1, 0});
    const int32_t step = rank_.StepAt(event.time);
    if (step != kNoStep && steps_.emplace(purpose, step).second) ++holdings_[purpose].steps;
  }

  MemoryHoldings Finish() const {
    MemoryHoldings out;
    for (const auto& [ids, holding] : holdings_) {
      const auto& [operation, type, shape, region] = ids;
      out[{operation == kNoString ? "(no operator)" : Text(operation), List(type), List(shape),
           Text(region)}]
          .Add(holding);
    }
    return out;
  }

 private:
  std::string Text(StringId id) const {
    return id == kNoString ? std::string() : std::string((*facts_.names)[id]);
  }
  std::string List(StringId id) const {
    return id == kNoString ? std::string() : OnOneLine((*facts_.names)[id]);
  }

  Purpose PurposeOf(const MemoryEvent& event) const {
    const int32_t owner = owners_.Asking(event);
    const auto range = owner == kNoRange
                           ? std::nullopt
                           : std::optional(rank_.host->ranges[static_cast<size_t>(owner)]);
    const StringId around = range ? range->name : kNoString;
    if (const MemoryDetail* d = rank_.host->DetailOf(event)) {
      return {d->framework_op == kNoString ? around : d->framework_op, d->type, d->shape,
              d->region};
    }
    const RangeDetail* inputs = range ? rank_.host->DetailOf(*range) : nullptr;
    if (inputs == nullptr) return {around, kNoString, kNoString, kNoString};
    return {around, inputs->types, inputs->shapes, kNoString};
  }

  const Facts& facts_;
  const RankActivity& rank_;
  const MemoryOwners& owners_;
  std::map<Purpose, MemoryHolding> holdings_;
  std::set<std::pair<Purpose, int32_t>> steps_;
};

}  // namespace

void MemoryHolding::Add(const MemoryHolding& other) {
  bytes = AddSaturated(bytes, other.bytes);
  if (other.requested >= 0)
    requested = AddSaturated(requested < 0 ? 0 : requested, other.requested);
  blocks += other.blocks;
  steps += other.steps;
}

MemoryHoldings HoldingsAtPeak(const Facts& facts, const RankActivity& rank,
                              const MemoryOwners& owners, const AllocatorMemory& memory) {
  const MemoryMoment& peak = memory.AtPeak();
  Grouping grouping(facts, rank, owners);
  int64_t known = 0;
  for (const MemoryBlock& block : memory.blocks) {
    if (!block.AliveAt(peak.event)) continue;
    grouping.Add(block);
    known = AddSaturated(known, rank.host->memory[block.taken].bytes);
  }
  MemoryHoldings holdings = grouping.Finish();
  if (!memory.has_totals || memory.blocks.empty()) return holdings;
  const MemoryDetail* detail = rank.host->DetailOf(rank.host->memory[peak.event]);
  if (detail != nullptr && detail->stack > 0) {
    holdings[{kStackMemory, "", "", ""}].Add({detail->stack, -1, 1, 0});
    known = AddSaturated(known, detail->stack);
  }
  if (known < peak.level) {
    holdings[{kMemoryFromBefore, "", "", ""}].Add({peak.level - known, -1, 0, 0});
  }
  return holdings;
}

MemoryHoldings NeverFreed(const Facts& facts, const RankActivity& rank, const MemoryOwners& owners,
                          const AllocatorMemory& memory) {
  Grouping grouping(facts, rank, owners);
  for (const MemoryBlock& block : memory.blocks) {
    const int64_t time = rank.host->memory[block.taken].time;
    if (block.freed == kNeverFreed && rank.StepAt(time) != kNoStep) grouping.Add(block);
  }
  return grouping.Finish();
}

OperatorAllocations AllocationsByOperator(const Facts& facts, const RankActivity& rank,
                                          const MemoryOwners& owners,
                                          const AllocatorMemory& memory) {
  std::map<StringId, Allocations> by_name;
  for (const MemoryMoment& moment : memory.moments) {
    const MemoryEvent& event = rank.host->memory[moment.event];
    const MemoryDetail* detail = rank.host->DetailOf(event);
    StringId name = detail == nullptr ? kNoString : detail->framework_op;
    const int32_t at = owners.Innermost(event);
    if (name == kNoString && at != kNoRange) name = rank.host->ranges[static_cast<size_t>(at)].name;
    if (!moment.counts || name == kNoString) continue;
    Allocations& sum = by_name[name];
    sum.increase = AddSaturated(sum.increase, event.bytes);
    if (event.bytes <= 0) continue;
    ++sum.count;
    sum.bytes = AddSaturated(sum.bytes, event.bytes);
  }
  OperatorAllocations out;
  for (const auto& [name, sum] : by_name) out.emplace((*facts.names)[name], sum);
  return out;
}

}  // namespace stepscope
