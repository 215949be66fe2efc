// Takes from the end of each wait what the replays save of it.
#include "facts/derived/replay/wait_origins.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/saturate.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/origins.h"

namespace stepscope {
namespace {

// What is due to an origin.
struct Share {
  uint32_t rank = 0;  // index into CollectiveFacts::ranks
  int64_t time = 0;   // ns
};

class Attributor {
 public:
  explicit Attributor(const Facts& facts)
      : c_(facts.collectives), graph_(JobGraphOf(facts)), origins_(OriginsOf(facts)) {}

  std::vector<WaitCause> Attribute(const std::vector<WaitCause>& causes) {
    shares_.resize(c_.parts.size());
    for (const Origin& origin : origins_.found) AddShares(origin);
    std::vector<WaitCause> out;
    for (auto first = causes.begin(); first != causes.end();) {
      const auto last =
          std::find_if(first, causes.end(), [&](const auto& w) { return w.part != first->part; });
      TakeShares({first, last}, out);
      first = last;
    }
    return out;
  }

 private:
  // The rank's only participant; kNobody where each of its devices is one.
  uint32_t ParticipantOf(uint32_t rank) const {
    const auto own = c_.OfRank(graph_.ranks[rank].rank->rank);
    if (own.size() != 1) return kNobody;
    return static_cast<uint32_t>(own.data() - c_.ranks.data());
  }

  // Ranks that are late together share alike.
  void AddShares(const Origin& origin) {
    std::vector<uint32_t> late{ParticipantOf(origin.late.rank)};
    for (const OriginRank& other : origin.with) late.push_back(ParticipantOf(other.rank));
    if (std::ranges::find(late, kNobody) != late.end()) return;
    for (size_t m = 0; m < origin.waits_saved.size(); ++m) {
      const JobMember& member = graph_.members[m];
      const int64_t each = origin.waits_saved[m] / std::ssize(late);
      if (each <= 0) continue;
      for (const uint32_t rank : late) {
        if (rank != c_.parts[member.part].rank) shares_[member.part].push_back({rank, each});
      }
    }
  }

  // `causes`: of one part, in order of time.
  void TakeShares(std::span<const WaitCause> causes, std::vector<WaitCause>& out) {
    std::vector<WaitCause> rest(causes.begin(), causes.end());
    std::vector<WaitCause> taken;
    for (Share share : shares_[causes.front().part]) {
      while (share.time > 0 && !rest.empty() && rest.back().rank != kNobody) {
        WaitCause& last = rest.back();
        WaitCause own = last;
        own.rank = share.rank;
        own.time.start = std::max(last.time.start, SubtractSaturated(last.time.end, share.time));
        share.time = SubtractSaturated(share.time, own.duration());
        last.time.end = own.time.start;
        if (last.time.start >= last.time.end) rest.pop_back();
        taken.push_back(own);
      }
    }
    out.insert(out.end(), rest.begin(), rest.end());
    out.insert(out.end(), taken.rbegin(), taken.rend());
  }

  const CollectiveFacts& c_;
  const JobGraph& graph_;
  const Origins& origins_;
  std::vector<std::vector<Share>> shares_;  // by part
};

std::vector<WaitCause> FindWaitOrigins(const Facts& facts) {
  const std::vector<WaitCause>& causes = WaitCausesOf(facts);
  if (causes.empty() || OriginsOf(facts).found.empty()) return causes;
  return Attributor(facts).Attribute(causes);
}

}  // namespace

const std::vector<WaitCause>& WaitOriginsOf(const Facts& facts) {
  return facts.memo.Of<FindWaitOrigins>(facts);
}

std::vector<int64_t> CausedWaitsOf(const Facts& facts) {
  std::vector<int64_t> caused(facts.collectives.ranks.size());
  for (const WaitCause& wait : WaitOriginsOf(facts)) {
    if (wait.rank == kNobody) continue;
    int64_t& time = caused[wait.rank];
    time = AddSaturated(time, wait.duration());
  }
  return caused;
}

}  // namespace stepscope
