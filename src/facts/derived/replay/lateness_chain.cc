// Picks the example, and walks back from it in the recorded times.
#include "facts/derived/replay/lateness_chain.h"

#include <algorithm>
#include <optional>

#include "facts/derived/replay/job_critical.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {
namespace {

class ChainFinder {
 public:
  ChainFinder(const Facts& facts, const Origin& origin)
      : facts_(facts), graph_(JobGraphOf(facts)), origin_(origin), times_(RecordedTimes(graph_)) {}

  std::vector<ChainLink> Find() const {
    std::vector<std::pair<int64_t, const JobMember*>> second_hand, direct;
    for (const JobInstance& instance : graph_.instances) {
      if (instance.message) continue;
      int64_t saved = 0;
      for (uint32_t m = instance.first; m < instance.first + instance.count; ++m)
        saved = AddSaturated(saved, std::max<int64_t>(origin_.waits_saved[m], 0));
      if (saved == 0) continue;
      const JobMember& last = LastOf(instance);
      (last.rank == origin_.late.rank ? direct : second_hand).emplace_back(saved, &last);
    }
    for (const auto* some : {&second_hand, &direct}) {
      if (some->empty()) continue;
      const JobMember& last =
          *std::ranges::max(*some, {}, [](const auto& s) { return s.first; }).second;
      if (auto chain = WalkFrom(last); !chain.empty()) return chain;
    }
    return {};
  }

 private:
  const JobMember& LastOf(const JobInstance& instance) const {
    return *std::ranges::max_element(graph_.Members(instance), {}, [&](const JobMember& member) {
      return graph_.ranks[member.rank].TimeOf(member.start);
    });
  }

  StringId NameOf(const JobMember& member) const {
    const CollectivePart& part = facts_.collectives.parts[member.part];
    return facts_.ranks[part.recording].activities[part.activity].name;
  }

  ChainLink LinkAt(uint32_t r, uint32_t moment) const {
    const JobRank& job = graph_.ranks[r];
    ChainLink link{.rank = job.rank->rank, .time = job.graph.times[moment]};
    const int32_t step = job.rank->StepAt(link.time);
    link.has_step = step != kNoStep;
    if (link.has_step) link.step = job.rank->steps[static_cast<size_t>(step)].number;
    return link;
  }

  std::vector<ChainLink> WalkFrom(const JobMember& last) const {
    std::vector<ChainLink> chain;
    const RecordedLags lags{&graph_};
    const JobPathWalker<RecordedLags> walker(graph_, lags, times_);
    uint32_t rank = last.rank, moment = last.start;
    // Where the first step that is late begins.
    const int64_t until = Since();
    std::optional<ChainLink> end = LinkAt(rank, moment);
    end->event = NameOf(last);
    bool at_origin = rank == origin_.late.rank;
    if (!at_origin) {
      walker.Walk(
          rank, moment, until, [](uint32_t, const JobEdge*, int64_t) {},
          [&](const JobMember& waited, const JobMember& came) {
            if (at_origin) return;
            ChainLink link = LinkAt(waited.rank, waited.end);
            link.event = NameOf(waited);
            link.waited = SubtractSaturated(TimeOf(came), TimeOf(waited));
            chain.push_back(link);
            at_origin = came.rank == origin_.late.rank;
            moment = came.start;
          });
    }
    if (!at_origin) return {};
    ChainLink first = LinkAt(origin_.late.rank, moment);
    first.event = origin_.late.of.name;
    chain.push_back(first);
    std::ranges::reverse(chain);
    end->waited = 0;
    if (chain.size() > 1) chain.push_back(*end);
    return chain;
  }

  int64_t TimeOf(const JobMember& member) const {
    return graph_.ranks[member.rank].TimeOf(member.start);
  }

  int64_t Since() const {
    if (!origin_.since) return INT64_MIN;
    const auto step = std::ranges::lower_bound(graph_.steps, *origin_.since);
    if (step == graph_.steps.begin() || step == graph_.steps.end()) return INT64_MIN;
    const auto before = static_cast<size_t>(step - graph_.steps.begin()) - 1;
    return LastEndOf(graph_, times_, before).value_or(StepEnd{.time = INT64_MIN}).time;
  }

  const Facts& facts_;
  const JobGraph& graph_;
  const Origin& origin_;
  JobTimes times_;
};

}  // namespace

std::vector<ChainLink> ChainFrom(const Facts& facts, const Origin& origin) {
  return ChainFinder(facts, origin).Find();
}

}  // namespace stepscope
