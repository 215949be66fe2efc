// Lists slow groups, and names the one that costs most.
#include "analyses/collectives_slow_groups.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "analyses/build.h"
#include "facts/derived/collectives/slow_groups.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope::collectives {
namespace {

Table TableOf(const Facts& facts, const std::vector<SlowGroup>& groups) {
  Table table{.key = "slow_groups",
              .title = "Slow process groups",
              .columns = {KeyColumn("group", "group"), ValueColumn("operation", "operation"),
                          BytesColumn("bytes", "size"), CountColumn("count", "count"),
                          TimeColumn("time", "median time"), TimeColumn("usual", "of the others"),
                          CountColumn("others", "others"), TimeColumn("exposed", "exposed excess")},
              .text_rows = 8};
  for (const SlowGroup& slow : groups) {
    table.rows.push_back({facts.collectives.groups[slow.group].label,
                          OperationText(facts, slow.op, slow.operation), slow.bytes, slow.count,
                          slow.time, slow.usual, static_cast<int64_t>(slow.others), slow.exposed});
  }
  return table;
}

Phrase Members(const CollectiveGroup& group) {
  if (!group.members.empty()) return SayRanks(group.members);
  return Say("group {name}", Phrase::Name(group.label));
}

Phrase Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

Finding FindingOf(const Facts& facts, const std::vector<SlowGroup>& groups) {
  const SlowGroup& slow = groups.front();
  const Phrase more =
      groups.size() == 1 ? Phrase() : "; " + Say("slow groups in all: {count}", groups.size());
  return {
      .message = Say("Collectives among {ranks} take {ratio} times as long as those of {others} "
                     "like it.",
                     Members(facts.collectives.groups[slow.group]),
                     fmt::format("{:.2f}", slow.Ratio()), Plural(slow.others, "group")),
      .because =
          Say("{operation} of {bytes}: {time} without waiting, of the others {usual} (medians "
              "of {count} and more)",
              Phrase::Name(OperationText(facts, slow.op, slow.operation)),
              HumanBytes(static_cast<double>(slow.bytes)), Time(slow.time), Time(slow.usual),
              slow.count) +
          more,
      .hint =
          "compare the links and network adapters of these ranks with those of others "
          "(nvidia-smi nvlink -s, ibstat, nccl-tests on these hosts), and the switches between "
          "them",
      .impact = slow.exposed,
      .table = "slow_groups",
      .nearness = Nearness::kCause};
}

}  // namespace

std::string OperationText(const Facts& facts, CollectiveOp op, StringId operation) {
  return std::string(operation == kNoString ? OpName(op) : (*facts.names)[operation]);
}

void AddSlowGroups(Report& report, const Facts& facts) {
  const std::vector<SlowGroup> groups = SlowGroupsOf(facts);
  if (groups.empty()) return;
  report.tables.push_back(TableOf(facts, groups));
  report.findings.push_back(FindingOf(facts, groups));
}

}  // namespace stepscope::collectives
