// Compares dumps with their names and with one another.
#include "hang/contradictions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/time_units.h"
#include "hang/hang_words.h"
#include "ingest/flight/flight_operation.h"
#include "report/humanize.h"

namespace stepscope::hang {
namespace {

constexpr size_t kMostNotes = 8;
constexpr int64_t kAhead = 32;  // operations
constexpr int64_t kApart = 3600 * kSecond;

using Ranks = std::vector<int64_t>;

class Finder {
 public:
  explicit Finder(std::span<const RankDump> dumps) : dumps_(dumps) {}

  std::vector<Note> Find() {
    for (const RankDump& dump : dumps_) CompareWithName(dump);
    CompareGroups();
    CompareCounts();
    CompareFinished();
    CompareVersions();
    CompareTimes();
    return std::move(notes_);
  }

 private:
  void Add(const Phrase& message, int64_t count, const std::string& where = {}) {
    if (notes_.size() < kMostNotes)
      notes_.push_back({"contradictory_dumps", count, message, where});
  }

  void CompareWithName(const RankDump& dump) {
    if (dump.rank_inside >= 0) {
      if (dump.rank_inside != dump.rank)
        Add(Say("the name of a dump says rank {rank}, its groups say rank {other}", dump.rank,
                dump.rank_inside),
            1, dump.path);
      return;
    }
    const auto without = std::ranges::find_if(dump.groups, [&](const DumpGroup& group) {
      return !group.members.empty() &&
             std::ranges::find(group.members, dump.rank) == group.members.end();
    });
    if (without == dump.groups.end()) return;
    Add(Say("the name of a dump says rank {rank}, which its group {group} has not", dump.rank,
            Phrase::Name(without->name)),
        1, dump.path);
  }

  // Groups of one name and description have the same members, or none in common.
  void CompareGroups() {
    std::map<std::pair<std::string, std::string>, std::map<Ranks, Ranks>> groups;
    for (const RankDump& dump : dumps_) {
      for (const DumpGroup& group : dump.groups) {
        if (group.members.empty()) continue;
        Ranks members = group.members;
        std::ranges::sort(members);
        groups[{group.name, group.description}][std::move(members)].push_back(dump.rank);
      }
    }
    for (const auto& [name, variants] : groups) {
      if (variants.size() > 1) CompareMembers(name.first, variants);
    }
  }

  void CompareMembers(const std::string& name, const std::map<Ranks, Ranks>& variants) {
    std::vector<const std::pair<const Ranks, Ranks>*> order;
    for (const auto& variant : variants) order.push_back(&variant);
    std::ranges::stable_sort(
        order, [](const auto* a, const auto* b) { return a->second.size() > b->second.size(); });
    std::map<int64_t, const std::pair<const Ranks, Ranks>*> owners;
    for (const auto* variant : order) {
      for (const int64_t member : variant->first) {
        const auto [at, added] = owners.try_emplace(member, variant);
        if (added || at->second == variant) continue;
        Add(Say("dumps disagree about who is in group {group}: {some} by {these}, {others} by "
                "{those}",
                Phrase::Name(name), SayRanks(variant->first), SayDumps(variant->second),
                SayRanks(at->second->first), SayDumps(at->second->second)),
            std::ssize(variant->second));
        break;
      }
    }
  }

  static Phrase SayDumps(const Ranks& ranks) {
    return ranks.size() == 1 ? Say("the dump of {ranks}", SayRanks(ranks))
                             : Say("the dumps of {ranks}", SayRanks(ranks));
  }

  // What a member has finished the others have begun, but for the few small messages that a sender
  // is done with before.
  void CompareCounts() {
    const auto free = FreeGroups();
    struct Counts {
      const DumpGroup* most = nullptr;
      const DumpGroup* least = nullptr;
      int64_t finished_by = -1, enqueued_by = -1;
    };
    std::map<std::tuple<std::string, std::string, Ranks>, Counts> groups;
    for (const RankDump& dump : dumps_) {
      for (const DumpGroup& group : dump.groups) {
        if (group.members.empty() || group.enqueued < 0 || group.completed < 0) continue;
        Counts& counts = groups[{group.name, group.description, group.members}];
        if (counts.most == nullptr || group.completed > counts.most->completed) {
          counts.most = &group;
          counts.finished_by = dump.rank;
        }
        if (counts.least == nullptr || group.enqueued < counts.least->enqueued) {
          counts.least = &group;
          counts.enqueued_by = dump.rank;
        }
      }
    }
    for (const auto& [key, counts] : groups) {
      const auto& [name, description, members] = key;
      const int64_t ahead = free.contains({name, description}) ? kAhead : 0;
      if (counts.most->completed - counts.least->enqueued <= ahead) continue;
      Add(Say("rank {rank} finished operation {last} of group {group}, of which rank {other} "
              "enqueued only {enqueued}",
              counts.finished_by, counts.most->completed, Phrase::Name(std::get<0>(key)),
              counts.enqueued_by, counts.least->enqueued),
          1);
    }
  }

  // Those with an operation that a member can finish before another one begins it, or with none.
  std::set<std::pair<std::string, std::string>> FreeGroups() const {
    std::set<std::pair<std::string, std::string>> seen, free;
    for (const RankDump& dump : dumps_) {
      for (const DumpOperation& operation : dump.operations) {
        const DumpGroup& group = dump.groups[operation.group];
        seen.emplace(group.name, group.description);
        if (!Synchronizes(operation.name)) free.emplace(group.name, group.description);
      }
    }
    for (const RankDump& dump : dumps_)
      for (const DumpGroup& group : dump.groups)
        if (!seen.contains({group.name, group.description}))
          free.emplace(group.name, group.description);
    return free;
  }

  // Of an operation that needs all members, one that has an end of it and one that did not come to
  // it are of different times. Where operations run on the host, they end with errors too.
  void CompareFinished() {
    struct Ends {
      const DumpOperation* last = nullptr;
      int64_t finished_by = -1, least_by = -1, least = INT64_MAX;
    };
    std::map<std::tuple<std::string, std::string, Ranks>, Ends> groups;
    for (const RankDump& dump : dumps_) {
      if (IsHostBackend(dump)) return;
      for (const DumpGroup& group : dump.groups) {
        if (group.members.empty() || group.enqueued < 0) continue;
        Ends& ends = groups[{group.name, group.description, group.members}];
        const int64_t reached = Reached(dump, group);
        if (reached < ends.least) ends.least = reached, ends.least_by = dump.rank;
      }
      for (const DumpOperation& operation : dump.operations) {
        const DumpGroup& group = dump.groups[operation.group];
        if (operation.pending || operation.odd || operation.point_to_point) continue;
        if (group.members.empty() || !Synchronizes(operation.name)) continue;
        Ends& ends = groups[{group.name, group.description, group.members}];
        if (ends.last == nullptr || operation.sequence > ends.last->sequence)
          ends.last = &operation, ends.finished_by = dump.rank;
      }
    }
    for (const auto& [key, ends] : groups) {
      if (ends.last == nullptr || ends.last->sequence <= ends.least) continue;
      Add(Say("rank {rank} finished operation {last} of group {group}, of which rank {other} "
              "enqueued only {enqueued}",
              ends.finished_by, ends.last->sequence, Phrase::Name(std::get<0>(key)), ends.least_by,
              ends.least),
          1);
    }
  }

  // By its counter and its operations.
  static int64_t Reached(const RankDump& dump, const DumpGroup& group) {
    int64_t reached = group.enqueued;
    for (const DumpOperation& operation : dump.operations)
      if (&dump.groups[operation.group] == &group && !operation.point_to_point)
        reached = std::max(reached, operation.sequence);
    return reached;
  }

  void CompareVersions() {
    std::map<std::string, Ranks> versions;
    for (const RankDump& dump : dumps_)
      if (!dump.version.empty()) versions[dump.version].push_back(dump.rank);
    if (versions.size() < 2) return;
    const auto size = [](const auto& version) { return version.second.size(); };
    const auto& most = *std::ranges::max_element(versions, {}, size);
    const auto& least = *std::ranges::min_element(
        versions, {}, [&](const auto& v) { return std::pair(size(v), &v == &most); });
    Add(Say("dumps are of different versions: {version} of {these}, {other} of others",
            Phrase::Name(least.first), SayRanks(least.second), Phrase::Name(most.first)),
        std::ssize(least.second));
  }

  // Ranks that are stuck stop within minutes of one another.
  void CompareTimes() {
    std::vector<int64_t> newest;
    for (const RankDump& dump : dumps_)
      if (dump.newest > 0) newest.push_back(dump.newest);
    if (newest.size() < 2) return;
    std::ranges::sort(newest);
    const int64_t usual = newest[newest.size() / 2];
    for (const RankDump& dump : dumps_) {
      if (dump.newest <= 0) continue;
      const bool before = dump.newest < usual;
      const int64_t apart = before ? usual - dump.newest : dump.oldest - usual;
      if (apart <= kApart) continue;
      Add(before ? Say("the last operation of {rank} is {time} older than those of most others",
                       SayRanks(Ranks{dump.rank}), HumanNanoseconds(apart))
                 : Say("the first operation of {rank} is {time} newer than the last of most others",
                       SayRanks(Ranks{dump.rank}), HumanNanoseconds(apart)),
          1, dump.path);
    }
  }

  std::span<const RankDump> dumps_;
  std::vector<Note> notes_;
};

}  // namespace

std::vector<Note> ContradictionsOf(std::span<const RankDump> dumps) { return Finder(dumps).Find(); }

}  // namespace stepscope::hang
