// Attempts are sets of dumps with a gap in time between them.
#include "hang/attempts.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/saturate.h"
#include "base/time_units.h"
#include "hang/hang_words.h"
#include "ingest/flight/flight_operation.h"
#include "report/humanize.h"

namespace stepscope::hang {
namespace {

// The least gap between two attempts: a start takes longer. Of dumps that keep all since the
// process began, it is only what clocks of hosts may differ by.
constexpr int64_t kStart = 60 * kSecond, kClocks = 5 * kSecond;
// Ranks that did not provably meet may stop that far from one another: time limits of collectives.
constexpr int64_t kTimeLimit = 600 * kSecond;
// Less than that lies between operations of one step, and is quick for a start.
constexpr int64_t kDoubtful = 20 * kSecond;

constexpr size_t kMostGaps = 64;  // that are looked at
constexpr size_t kMostNotes = 8;

using Dumps = std::span<const RankDump* const>;

int64_t First(const RankDump& dump) { return dump.oldest > 0 ? dump.oldest : dump.newest; }

int64_t FirstOf(Dumps dumps) {
  int64_t first = First(*dumps[0]);
  for (const RankDump* dump : dumps) first = std::min(first, First(*dump));
  return first;
}

int64_t LastOf(Dumps dumps) {
  return (*std::ranges::max_element(dumps, {}, &RankDump::newest))->newest;
}

// It finished an operation that cannot end before one of the others began it.
bool Met(const RankDump& dump, const std::set<int64_t>& others) {
  return std::ranges::any_of(dump.operations, [&](const DumpOperation& operation) {
    return !operation.pending && Synchronizes(operation.name) &&
           std::ranges::any_of(dump.groups[operation.group].members,
                               [&](int64_t member) { return others.contains(member); });
  });
}

// The least gap by which the two are of different attempts.
int64_t LeastGap(Dumps before, Dumps after) {
  std::set<int64_t> ranks;
  for (const RankDump* dump : after) ranks.insert(dump->rank);
  if (!std::ranges::all_of(before, [&](auto* dump) { return Met(*dump, ranks); }))
    return kTimeLimit;
  return std::ranges::all_of(after, &RankDump::whole) ? kClocks : kStart;
}

// All known ranks of the attempt: where no dump names them, those of all dumps.
size_t RanksOf(Dumps attempt, size_t all) {
  std::set<int64_t> ranks;
  for (const RankDump* dump : attempt)
    for (const DumpGroup& group : dump->groups)
      ranks.insert(group.members.begin(), group.members.end());
  return ranks.empty() ? all : ranks.size();
}

class Divider {
 public:
  explicit Divider(FoundDumps& found) : found_(found) {
    for (const RankDump& dump : found.dumps)
      if (dump.newest > 0) timed_.push_back(&dump);
    std::ranges::stable_sort(timed_, {}, [](auto* dump) { return First(*dump); });
    std::vector<int64_t> written;
    for (const RankDump& dump : found.dumps) written.push_back(dump.written);
    std::ranges::sort(written);
    if (!written.empty()) usually_written_ = written[written.size() / 2];
  }

  std::vector<Note> Divide() {
    if (timed_.empty()) return {};
    Split();
    Choose();
    SetAsideTimed();
    SetAsideWritten();
    SeeMoving();
    Erase();
    return std::move(notes_);
  }

 private:
  // Attempts begin where all dumps before ended long before.
  void Split() {
    begins_ = {0};
    const Dumps all = timed_;
    int64_t last = all[0]->newest;
    for (size_t at = 1, looked = 0; at < all.size() && looked < kMostGaps; ++at) {
      const int64_t gap = SubtractSaturated(First(*all[at]), last);
      last = std::max(last, all[at]->newest);
      if (gap <= kClocks) continue;
      ++looked;
      if (gap > LeastGap(all.first(at), all.subspan(at))) {
        begins_.push_back(at);
      } else if (gap > kDoubtful) {
        apart_.push_back(at);
      }
    }
  }

  Dumps Attempt(size_t i) const {
    const size_t end = i + 1 < begins_.size() ? begins_[i + 1] : timed_.size();
    return Dumps(timed_).subspan(begins_[i], end - begins_[i]);
  }

  void Choose() {
    chosen_ = begins_.size() - 1;
    if (2 * Attempt(chosen_).size() >= RanksOf(Attempt(chosen_), timed_.size())) return;
    for (size_t i = begins_.size(); i-- > 0;)
      if (Attempt(i).size() > Attempt(chosen_).size()) chosen_ = i;
  }

  void SetAsideTimed() {
    const Dumps chosen = Attempt(chosen_);
    for (size_t i = 0; i < begins_.size(); ++i) {
      if (i == chosen_) continue;
      for (const RankDump* dump : Attempt(i)) {
        const bool before = i < chosen_;
        const int64_t gap = before ? FirstOf(chosen) - dump->newest : First(*dump) - LastOf(chosen);
        SetAside(*dump, before
                            ? Say("its dump seems to be of an earlier attempt (its last operation "
                                  "is {time} older than the first of others)",
                                  HumanNanoseconds(gap))
                            : Say("its dump seems to be of a later attempt (its first operation "
                                  "is {time} newer than the last of others)",
                                  HumanNanoseconds(gap)));
        if (!before) AddNewer(*dump, gap);
      }
    }
    for (const size_t at : apart_)
      if (at > begins_[chosen_] && at < begins_[chosen_] + chosen.size()) AddApart(at);
  }

  // Dumps without operations, by the times of their files.
  void SetAsideWritten() {
    const Dumps chosen = Attempt(chosen_);
    for (const RankDump& dump : found_.dumps) {
      if (dump.newest > 0 || !WrittenBefore(dump, FirstOf(chosen))) continue;
      SetAside(dump, Say("its dump seems to be of an earlier attempt (it was written {time} before "
                         "the first operation of others)",
                         HumanNanoseconds(FirstOf(chosen) - dump.written)));
    }
  }

  // A job that hangs enqueues nothing after the first dump.
  void SeeMoving() {
    const int64_t last = LastOf(Attempt(chosen_));
    for (const RankDump& dump : found_.dumps) {
      if (aside_.contains(dump.rank) || !WrittenBefore(dump, last)) continue;
      Add(Say("the dump of {rank} was written {time} before the last operation of others, when the "
              "job still moved",
              SayRanks(std::vector{dump.rank}), HumanNanoseconds(last - dump.written)),
          dump);
    }
  }

  // By a minute, and the file is older than those of most others too: its clock is the same.
  bool WrittenBefore(const RankDump& dump, int64_t time) const {
    return dump.written != kAbsent && dump.written + kStart < time &&
           dump.written + kStart < usually_written_;
  }

  void AddNewer(const RankDump& dump, int64_t gap) {
    Add(Say("the first operation of {rank} is {time} newer than the last of most others",
            SayRanks(std::vector{dump.rank}), HumanNanoseconds(gap)),
        dump);
  }

  void AddApart(size_t at) {
    const Dumps before = Dumps(timed_).subspan(begins_[chosen_], at - begins_[chosen_]);
    std::vector<int64_t> ranks;
    for (const RankDump* dump : before) ranks.push_back(dump->rank);
    std::ranges::sort(ranks);
    Add(Say("the last operation of {rank} is {time} older than the first of others",
            SayRanks(ranks), HumanNanoseconds(First(*timed_[at]) - LastOf(before))),
        *before.front());
  }

  void Add(const Phrase& what, const RankDump& dump) {
    if (notes_.size() < kMostNotes) notes_.push_back({"contradictory_dumps", 1, what, dump.path});
  }

  void SetAside(const RankDump& dump, const Phrase& why) {
    aside_.insert(dump.rank);
    found_.unusable.push_back({dump.rank, why});
  }

  void Erase() {
    std::erase_if(found_.dumps, [&](const RankDump& dump) { return aside_.contains(dump.rank); });
  }

  FoundDumps& found_;
  std::vector<const RankDump*> timed_;  // by their first operation
  std::vector<size_t> begins_, apart_;  // indices into timed_: of attempts, and of doubtful gaps
  int64_t usually_written_ = kAbsent;
  size_t chosen_ = 0;  // index into begins_
  std::set<int64_t> aside_;
  std::vector<Note> notes_;
};

}  // namespace

std::vector<Note> SetAsideOtherAttempts(FoundDumps& found) { return Divider(found).Divide(); }

}  // namespace stepscope::hang
