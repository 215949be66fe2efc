// Builds the columns, statuses and sentences that several reports share.
#include "analyses/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyses/kinds.h"
#include "facts/derived/step_categories.h"
#include "facts/devices/device_peaks.h"

namespace stepscope {

std::vector<Column> DeviceKeys() {
  return {KeyColumn("rank", "rank"), KeyColumn("window", "window"), KeyColumn("device", "device")};
}

std::vector<Cell> DeviceCells(const DeviceFacts& device) {
  return {device.rank->rank, device.rank->window, device.device};
}

void AddCategoryColumns(Table& table) {
  for (size_t c = 0; c < kStepCategories; ++c) {
    std::string title(StepCategoryName(static_cast<StepCategory>(c)));
    std::string key = title;
    std::ranges::replace(key, ' ', '_');
    table.columns.push_back(TimeColumn(std::move(key), std::move(title)));
    table.columns.back().kind = KindOf(static_cast<StepCategory>(c));
  }
}

Report StartReport(const Analysis& analysis, const Facts& facts) {
  Report report{.analysis = std::string(analysis.name), .title = std::string(analysis.title)};
  if (!facts.no_work.empty()) {
    MakeUnavailable(report, facts.no_work);
  } else if (!facts.some_without_work.empty()) {
    report.status = Status::kPartial;
    report.why = facts.some_without_work;
  }
  return report;
}

std::string Say(const Advice& advice, const Facts& facts) {
  const auto framework = facts.ranks.empty() ? Framework::kPyTorch : facts.ranks.front().framework;
  switch (framework) {
    case Framework::kTensorFlow:
      return std::string(advice.tensorflow);
    case Framework::kJax:
      return std::string(advice.jax);
    case Framework::kPyTorch:
      break;
  }
  return std::string(advice.pytorch);
}

std::string_view CommandForClocks(const Facts& facts) {
  const bool amd =
      !facts.devices.empty() && IsAmd(*facts.devices.front().rank, facts.devices.front().device);
  return amd ? "rocm-smi --showclocks --showtemp"
             : "nvidia-smi -q -d CLOCK,TEMPERATURE,PERFORMANCE";
}

void MakeUnavailable(Report& report, std::string why) {
  report.status = Status::kUnavailable;
  report.why = std::move(why);
}

std::string SayDevice(const DeviceFacts& device) {
  std::string text = fmt::format("rank {}", device.rank->rank);
  if (device.rank->devices.size() > 1) text += fmt::format(" device {}", device.device);
  if (device.rank->window > 0) text += fmt::format(" window {}", device.rank->window);
  return text;
}

}  // namespace stepscope
