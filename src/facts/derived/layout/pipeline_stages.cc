// Counts messages between stages, and the time in which stages work.
#include "facts/derived/layout/pipeline_stages.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/derived/layout/parallel_layout.h"
#include "facts/steps/step_breakdown.h"

namespace stepscope {
namespace {

// The count that most steps have; nothing where fewer than half agree.
std::optional<int64_t> UsualCount(const std::map<int64_t, int64_t>& by_step) {
  std::map<int64_t, size_t> times;
  for (const auto& [step, count] : by_step) ++times[count];
  const auto most = std::ranges::max_element(times, {}, [](const auto& t) { return t.second; });
  if (most == times.end() || 2 * most->second < by_step.size()) return std::nullopt;
  return most->first;
}

class PipelineReader {
 public:
  explicit PipelineReader(const Facts& facts)
      : facts_(facts), groups_(ProcessGroupsOf(facts)), layout_(ParallelLayoutOf(facts)) {}

  ModelPipeline Read() {
    const GroupClass* of = Find();
    if (of == nullptr) return {};
    out_.depth = of->size;
    const auto c = static_cast<uint32_t>(of - layout_.classes.data());
    MarkMessages(c);
    MeasureStages(c);
    if (out_.stages.empty()) return {};
    FindIdeal(*of);
    return std::move(out_);
  }

 private:
  const GroupClass* Find() const {
    if (groups_.devices) return nullptr;
    for (const GroupClass& c : layout_.classes) {
      const bool sends =
          std::ranges::any_of(c.groups, [&](uint32_t g) { return groups_.groups[g].of_messages; });
      if (c.kind == ParallelKind::kPipeline && c.size >= 2 && sends) return &c;
    }
    return nullptr;
  }

  // Time in these is no work of a stage.
  void MarkMessages(uint32_t pipeline) {
    const CollectiveFacts& c = facts_.collectives;
    waits_.resize(facts_.ranks.size());
    for (const CollectiveMatch& match : c.matches) {
      for (const CollectivePart& part : c.Parts(match)) {
        const uint32_t group = groups_.Of(c, match, part);
        const uint32_t of = group == kNobody ? kNobody : layout_.class_of[group];
        const bool for_all = of != kNobody && layout_.classes[of].kind == ParallelKind::kAllRanks;
        if (of == pipeline || for_all) waits_[part.recording].insert(part.activity);
      }
    }
  }

  struct Sum {
    int64_t step = 0, busy = 0, windows = 0;
    std::set<int64_t> ranks;
  };

  void MeasureStages(uint32_t pipeline) {
    std::map<int64_t, Sum> stages;
    for (uint32_t r = 0; r < facts_.ranks.size(); ++r) {
      const auto seat = layout_.seats.find(facts_.ranks[r].rank);
      if (seat == layout_.seats.end() || seat->second[pipeline] < 0) continue;
      Measure(r, stages[seat->second[pipeline]]);
    }
    double bubble = 0, step = 0;
    for (const auto& [stage, sum] : stages) {
      if (sum.windows == 0) continue;
      out_.stages.push_back({.stage = stage,
                             .ranks = {sum.ranks.begin(), sum.ranks.end()},
                             .step = sum.step / sum.windows,
                             .busy = sum.busy / sum.windows});
      bubble += out_.stages.back().Bubble();
      step += static_cast<double>(out_.stages.back().step);
    }
    const auto count = static_cast<double>(std::max<size_t>(out_.stages.size(), 1));
    out_.bubble = bubble / count;
    out_.step = ToInt64(step / count);
  }

  void Measure(uint32_t r, Sum& sum) const {
    const RankActivity& rank = facts_.ranks[r];
    const std::vector<StepWindow> windows = StepWindows(rank);
    std::vector<Interval> within;
    for (const StepWindow& w : windows) within.push_back({w.start, w.end});
    const IntervalSet steps = UnionOf(std::move(within));
    std::vector<std::vector<Interval>> work(rank.devices.size());
    for (uint32_t w = 0; w < rank.activities.size(); ++w) {
      const Activity activity = rank.activities[w];
      // What only starts a collective, or waits for one, is no work either.
      if (activity.kind == Kind::kCommunication &&
          (!rank.IsCollective(activity) || waits_[r].contains(w)))
        continue;
      work[rank.streams[activity.stream].device_index].push_back({activity.start, activity.end});
    }
    for (std::vector<Interval>& of_device : work) {
      if (of_device.empty()) continue;
      sum.busy =
          AddSaturated(sum.busy, LengthOf(Intersection(UnionOf(std::move(of_device)), steps)));
      sum.step = AddSaturated(sum.step, LengthOf(steps));
      sum.windows += std::ssize(windows);
      sum.ranks.insert(rank.rank);
    }
  }

  // Messages per step from one rank to another, as either has recorded them.
  std::optional<int64_t> PerStep(int64_t from, int64_t to) const {
    const auto at = groups_.flows.find({from, to});
    if (at == groups_.flows.end()) return std::nullopt;
    return UsualCount(at->second.sends.empty() ? at->second.receives : at->second.sends);
  }

  void FindIdeal(const GroupClass& of) {
    if (std::ssize(out_.stages) < out_.depth) {
      out_.unknown = "not all stages were recorded";
      return;
    }
    std::optional<std::pair<int64_t, int64_t>> counted;  // messages to the next, and back around
    for (const uint32_t g : of.groups) {
      const ProcessGroup& group = groups_.groups[g];
      if (!group.of_messages) continue;
      if (!group.is_chain) {
        out_.unknown =
            "the first stage does not begin steps with a send and the last with a "
            "receive, so microbatches may go both ways";
        return;
      }
      const auto next = PerStep(group.members[0], group.members[1]);
      const auto around = group.members.size() == 2
                              ? std::optional<int64_t>(0)
                              : PerStep(group.members.back(), group.members.front());
      const std::pair<int64_t, int64_t> own(next.value_or(0), around.value_or(0));
      if (own.first <= own.second || (counted && *counted != own)) {
        out_.unknown = "the number of messages per step differs";
        return;
      }
      counted = own;
    }
    if (counted) SetIdeal(counted->first, counted->second);
  }

  // Interleaved, activations pass v * m times to the next stage, and v - 1 times m from the last to
  // the first.
  void SetIdeal(int64_t next, int64_t around) {
    const int64_t microbatches = next - around;
    if (next % microbatches != 0) {
      out_.unknown = "messages per step are no multiple of microbatches";
      return;
    }
    out_.microbatches = microbatches;
    out_.chunks = next / microbatches;
    out_.ideal = IdealBubble(out_.depth, next);
  }

  const Facts& facts_;
  const ProcessGroups& groups_;
  const ParallelLayout& layout_;
  std::vector<std::set<uint32_t>> waits_;  // of each recording, its activities
  ModelPipeline out_;
};

ModelPipeline ReadPipeline(const Facts& facts) { return PipelineReader(facts).Read(); }

}  // namespace

const ModelPipeline& PipelineOf(const Facts& facts) { return facts.memo.Of<ReadPipeline>(facts); }

}  // namespace stepscope
