// Reports time and overlap of user-defined kernel groups.
#include <algorithm>
#include <array>
#include <span>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace kernel_groups {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How much time do user-defined kernel groups take, and how much of it overlaps other activities?

**Definition:** Groups come from a TOML file of name patterns (the option `groups`), such as `all_to_all =
["*AllToAll*"]` under `[groups]`. A kernel belongs to the first group that matches its whole name, else to
`other compute`, `other communication` or `other memory`. Per device: `count` and `sum` of the group's activities,
`busy`, the time in which at least one of them runs, and `alone`, the part of it in which nothing else
runs. `overlaps` has the time in which both of two groups run.

**Limitations:** Kernels with equal names cannot be separated.

**Interpretation:** AllToAll in expert-parallel training rarely overlaps, AllReduce should: compare their
`alone`. Groups of a device may overlap, so their busy times can sum to more than the device's.
)md";

constexpr size_t kOthers = 3;
constexpr std::array<std::string_view, kOthers> kOtherNames = {
    "other compute", "other communication", "other memory"};

size_t OtherOf(Kind kind) {
  if (kind == Kind::kCompute) return 0;
  return kind == Kind::kCommunication ? 1 : 2;
}

struct GroupTime {
  int64_t count = 0, sum = 0, busy = 0, alone = 0;
};

// Sweeps the activities of one device. Keeps only until when each group runs.
class GroupSweep {
 public:
  explicit GroupSweep(size_t groups) : groups_(groups), until_(groups, kNoTime) {
    both_.resize(groups * groups);
  }

  // REQUIRES: starts ascend.
  void Add(size_t group, const Activity& activity) {
    AdvanceTo(activity.start);
    groups_[group].count += 1;
    groups_[group].sum = AddSaturated(groups_[group].sum, activity.duration());
    until_[group] = std::max(until_[group], activity.end);
  }
  void Finish() {
    for (const int64_t until : until_) {
      if (until > now_) latest_ = std::max(latest_, until);
    }
    AdvanceTo(std::max(latest_, now_));
  }

  const std::vector<GroupTime>& times() const { return groups_; }
  int64_t Both(size_t a, size_t b) const { return both_[a * groups_.size() + b]; }

 private:
  // Adds the time from now to `time`, in stretches during which the same groups run.
  void AdvanceTo(int64_t time) {
    while (now_ < time) {
      int64_t next = time;
      running_.clear();
      for (size_t g = 0; g < groups_.size(); ++g) {
        if (until_[g] <= now_) continue;
        running_.push_back(g);
        next = std::min(next, until_[g]);
      }
      const int64_t lasts = running_.empty() ? 0 : next - now_;
      for (const size_t g : running_) {
        groups_[g].busy += lasts;
        if (running_.size() == 1) groups_[g].alone += lasts;
        for (const size_t other : running_) both_[g * groups_.size() + other] += lasts;
      }
      now_ = next;
    }
  }

  std::vector<GroupTime> groups_;
  std::vector<int64_t> until_;
  std::vector<int64_t> both_;
  std::vector<size_t> running_;
  int64_t now_ = kNoTime;
  int64_t latest_ = kNoTime;
};

Table GroupsTable() {
  Table table{.key = "groups", .title = "Kernel groups", .columns = DeviceKeys(), .text_rows = 16};
  AddColumns(table,
             {KeyColumn("group", "group"), CountColumn("count", "count"), TimeColumn("sum", "sum"),
              TimeColumn("busy", "busy"), TimeColumn("alone", "alone"),
              RatioColumn("overlap_ratio", "overlap, % of busy"),
              RatioColumn("busy_ratio", "busy, % of span")});
  SetKinds(table, {{"busy", ColumnKind::kCompute}});
  return table;
}

Table OverlapsTable() {
  Table table{
      .key = "overlaps", .title = "Overlap of groups", .columns = DeviceKeys(), .text_rows = 12};
  AddColumns(table, {KeyColumn("group", "group"), KeyColumn("other", "other group"),
                     TimeColumn("time", "time"), RatioColumn("ratio", "% of group busy")});
  return table;
}

class Writer {
 public:
  explicit Writer(const Facts& facts) : facts_(facts) {
    for (const std::string& name : facts.groups.groups) names_.push_back(name);
    names_.insert(names_.end(), kOtherNames.begin(), kOtherNames.end());
  }

  void Add(const DeviceFacts& device, std::span<const uint32_t> activities) {
    GroupSweep sweep(names_.size());
    for (const uint32_t index : activities) {
      const Activity& activity = device.rank->activities[index];
      const int32_t own = facts_.groups.Of(activity.name);
      const size_t group = own != kNoGroup ? static_cast<size_t>(own)
                                           : facts_.groups.groups.size() + OtherOf(activity.kind);
      sweep.Add(group, activity);
    }
    sweep.Finish();
    for (size_t g = 0; g < names_.size(); ++g) AddGroup(device, sweep, g);
  }

  Table groups = GroupsTable();
  Table overlaps = OverlapsTable();

 private:
  void AddGroup(const DeviceFacts& device, const GroupSweep& sweep, size_t g) {
    const GroupTime& time = sweep.times()[g];
    if (time.count == 0) return;
    auto row = DeviceCells(device);
    row.insert(row.end(),
               {names_[g], time.count, time.sum, time.busy, time.alone,
                Ratio(time.busy - time.alone, time.busy), Ratio(time.busy, device.total.Span())});
    groups.rows.push_back(std::move(row));
    for (size_t other = 0; other < names_.size(); ++other) {
      if (other == g || sweep.Both(g, other) == 0) continue;
      row = DeviceCells(device);
      row.insert(row.end(), {names_[g], names_[other], sweep.Both(g, other),
                             Ratio(sweep.Both(g, other), time.busy)});
      overlaps.rows.push_back(std::move(row));
    }
  }

  const Facts& facts_;
  std::vector<std::string> names_;
};

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kKernelGroups, facts);
  if (report.status == Status::kUnavailable) return report;
  if (facts.groups.groups.empty()) {
    MakeUnavailable(report, "set `groups` to a TOML file of patterns");
    return report;
  }
  Writer writer(facts);
  const auto by_device = [](const RankActivity& rank) { return rank.ActivitiesByDevice(); };
  ForEachDevice(facts, by_device, [&](const DeviceFacts& device, const auto& activities) {
    writer.Add(device, activities[device.device_index]);
  });
  const ColumnOf group(writer.groups, "group");
  const auto own = std::ranges::count_if(writer.groups.rows, [&](const auto& row) {
    return std::ranges::find(kOtherNames, group.Text(row)) == kOtherNames.end();
  });
  report.headline =
      own == 0 ? "No kernel matches any group."
               : Say("Time of {groups}.", Plural(facts.groups.groups.size(), "kernel group"));
  report.tables.push_back(std::move(writer.groups));
  report.tables.push_back(std::move(writer.overlaps));
  return report;
}

}  // namespace
}  // namespace kernel_groups

const Analysis kKernelGroups = {
    .name = "kernel_groups",
    .title = "Custom kernel groups",
    .label = "Kernel groups",
    .group = AnalysisGroup::kDevice,
    .summary = "Time and overlap of user-defined groups",
    .doc = kernel_groups::kDoc,
    .needs = kRankActivityNeeds,
    .params = {},
    .run = &kernel_groups::Run,
};

}  // namespace stepscope
