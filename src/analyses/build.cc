// Builds the columns, statuses and sentences that several reports share.
#include "analyses/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyses/kinds.h"
#include "facts/derived/on_demand.h"
#include "facts/derived/step_categories.h"
#include "facts/devices/device_peaks.h"
#include "report/humanize.h"
#include "report/kernel_name.h"

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
  } else if (facts.MostKernelsMissing()) {
    report.status = Status::kPartial;
    report.why = SayMissingKernels(facts);
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

CauseKind CauseOf(StepCategory category) {
  switch (category) {
    case StepCategory::kLaunch:
      return CauseKind::kLaunch;
    case StepCategory::kInput:
      return CauseKind::kInput;
    case StepCategory::kOutput:
      return CauseKind::kSync;
    case StepCategory::kCompilation:
      return CauseKind::kCompilation;
    case StepCategory::kOneTime:
      return CauseKind::kOneTime;
    case StepCategory::kHostCompute:
    case StepCategory::kOther:
      return CauseKind::kHost;
    default:
      return CauseKind::kNone;
  }
}

CauseKind CauseOfIdle(const Facts& facts) {
  if (!OnDemand(facts).HasSteps()) return CauseKind::kNone;
  const StepBreakdown sum = SumOf(OnDemand(facts).Steps(facts));
  CauseKind most = CauseKind::kNone;
  int64_t longest = 0;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    const int64_t time = TimeOf(sum, category);
    if (CauseOf(category) == CauseKind::kNone || time <= longest) continue;
    longest = time;
    most = CauseOf(category);
  }
  return most;
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

std::string SayMissingKernels(const Facts& facts) {
  const auto& [calls, without, captured] = facts.launches;
  return fmt::format("{} of launches have no recorded kernel ({} of {})",
                     HumanRatio(static_cast<double>(without) / static_cast<double>(calls)),
                     HumanCount(without), HumanCount(calls));
}

std::string NoCommunication(const Facts& facts) {
  const MissingCommunication& missing = OnDemand(facts).CommunicationMissing(facts);
  if (missing.world_size == 0) return "no communication kernel was recorded";
  std::string text = fmt::format(
      "communication not recognized: the job has {} ranks, and no kernel's name is known as "
      "communication",
      missing.world_size);
  for (const CommunicationCandidate& candidate : missing.candidates) {
    text +=
        &candidate == missing.candidates.data() ? "; candidates, on a stream of their own: " : ", ";
    text += fmt::format("{} ({})", ShortName((*facts.names)[candidate.name]),
                        HumanTime(static_cast<double>(candidate.time)));
  }
  return text;
}

std::string SayDevice(const DeviceFacts& device) {
  std::string text = fmt::format("rank {}", device.rank->rank);
  if (device.rank->devices.size() > 1) text += fmt::format(" device {}", device.device);
  if (device.rank->window > 0) text += fmt::format(" window {}", device.rank->window);
  return text;
}

}  // namespace stepscope
