// Builds the graph of each rank, then the instances.
#include "facts/derived/replay/join_ranks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "base/stop.h"
#include "facts/derived/replay/ghosts.h"
#include "facts/derived/replay/lock_step.h"
#include "facts/derived/replay/messages.h"
#include "facts/derived/replay/partial_gaps.h"
#include "facts/derived/replay/replay_steps.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/paths/path_window.h"

namespace stepscope {
namespace {

// Where the moments of activities are; kNowhere: they are none of the graph's.
struct ActivityMoments {
  std::vector<uint32_t> starts, ends;  // by activity
};

ActivityMoments FindMoments(const Dependencies& graph, size_t activities) {
  ActivityMoments found{std::vector(activities, kNowhere), std::vector(activities, kNowhere)};
  for (uint32_t m = 1; m < graph.times.size(); ++m) {
    for (const Edge& edge : graph.EdgesOf(m)) {
      if (edge.reason != Reason::kRunning || edge.activity == kNowhere) continue;
      found.starts[edge.activity] = edge.from;
      found.ends[edge.activity] = m;
    }
  }
  return found;
}

// The last moment of a thread at this time or before, of a partial, which has no threads, of any
// work; the first of all where there is none.
uint32_t HostMomentAt(const RankActivity& rank, const Dependencies& graph, int64_t time) {
  const auto after = std::ranges::upper_bound(graph.times, time);
  auto m = static_cast<uint32_t>(after - graph.times.begin());
  while (!rank.condensed && m > 1 && !std::ranges::any_of(graph.EdgesOf(m - 1), &Edge::OfHost)) --m;
  return m == 0 ? 0 : m - 1;
}

// How many steps are bound by what was recorded. Where a later step is complete, a step lacks
// events, but not its end.
size_t KeptSteps(const RankActivity& rank) {
  size_t kept = rank.steps.size();
  while (kept > 0 && !rank.steps[kept - 1].complete) --kept;
  return kept;
}

// Whether the record of a collective goes on when the last step has ended: who ends it may have
// been held up by the end of the recording, and nobody waited for that.
bool OutlastsSteps(const RankActivity& rank, const Activity& activity) {
  return rank.HasRecords() && activity.end > rank.steps.back().end && rank.IsCollective(activity);
}

// Of these steps.
std::vector<StepMark> MarksOf(const RankActivity& rank, const Dependencies& graph,
                              const ActivityMoments& moments, const StepRun& steps) {
  std::vector<StepMark> marks(rank.steps.size());
  for (size_t s = 0; s < marks.size(); ++s) {
    const Step& step = rank.steps[s];
    marks[s] = {.step = step.number,
                .begin = HostMomentAt(rank, graph, step.start),
                .host_end = HostMomentAt(rank, graph, step.end)};
  }
  for (uint32_t w = 0; w < rank.activities.size(); ++w) {
    const int32_t step = rank.activities[w].step;
    if (step == kNoStep || moments.ends[w] == kNowhere) continue;
    if (OutlastsSteps(rank, rank.activities[w])) continue;
    uint32_t& end = marks[static_cast<size_t>(step)].device_end;
    if (end == kNowhere || end < moments.ends[w]) end = moments.ends[w];
  }
  marks.resize(KeptSteps(rank));
  std::erase_if(marks, [&](const StepMark& mark) { return !steps.Has(mark.step); });
  std::ranges::stable_sort(marks, {}, &StepMark::step);
  return marks;
}

RankGraph WithoutLabels(Dependencies graph) {
  RankGraph out{.times = std::move(graph.times), .first_edge = std::move(graph.first_edge)};
  out.edges.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges)
    out.edges.push_back({edge.lag, edge.from, edge.bound, edge.reason});
  return out;
}

bool IsUnlinked(const RankActivity& rank) {
  return std::ranges::all_of(rank.activities, [](const Activity& w) { return w.call == kNoCall; });
}

// A partial tells enough for a replay where its device is busy for half of its steps or more: what
// else hosts do, and when, is not in it.
bool MayReplayPartial(const RankActivity& rank) {
  using enum StepCategory;
  if (!TellsLateRanks(rank) || !rank.condensed->steps_are_marked) return false;
  int64_t busy = 0, all = 0;
  for (const CondensedStep& step : rank.condensed->steps) {
    const StepBreakdown parts{{step.number, step.start, step.end}, step.parts};
    all = AddSaturated(all, parts.Total());
    for (const StepCategory of : {kDeviceCompute, kDeviceToDevice, kDeviceCollectives, kOutput})
      busy = AddSaturated(busy, TimeOf(parts, of));
  }
  return busy >= all / 2;
}

class Builder {
 public:
  explicit Builder(const Facts& facts)
      : facts_(facts), c_(facts.collectives), messages_(MessagesOf(facts)) {}

  JobGraph Build() {
    ChooseRanks();
    FindSteps();
    ChooseSteps();
    BuildRanks();
    for (const CollectiveMatch& match : c_.matches) {
      if (!match.Matched()) continue;
      parts_.clear();
      for (uint32_t p = match.first; p < match.first + match.count; ++p) parts_.push_back(p);
      AddInstance(match.group, false);
    }
    for (const Message& message : messages_.matched) {
      parts_ = {message.send, message.receive};
      AddInstance(GroupOf(message.send), true);
    }
    out_.unmatched_messages = messages_.unmatched;
    AddGhosts(facts_, FindGhosts(), out_);
    IndexMembers();
    return std::move(out_);
  }

 private:
  void ChooseRanks() {
    index_.assign(facts_.ranks.size(), kNowhere);
    moments_.resize(facts_.ranks.size());
    for (uint32_t r = 0; r < facts_.ranks.size(); ++r) {
      const RankActivity& rank = facts_.ranks[r];
      if (rank.activities.empty()) continue;
      if (rank.condensed ? !MayReplayPartial(rank) : !rank.on_host && IsUnlinked(rank)) {
        ++out_.unlinked;
        continue;
      }
      index_[r] = static_cast<uint32_t>(out_.ranks.size());
      out_.ranks.push_back({.rank = &rank, .lock_step = InLockStep(rank)});
    }
  }

  // Where no rank has steps, the whole recording is one.
  void FindSteps() {
    bool first = true;
    for (const JobRank& job : out_.ranks) {
      const size_t kept = KeptSteps(*job.rank);
      if (kept == 0) continue;
      std::set<int64_t> own;
      for (size_t s = 0; s < kept; ++s) own.insert(job.rank->steps[s].number);
      if (std::exchange(first, false)) {
        out_.steps.assign(own.begin(), own.end());
      } else {
        std::erase_if(out_.steps, [&](int64_t s) { return !own.contains(s); });
      }
    }
    unmarked_ =
        std::ranges::all_of(out_.ranks, [](const JobRank& job) { return job.rank->steps.empty(); });
    if (unmarked_) out_.steps = {0};
  }

  void ChooseSteps() {
    if (unmarked_ || out_.steps.empty()) return;
    const size_t all = out_.steps.size();
    chosen_ = StepsToReplay(facts_, out_);
    std::erase_if(out_.steps, [&](int64_t step) { return !chosen_.Has(step); });
    out_.steps_left_out = all - out_.steps.size();
  }

  void BuildRanks() {
    out_.work.resize(out_.ranks.size());
    std::vector<int64_t> guessed(out_.ranks.size());
    ParallelFor(out_.ranks.size(), 0, [&](size_t i) {
      StopIfAsked();
      guessed[i] = BuildRank(static_cast<uint32_t>(i));
    });
    for (const int64_t waits : guessed) out_.guessed_waits += waits;
    FindPeers(out_.work);
  }

  // How many waits are guessed.
  int64_t BuildRank(uint32_t i) {
    JobRank& job = out_.ranks[i];
    const RankActivity& rank = *job.rank;
    job.window = out_.steps_left_out > 0 ? WindowOfSteps(rank, chosen_) : WindowOfAll(rank).window;
    Dependencies graph = LabelledGraph(job, *facts_.names);
    const auto r = static_cast<size_t>(&rank - facts_.ranks.data());
    moments_[r] = FindMoments(graph, rank.activities.size());
    job.origin = SubtractSaturated(job.window.start, AheadOf(rank, job.window));
    job.marks = MarksOf(rank, graph, moments_[r], chosen_);
    const auto last = static_cast<uint32_t>(graph.times.size() - 1);
    if (unmarked_) job.marks = {{.step = 0, .begin = 0, .host_end = last}};
    std::span<const int64_t> steps = out_.steps;
    if (rank.steps.empty() && !unmarked_) steps = {};
    out_.work[i] = CutWork(rank, *facts_.names, graph, job.lock_step, steps);
    const int64_t guessed = graph.guessed_waits;
    job.graph = WithoutLabels(std::move(graph));
    return guessed;
  }

  // ns that the rank's clock is ahead in the middle of the window.
  int64_t AheadOf(const RankActivity& rank, const PathWindow& window) const {
    const auto participants = c_.OfRank(rank.rank);
    if (participants.empty()) return 0;
    const int64_t middle = window.start + SubtractSaturated(window.end, window.start) / 2;
    const auto index = static_cast<size_t>(participants.data() - c_.ranks.data());
    return Apart(middle, participants.front().clock.Aligned(middle)) -
           messages_.clocks[index].shift;
  }

  uint32_t GroupOf(uint32_t part) const { return MatchOfPart(c_, part).group; }

  bool OnOneClock() const {
    const uint32_t set = messages_.clocks[c_.parts[parts_.front()].rank].set;
    return std::ranges::all_of(
        parts_, [&](uint32_t p) { return messages_.clocks[c_.parts[p].rank].set == set; });
  }

  // Of `parts_`.
  void AddInstance(uint32_t group, bool message) {
    if (!OnOneClock()) return;
    JobInstance instance{
        .first = static_cast<uint32_t>(out_.members.size()), .group = group, .message = message};
    int64_t begins = kNoTime;  // when the last has come
    for (const uint32_t p : parts_) {
      const JobMember member = MemberOf(p, message);
      if (member.start == kNowhere || member.end == kNowhere) continue;
      begins = std::max(begins, out_.ranks[member.rank].TimeOf(member.start));
      out_.members.push_back(member);
    }
    instance.count = static_cast<uint32_t>(out_.members.size()) - instance.first;
    if (instance.count < 2) return out_.members.resize(instance.first);
    for (JobMember& member : std::span(out_.members).subspan(instance.first)) {
      member.instance = static_cast<uint32_t>(out_.instances.size());
      member.transfer = SubtractSaturated(out_.ranks[member.rank].TimeOf(member.end), begins);
      if (member.transfer < 0) ++out_.contradictions;
    }
    if (message) TakeShorter(instance);
    out_.instances.push_back(instance);
  }

  // Instances that ranks without a trace take part in. Devices that are participants of their own
  // are known by no number in a group.
  std::vector<GhostInstance> FindGhosts() const {
    std::vector<GhostInstance> ghosts;
    if (c_.HasDevices()) return ghosts;
    std::vector<uint32_t> known(c_.parts.size(), kNowhere);  // instance of each part
    for (const JobMember& member : out_.members) known[member.part] = member.instance;
    std::vector<std::vector<int64_t>> absent;  // of each group
    for (const CollectiveGroup& group : c_.groups) absent.push_back(AbsentOf(group));
    for (const CollectiveMatch& match : c_.matches) {
      if (match.count == 0 || absent[match.group].empty() || IsPointToPoint(match.op)) continue;
      std::vector<uint32_t> parts;
      uint32_t index = kNowhere;
      for (uint32_t p = match.first; p < match.first + match.count; ++p) {
        parts.push_back(p);
        if (index == kNowhere) index = known[p];
      }
      AddGhost(parts, absent[match.group], index, match.group, false, ghosts);
    }
    for (const LoneMessage& lone : messages_.lone)
      AddGhost({lone.part}, {lone.absent}, kNowhere, GroupOf(lone.part), true, ghosts);
    return ghosts;
  }

  std::vector<int64_t> AbsentOf(const CollectiveGroup& group) const {
    std::vector<int64_t> absent;
    for (const int64_t rank : group.members) {
      if (c_.OfRank(rank).empty()) absent.push_back(rank);
    }
    return absent;
  }

  void AddGhost(const std::vector<uint32_t>& parts, std::vector<int64_t> absent, uint32_t index,
                uint32_t group, bool message, std::vector<GhostInstance>& ghosts) const {
    GhostInstance ghost{.instance = {.group = group, .message = message},
                        .index = index,
                        .absent = std::move(absent)};
    for (const uint32_t p : parts) {
      const JobMember member = MemberOf(p, message);
      if (member.start != kNowhere && member.end != kNowhere) ghost.members.push_back(member);
    }
    if (!ghost.members.empty()) ghosts.push_back(std::move(ghost));
  }

  // `start` or `end` kNowhere: the graph has no such moment.
  JobMember MemberOf(uint32_t p, bool message) const {
    const CollectivePart& part = c_.parts[p];
    JobMember member{.rank = index_[part.recording], .start = kNowhere, .end = kNowhere, .part = p};
    if (member.rank == kNowhere) return member;
    member.start = moments_[part.recording].starts[part.activity];
    member.end = moments_[part.recording].ends[part.activity];
    if (message && member.start != kNowhere)
      member.start = ReadyAt(out_.ranks[member.rank], member.start);
    return member;
  }

  // The record of a message that the host made begins when its thread waits for it; it was
  // ready when it was posted.
  static uint32_t ReadyAt(const JobRank& job, uint32_t start) {
    if (!job.rank->HasRecords() || start == 0) return start;
    for (const JobEdge& edge : job.graph.EdgesOf(start)) {
      if (edge.reason == Reason::kLaunch) return edge.from;
    }
    return start;
  }

  // Both ends of a message take as long; whose record is longer looked at it later.
  void TakeShorter(const JobInstance& instance) {
    const auto members = std::span(out_.members).subspan(instance.first, instance.count);
    const int64_t least = std::ranges::min(members, {}, &JobMember::transfer).transfer;
    for (JobMember& member : members) member.transfer = least;
  }

  void IndexMembers() {
    for (uint32_t m = 0; m < out_.members.size(); ++m) {
      const JobMember& member = out_.members[m];
      out_.ranks[member.rank].starts.emplace_back(member.start, m);
      out_.ranks[member.rank].ends.emplace_back(member.end, m);
    }
    for (JobRank& rank : out_.ranks) {
      std::ranges::sort(rank.starts);
      std::ranges::sort(rank.ends);
    }
  }

  const Facts& facts_;
  const CollectiveFacts& c_;
  const Messages& messages_;
  JobGraph out_;
  std::vector<uint32_t> index_;           // of each recording, into out_.ranks
  std::vector<ActivityMoments> moments_;  // of each recording
  std::vector<uint32_t> parts_;
  StepRun chosen_;  // all, but of a long recording
  bool unmarked_ = false;
};

JobGraph BuildJobGraph(const Facts& facts) { return Builder(facts).Build(); }

}  // namespace

Dependencies LabelledGraph(const JobRank& job, const StringTable& names) {
  Dependencies graph = BuildDependencies(*job.rank, names, job.window);
  if (job.lock_step) TakeHostOut(*job.rank, graph);
  ExplainGaps(*job.rank, graph);
  return graph;
}

const JobGraph& JobGraphOf(const Facts& facts) { return facts.memo.Of<BuildJobGraph>(facts); }

}  // namespace stepscope
