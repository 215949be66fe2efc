// Lists host waits for idle devices, and words the finding about them.
#include "analyses/idle_time_waits.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "facts/devices/idle_wait_sums.h"
#include "report/humanize.h"

namespace stepscope {
namespace idle_time {
namespace {

constexpr Advice kWaitLess{
    "check whether the wait recurs in later steps; launches before the trace began are not "
    "in it (use schedule(wait=1, warmup=1, active=3)). If it recurs, remove the "
    "synchronization (.item(), .cpu(), .to(device) of pageable memory: use pin_memory and "
    "non_blocking=True)",
    "check whether the wait recurs in later steps; launches before the trace began are not "
    "in it. If it recurs, remove the synchronization (.numpy(), printing tensors)",
    "check whether the wait recurs in later steps; launches before the trace began are not "
    "in it. If it recurs, remove the synchronization (float(), np.asarray(), "
    "block_until_ready)"};

class IdleWaits {
 public:
  IdleWaits(const Facts& facts, int64_t at_least) : facts_(facts) {
    AddColumns(table_, {KeyColumn("call", "call"),
                        CountColumn("calls", "calls"),
                        TimeColumn("time", "time"),
                        TimeColumn("longest", "max"),
                        {"operator", "operator"},
                        {"annotation", "annotation"}});
    for (const RankActivity& rank : facts.ranks) AddRank(rank, at_least);
    SortDescending(table_, "time");
  }

  void Finish(Report& report) {
    if (table_.rows.empty()) return;
    AddFinding(report);
    report.tables.push_back(std::move(table_));
  }

 private:
  void AddRank(const RankActivity& rank, int64_t at_least) {
    int64_t all = 0;
    for (const CondensedWait& wait : IdleWaitSums(rank, at_least)) {
      all += wait.time;
      table_.rows.push_back({rank.rank, rank.window, std::string((*facts_.names)[wait.call]),
                             wait.calls, wait.time, wait.longest, NameOf(wait.op),
                             NameOf(wait.annotation)});
    }
    if (all <= most_) return;
    most_ = all;
    worst_ = &rank;
  }

  Cell NameOf(StringId name) const {
    return name == kNoString ? Cell() : Cell(std::string((*facts_.names)[name]));
  }

  // From the first activity to the last of all devices of the trace.
  static int64_t SpanOf(const RankActivity& rank) {
    int64_t end = rank.activities.front().end;
    for (const Activity& activity : rank.activities) end = std::max(end, activity.end);
    return end - rank.activities.front().start;
  }

  void AddFinding(Report& report) const {
    const double share =
        static_cast<double>(most_) / static_cast<double>(std::max<int64_t>(SpanOf(*worst_), 1));
    if (share < kMinShare) return;
    const ColumnOf rank(table_, "rank"), window(table_, "window");
    const auto row = *std::ranges::find_if(table_.rows, [&](const auto& r) {
      return rank(r) == Cell(worst_->rank) && window(r) == Cell(worst_->window);
    });
    report.findings.push_back(
        {.message = Say("The host waits for idle devices for {share} of span.", HumanRatio(share)),
         .because =
             Say("worst: rank {rank}, {call} ({time} in {calls}); no activity is recorded on the "
                 "device",
                 worst_->rank, Phrase::Name(SayCall(row)), Time(ColumnOf(table_, "time")(row)),
                 Plural(static_cast<size_t>(ColumnOf(table_, "calls").Int(row)), "call")),
         .hint = Say(kWaitLess, facts_),
         .impact = most_,
         .table = "idle_waits",
         .cause = {CauseKind::kSync},
         .extent = {SpanOf(*worst_)}});
  }

  // "hipMemcpyWithStream (aten::copy_, decode)".
  std::string SayCall(const std::vector<Cell>& row) const {
    std::string text = ColumnOf(table_, "call").Text(row);
    const std::string* op = ColumnOf(table_, "operator").FindText(row);
    const std::string* annotation = ColumnOf(table_, "annotation").FindText(row);
    if (op == nullptr && annotation == nullptr) return text;
    text += " (";
    if (op != nullptr) text += *op;
    if (annotation != nullptr) text += (op == nullptr ? "" : ", ") + *annotation;
    return text + ")";
  }

  static std::string Time(const Cell& cell) {
    return HumanTime(static_cast<double>(std::get<int64_t>(cell)));
  }

  const Facts& facts_;
  int64_t most_ = 0;
  const RankActivity* worst_ = nullptr;
  Table table_{.key = "idle_waits",
               .title = "Waits for idle devices",
               .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window")},
               .text_rows = 4};
};

}  // namespace

int64_t IdleWaitsOf(const RankActivity& rank, int64_t at_least) {
  int64_t time = 0;
  for (const CondensedWait& wait : IdleWaitSums(rank, at_least)) time += wait.time;
  return time;
}

void AddIdleWaits(Report& report, const Facts& facts, int64_t at_least) {
  IdleWaits(facts, at_least).Finish(report);
}

}  // namespace idle_time
}  // namespace stepscope
