// Walks the ranges of threads that step optimizers.
#include "facts/derived/collectives/gradient_syncs.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/stop.h"

namespace stepscope {
namespace gradient_syncs {
namespace {

enum class Mark : uint8_t { kOther, kForward, kReducer, kAllReduce, kOptimizer };

Mark MarkOf(std::string_view name) {
  if (name == "DistributedDataParallel.forward") return Mark::kForward;
  if (name.starts_with("c10d::allreduce_")) return Mark::kAllReduce;
  if (name.starts_with("Optimizer.step#")) return Mark::kOptimizer;
  return name.contains("distributed") && name.contains("reducer::") ? Mark::kReducer : Mark::kOther;
}

// A forward pass, and what its backward pass reduced.
struct Pass {
  bool reducer = false;
  std::vector<StringId> shapes;  // of each all-reduce, kNoString where they were not recorded

  bool operator==(const Pass&) const = default;
};

class Thread {
 public:
  explicit Thread(std::vector<RepeatedSyncs>& found) : found_(found) {}

  void Take(Mark mark, StringId shapes) {
    if (mark == Mark::kOptimizer) return EndStep();
    if (mark == Mark::kForward) return void(passes_.emplace_back());
    if (passes_.empty()) return;
    if (mark == Mark::kReducer) passes_.back().reducer = true;
    if (mark == Mark::kAllReduce) passes_.back().shapes.push_back(shapes);
  }

 private:
  // The first is no whole one: the recording may have begun within it.
  void EndStep() {
    if (began_) found_.push_back(Syncs());
    began_ = true;
    passes_.clear();
  }

  RepeatedSyncs Syncs() const {
    const auto reduced = [&](const Pass& pass) {
      return pass.reducer && !pass.shapes.empty() && pass == passes_.front();
    };
    if (passes_.empty() || !std::ranges::all_of(passes_, reduced)) return RepeatedSyncs{};
    return {.per_step = std::ssize(passes_), .messages = std::ssize(passes_.front().shapes)};
  }

  std::vector<RepeatedSyncs>& found_;
  std::vector<Pass> passes_;  // since the optimizer stepped
  bool began_ = false;
};

// Of each optimizer step of a rank; zeros where its passes differ.
void AddRank(const StringTable& names, const RankActivity& rank,
             std::vector<RepeatedSyncs>& found) {
  std::unordered_map<StringId, Mark> marks;
  const HostOps& host = *rank.host;
  StopChecks checks;
  uint32_t of = 0;
  auto thread = std::make_unique<Thread>(found);
  for (const HostRange& range : host.ranges) {  // by thread, then start
    checks.Turn();
    if (range.thread != of) thread = std::make_unique<Thread>(found);
    of = range.thread;
    const auto [at, is_new] = marks.try_emplace(range.name, Mark::kOther);
    if (is_new) at->second = MarkOf(names[range.name]);
    if (at->second == Mark::kOther) continue;
    const RangeDetail* detail = host.DetailOf(range);
    thread->Take(at->second, detail == nullptr ? kNoString : detail->shapes);
  }
}

}  // namespace
}  // namespace gradient_syncs

std::optional<RepeatedSyncs> FindRepeatedSyncs(const Facts& facts) {
  std::vector<RepeatedSyncs> found;
  for (const RankActivity& rank : facts.ranks) gradient_syncs::AddRank(*facts.names, rank, found);
  if (found.empty()) return std::nullopt;
  const auto same = [&](const RepeatedSyncs& syncs) {
    return syncs.per_step == found.front().per_step && syncs.messages == found.front().messages;
  };
  if (found.front().per_step < 2 || !std::ranges::all_of(found, same)) return std::nullopt;
  RepeatedSyncs all = found.front();
  all.steps = std::ssize(found);
  return all;
}

}  // namespace stepscope
