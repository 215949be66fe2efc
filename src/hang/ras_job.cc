// A communicator's members are told by host, process and device, wherever they meet again.
#include "hang/ras_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/columns.h"

namespace stepscope::hang {
namespace {

constexpr size_t kMostCommunicators = 2000;  // in the table
constexpr size_t kMostNamed = 8;

using Process = std::tuple<std::string, int64_t, int64_t>;
using Counts = std::map<std::string, int64_t>;

std::optional<Process> ProcessOf(const RasMember& member) {
  if (member.process < 0) return std::nullopt;
  return Process(member.host, member.process, member.device);
}

// Members need not call messages as often as one another.
bool IsMessage(std::string_view name) {
  return name == "SendRecv" || name == "Send" || name == "Recv";
}

int64_t TotalOf(const Counts& counts) {
  int64_t total = 0;
  for (const auto& [name, count] : counts)
    if (!IsMessage(name) && __builtin_add_overflow(total, count, &total)) return INT64_MAX;
  return total;
}

// As PyTorch names it.
std::string NameOf(std::string_view name) {
  if (name == "AllReduce") return "all_reduce";
  if (name == "AllGather") return "all_gather";
  if (name == "ReduceScatter") return "reduce_scatter";
  if (name == "Broadcast") return "broadcast";
  return name == "Reduce" ? "reduce" : std::string(name);
}

// How often it was called, by the name that PyTorch has for it; -1: never.
int64_t CountOf(const Counts& counts, std::string_view named) {
  const auto at =
      std::ranges::find_if(counts, [&](const auto& one) { return NameOf(one.first) == named; });
  return at == counts.end() ? -1 : at->second;
}

// The only collective that the one called more often than the other.
std::string MoreOf(const Counts& counts, const Counts& fewer) {
  std::string found;
  for (const auto& [name, count] : counts) {
    const auto other = fewer.find(name);
    if (IsMessage(name) || count <= (other == fewer.end() ? 0 : other->second)) continue;
    if (!found.empty()) return "collective";
    found = NameOf(name);
  }
  return found.empty() ? "collective" : found;
}

const RasStatus& NewestOf(std::span<const RasStatus> statuses) {
  return *std::ranges::max_element(statuses, {}, &RasStatus::taken);
}

// The members of a communicator that answered, from fewest to most collectives.
struct Progress {
  explicit Progress(const RasCommunicator& communicator) {
    for (const RasMember& member : communicator.members)
      (member.missing ? missing : answered).push_back(&member);
    std::ranges::stable_sort(answered, {},
                             [](const RasMember* member) { return TotalOf(member->counts); });
  }
  int64_t Fewest() const { return answered.empty() ? 0 : TotalOf(answered.front()->counts); }
  int64_t Most() const { return answered.empty() ? 0 : TotalOf(answered.back()->counts); }
  bool Differ() const {
    return std::ranges::any_of(answered, [&](const RasMember* member) {
      return !std::ranges::equal(member->counts, answered.front()->counts, [](auto& a, auto& b) {
        return a.first == b.first && (a.second == b.second || IsMessage(a.first));
      });
    });
  }

  std::vector<const RasMember*> answered, missing;
};

RasMark MarkOf(const RasMember& member) {
  if (member.dead) return RasMark::kDead;
  if (member.unresponsive) return RasMark::kUnresponsive;
  if (member.missing) return RasMark::kLeft;
  return member.aborted ? RasMark::kAborted : RasMark::kNone;
}

class Builder {
 public:
  explicit Builder(const RasStatus& status) : status_(status) {}

  RasJob Build() {
    job_.ranks_known = KnowRanks();
    if (!job_.ranks_known) return std::move(job_);
    for (const auto& [process, rank] : ranks_) dumps_.try_emplace(rank).first->second.rank = rank;
    for (const RasCommunicator& communicator : status_.communicators) Add(communicator);
    for (auto& [rank, dump] : dumps_)
      if (!lost_.contains(rank)) job_.dumps.push_back(std::move(dump));
    return std::move(job_);
  }

 private:
  bool KnowRanks() {
    const RasCommunicator* largest = nullptr;
    for (const RasCommunicator& communicator : status_.communicators)
      if (largest == nullptr || communicator.members.size() > largest->members.size())
        largest = &communicator;
    if (largest == nullptr) return false;
    for (const RasMember& member : largest->members) {
      if (const auto process = ProcessOf(member)) ranks_.try_emplace(*process, member.rank);
    }
    world_ = largest;
    for (const RasCommunicator& communicator : status_.communicators)
      for (const RasMember& member : communicator.members)
        if (const auto process = ProcessOf(member); process && !ranks_.contains(*process))
          return false;
    return true;
  }

  int64_t RankOf(const RasCommunicator& communicator, const RasMember& member) const {
    if (&communicator == world_) return member.rank;
    const auto process = ProcessOf(member);
    const auto at = process ? ranks_.find(*process) : ranks_.end();
    return at == ranks_.end() ? -1 : at->second;
  }

  void Add(const RasCommunicator& communicator) {
    std::vector<std::pair<int64_t, int64_t>> order;  // rank within it, rank of the job
    for (const RasMember& member : communicator.members) {
      const int64_t rank = RankOf(communicator, member);
      if (rank < 0) continue;
      order.emplace_back(member.rank, rank);
      if (member.missing) lost_.insert(rank);
      if (const RasMark mark = MarkOf(member); mark != RasMark::kNone)
        job_.marks[rank] = std::max(job_.marks[rank], mark);
    }
    std::ranges::sort(order);
    std::vector<int64_t> members;
    for (const auto& [within, rank] : order) members.push_back(rank);
    const Progress progress(communicator);
    for (const RasMember* member : progress.answered) {
      const int64_t rank = RankOf(communicator, *member);
      if (rank >= 0) AddMember(communicator, *member, progress, members, dumps_[rank]);
    }
  }

  static void AddMember(const RasCommunicator& communicator, const RasMember& member,
                        const Progress& progress, const std::vector<int64_t>& members,
                        RankDump& dump) {
    const int64_t total = TotalOf(member.counts);
    const auto group = static_cast<uint32_t>(dump.groups.size());
    dump.groups.push_back(
        {.name = communicator.id, .description = "", .members = members, .enqueued = total});
    const int64_t fewest = progress.Fewest();
    const bool behind = total == fewest && progress.Most() > fewest;
    const bool stuck = !behind && (progress.Differ() || !progress.missing.empty());
    if (!stuck) return;
    const RasMember& other = OtherThan(member, progress);
    const bool ahead = total > fewest;
    DumpOperation operation{.record = static_cast<int64_t>(group),
                            .group = group,
                            .sequence = ahead ? fewest + 1 : total,
                            .name = MoreOf(member.counts, other.counts),
                            .pending = true};
    if (ahead && CountOf(member.counts, operation.name) >= 0)
      operation.of_name = std::max<int64_t>(CountOf(other.counts, operation.name), 0) + 1;
    dump.operations.push_back(std::move(operation));
  }

  // One that has other counts, to see what this one called and that one did not.
  static const RasMember& OtherThan(const RasMember& member, const Progress& progress) {
    if (progress.Most() > progress.Fewest()) return *progress.answered.front();
    for (const RasMember* other : progress.answered)
      if (other->counts != member.counts) return *other;
    return *progress.answered.front();
  }

  const RasStatus& status_;
  const RasCommunicator* world_ = nullptr;
  std::map<Process, int64_t> ranks_;
  std::map<int64_t, RankDump> dumps_;
  std::set<int64_t> lost_;
  RasJob job_;
};

using AllCounts = std::map<std::pair<std::string, int64_t>, Counts>;

AllCounts CountsOf(const RasStatus& status) {
  AllCounts all;
  for (const RasCommunicator& communicator : status.communicators)
    for (const RasMember& member : communicator.members)
      all[{communicator.id, member.rank}] = member.counts;
  return all;
}

bool IsSteady(std::span<const RasStatus> statuses) {
  const RasStatus& newest = NewestOf(statuses);
  const AllCounts counts = CountsOf(newest);
  return std::ranges::any_of(statuses, [&](const RasStatus& other) {
    return other.taken != newest.taken && CountsOf(other) == counts;
  });
}

std::string ListOf(std::span<const RasMember* const> members) {
  std::string list;
  for (size_t i = 0; i < std::min(members.size(), kMostNamed); ++i)
    list += fmt::format("{}{}", i > 0 ? ", " : "", members[i]->rank);
  return list + (members.size() > kMostNamed ? ", ..." : "");
}

}  // namespace

RasJob JobOfRas(std::span<const RasStatus> statuses) {
  if (statuses.empty()) return {};
  RasJob job = Builder(NewestOf(statuses)).Build();
  job.steady = IsSteady(statuses);
  return job;
}

Table CommunicatorsTable(std::span<const RasStatus> statuses) {
  Table table{.key = "communicators",
              .title = "Communicators of NCCL's RAS service",
              .columns = {KeyColumn("communicator", "communicator"), CountColumn("size", "size"),
                          CountColumn("answered", "answered"), CountColumn("missing", "missing"),
                          CountColumn("dead", "dead"), CountColumn("unresponsive", "unresponsive"),
                          CountColumn("fewest", "fewest collectives"),
                          CountColumn("most", "most collectives"),
                          ValueColumn("behind", "members with fewest"),
                          ValueColumn("missing_members", "missing members")},
              .text_rows = 16};
  for (const RasCommunicator& communicator : NewestOf(statuses).communicators) {
    const Progress progress(communicator);
    if (table.rows.size() >= kMostCommunicators) break;
    const auto count = [&](bool RasMember::* what) {
      return static_cast<int64_t>(std::ranges::count_if(
          communicator.members, [&](const RasMember& member) { return member.*what; }));
    };
    std::vector<const RasMember*> behind;
    for (const RasMember* member : progress.answered)
      if (progress.Most() > progress.Fewest() && TotalOf(member->counts) == progress.Fewest())
        behind.push_back(member);
    table.rows.push_back({communicator.id, communicator.size,
                          static_cast<int64_t>(progress.answered.size()),
                          static_cast<int64_t>(progress.missing.size()), count(&RasMember::dead),
                          count(&RasMember::unresponsive), progress.Fewest(), progress.Most(),
                          TextCell(ListOf(behind)), TextCell(ListOf(progress.missing))});
  }
  return table;
}

}  // namespace stepscope::hang
