// Builds the tables of the step overview.
#include "analyses/overview_tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analyses/build.h"
#include "analyses/kinds.h"
#include "base/saturate.h"
#include "facts/devices/device_use.h"

namespace stepscope {
namespace overview {

Table CategoryTable(const Facts& facts, const std::vector<RankSteps>& ranks,
                    const StepStatistics& total, bool marked) {
  Table table{
      .key = "step_time",
      .title = marked ? "Step time breakdown, mean of all steps" : "Breakdown of the trace",
      .columns = {Words(KeyColumn("category", "category")), TimeColumn("mean", "mean"),
                  TimeColumn("stddev", "std dev"), RatioColumn("ratio", "% of step time"),
                  Detail(TimeColumn("shortest", "min")), Detail(TimeColumn("longest", "max"))}};
  AddKindColumn(table);
  table.columns.push_back(Detail({"column", "column of steps"}));
  std::array<std::pair<double, StepCategory>, kStepCategories> by_time;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    by_time[c] = {-StatisticsOf(ranks, category).mean, category};
  }
  std::ranges::stable_sort(by_time, {}, &std::pair<double, StepCategory>::first);
  for (const auto& [negative, category] : by_time) {
    const StepStatistics s = StatisticsOf(ranks, category);
    table.rows.push_back({std::string(TitleOf(category, facts)), static_cast<int64_t>(s.mean),
                          static_cast<int64_t>(s.deviation),
                          total.mean > 0 ? Cell(s.mean / total.mean) : Cell(), s.shortest,
                          s.longest, KindCell(KindOf(category)), CategoryKey(category)});
  }
  return table;
}

Table StepTable(const Facts& facts, const std::vector<RankSteps>& ranks,
                const std::vector<RankSteps>& typical) {
  Table table{.key = "steps",
              .title = "Steps",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          KeyColumn("step", "step"), TimeColumn("time", "step time")},
              .text_rows = 0};
  AddCategoryColumns(table, facts);
  table.columns.push_back(Words({"typical", "typical", Unit::kNone, Role::kValue, true}));
  for (const RankSteps& rank : ranks) {
    const auto own = std::ranges::find(typical, rank.rank, &RankSteps::rank);
    std::set<int64_t> starts;  // of typical steps
    if (own != typical.end()) {
      for (const StepBreakdown& step : own->steps) starts.insert(step.window.start);
    }
    for (const StepBreakdown& step : rank.steps) {
      std::vector<Cell> row = {rank.rank->rank, rank.rank->window, step.window.number,
                               step.Total()};
      for (size_t c = 0; c < kStepCategories; ++c)
        row.emplace_back(TimeOf(step, static_cast<StepCategory>(c)));
      row.emplace_back(starts.contains(step.window.start) ? "yes" : "no");
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table RoleTable(const Facts& facts, const std::vector<RankSteps>& ranks) {
  constexpr std::array<std::string_view, kStepRoles> kNames = {
      "other", "CPU exec", "data loader", "runtime", "communication", "memset", "memcpy", "kernel"};
  Table table{.key = "roles",
              .title = "Step time by role",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          Words(KeyColumn("role", "role")), TimeColumn("mean", "mean"),
                          RatioColumn("ratio", "% of step time")},
              .text_rows = 0};
  for (const RankSteps& rank : ranks) {
    int64_t total = 0;
    for (const StepBreakdown& step : rank.steps) total += step.Total();
    const auto steps = RolesOf(rank, *facts.names);
    for (size_t role = kStepRoles; role-- > 0;) {
      int64_t sum = 0;
      for (const auto& times : steps) sum += times[role];
      table.rows.push_back({rank.rank->rank, rank.rank->window, std::string(kNames[role]),
                            sum / static_cast<int64_t>(steps.size()), Ratio(sum, total)});
    }
  }
  return table;
}

Table DeviceTable(const Facts& facts, const std::vector<RankSteps>& ranks) {
  Table table{.key = "devices", .title = "Devices", .columns = DeviceKeys(), .text_rows = 8};
  AddColumns(table, {{"name", "name"},
                     RatioColumn("utilization", "utilization, % of time"),
                     RatioColumn("sm_efficiency", "SM efficiency"),
                     RatioColumn("occupancy", "occupancy")});
  std::unordered_map<const RankActivity*, const RankSteps*> steps_of;
  for (const RankSteps& rank : ranks) steps_of.emplace(rank.rank, &rank);
  const auto by_device = [](const RankActivity& rank) { return rank.ActivitiesByDevice(); };
  ForEachDevice(facts, by_device, [&](const DeviceFacts& device, const auto& activities) {
    const auto own = steps_of.find(device.rank);
    if (own == steps_of.end()) return;
    const DeviceUse use = UseOfDevice(*device.rank, device.device_index,
                                      activities[device.device_index], own->second->steps);
    std::vector<Cell> row = DeviceCells(device);
    row.insert(row.end(), {device.rank->device_name, Ratio(use.kernels, use.span),
                           Maybe(use.sm_efficiency), Maybe(use.occupancy)});
    table.rows.push_back(std::move(row));
  });
  return table;
}

Table OperatorTable(const Facts& facts, const OperatorUse& use) {
  constexpr size_t kTop = 10;
  Table table{.key = "top_operators",
              .title = "Operators by device time",
              .columns = {KeyColumn("operator", "operator"), TimeColumn("time", "time"),
                          RatioColumn("ratio", "% of total"), RatioColumn("sum", "cumulative %")},
              .text_rows = 5};
  int64_t total = 0;
  for (const auto& [op, time] : use.device_time) total = AddSaturated(total, time);
  int64_t so_far = 0;
  for (const auto& [op, time] : use.device_time) {
    if (table.rows.size() == kTop) break;
    so_far = AddSaturated(so_far, time);
    table.rows.push_back(
        {std::string((*facts.names)[op]), time, Ratio(time, total), Ratio(so_far, total)});
  }
  return table;
}

Table LaunchTable(const Facts& facts) {
  Table table{.key = "launches",
              .title = "Kernel launches per rank",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          CountColumn("calls", "launches"),
                          CountColumn("without_kernel", "without a recorded kernel"),
                          CountColumn("captured", "captured in a graph")}};
  int64_t unusual = 0;
  for (const RankActivity& rank : facts.ranks) {
    const auto& [calls, without, captured] = rank.launches;
    table.rows.push_back({rank.rank, rank.window, calls, without, captured});
    unusual += without + captured;
  }
  if (unusual == 0) table.text_rows = 0;
  return table;
}

}  // namespace overview
}  // namespace stepscope
