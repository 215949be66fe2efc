// Tables of the input pipeline by step.
#include "analyses/input_pipeline_steps.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "analyses/kinds.h"
#include "base/saturate.h"
#include "report/columns.h"
#include "report/kinds.h"

namespace stepscope::input_pipeline {
namespace {

constexpr std::array<std::string_view, kInputCategories> kInputKeys = {
    "read_on_demand", "read_in_advance", "preprocessing", "enqueuing", "other", "loader_workers"};

Table InputStepTable(std::string key, Phrase title) {
  return {.key = std::move(key),
          .title = std::move(title),
          .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                      KeyColumn("step", "step")},
          .text_rows = 0};
}

std::vector<Cell> InputStepCells(const RankActivity& rank, const StepBreakdown& step) {
  return {rank.rank, rank.window, step.window.number};
}

int64_t InputDeviceTime(const StepBreakdown& step) {
  int64_t time = 0;
  for (const StepCategory category : {StepCategory::kDeviceCompute, StepCategory::kDeviceToDevice,
                                      StepCategory::kDeviceCollectives})
    time = AddSaturated(time, TimeOf(step, category));
  return time;
}

Table InputStepDeviceTable(const std::vector<RankSteps>& ranks) {
  Table table = InputStepTable("steps", "Input wait per step");
  for (Column column : {TimeColumn("device", "device"), TimeColumn("input", "input wait"),
                        TimeColumn("others", "all others")})
    table.columns.push_back(std::move(column));
  SetKinds(table, {{"device", ColumnKind::kCompute},
                   {"input", ColumnKind::kInput},
                   {"others", ColumnKind::kOther}});
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) {
      const int64_t device = InputDeviceTime(step), input = TimeOf(step, StepCategory::kInput);
      auto row = InputStepCells(*rank.rank, step);
      row.insert(row.end(),
                 {device, input, SubtractSaturated(step.Total(), AddSaturated(device, input))});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table InputStepHostTable(const std::vector<RankSteps>& ranks,
                         const std::vector<RankInput>& inputs) {
  Table table = InputStepTable("host_steps", "Host input per step");
  for (size_t c = 0; c < kInputCategories; ++c) {
    const auto category = static_cast<InputCategory>(c);
    table.columns.push_back(
        TimeColumn(std::string(kInputKeys[c]), std::string(InputCategoryName(category))));
    table.columns.back().kind = KindOf(category);
  }
  bool any = false;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const auto& by_step = inputs[r].activity.by_step;
    any = any || !by_step.empty();
    for (const StepBreakdown& step : ranks[r].steps) {
      auto row = InputStepCells(*ranks[r].rank, step);
      const auto at = by_step.find(step.window.number);
      for (size_t c = 0; c < kInputCategories; ++c)
        row.emplace_back(at == by_step.end() ? int64_t{0} : at->second[c]);
      table.rows.push_back(std::move(row));
    }
  }
  if (!any) table.rows.clear();
  return table;
}

}  // namespace

void AddInputSteps(Report& report, const std::vector<RankSteps>& ranks,
                   const std::vector<RankInput>& inputs) {
  report.tables.push_back(InputStepDeviceTable(ranks));
  Table host = InputStepHostTable(ranks, inputs);
  if (!host.rows.empty()) report.tables.push_back(std::move(host));
}

}  // namespace stepscope::input_pipeline
