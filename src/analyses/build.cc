// Builds the columns, statuses and sentences that several reports share.
#include "analyses/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyses/kinds.h"
#include "facts/derived/modules.h"
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

Table PathTable(std::string title, std::string what, std::vector<PathRow> paths) {
  Table table{.key = "tree",
              .title = std::move(title),
              .columns = {KeyColumn("path", "path"), KeyColumn("name", std::move(what)),
                          Column{"depth", "depth", Unit::kCount, Role::kKey},
                          CountColumn("count", "calls"), TimeColumn("total", "total"),
                          TimeColumn("self", "self"), TimeColumn("device_time", "device time")},
              .text_rows = 0};
  for (PathRow& path : paths) {
    table.rows.push_back({std::move(path.path), std::move(path.name), int64_t{path.depth},
                          path.count, path.total, path.self, path.device});
  }
  return table;
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

std::string Say(const AdviceByPurpose& advice, const Facts& facts) {
  switch (OnDemand(facts).JobPurpose(facts)) {
    case Purpose::kTraining:
      return Say(advice.training, facts);
    case Purpose::kInference:
      return Say(advice.inference, facts);
    case Purpose::kUnknown:
      break;
  }
  return Say(advice.unknown, facts);
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
  if (facts.OnHost()) return "turbostat; other processes with top";
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

std::string InModule(const Facts& facts, StringId kernel) {
  const std::string place = ModulesOf(facts).PlaceOf(kernel);
  return place.empty() ? "" : " in " + place;
}

std::string SayPython(const FrameTimes& times, int64_t parts) {
  constexpr size_t kNamed = 2;
  std::string text;
  for (const FrameTimes::Leader& leader : times.Leaders(kNamed)) {
    text += text.empty() ? "; Python meanwhile: " : ", ";
    text += LabelOf(leader.name);
    if (!leader.caller.function.empty()) text += " in " + LabelOf(leader.caller);
    text += " " + HumanTime(static_cast<double>(leader.time) /
                            static_cast<double>(std::max<int64_t>(parts, 1)));
  }
  return text;
}

std::string SayPythonWhileIdle(const Facts& facts, int64_t rank) {
  int64_t steps = 0;
  for (const RankActivity& own : facts.ranks) steps += own.rank == rank ? std::ssize(own.steps) : 0;
  return SayPython(PythonWhileIdle(facts, rank), steps);
}

std::string_view ParticipantNoun(const Facts& facts) {
  return facts.collectives.HasDevices() ? "device" : "rank";
}

std::string SayPlace(const Facts& facts, int64_t rank, int64_t device) {
  const bool one_rank = facts.ranks.front().rank == facts.ranks.back().rank;
  if (device < 0) return fmt::format("rank {}", rank);
  return one_rank ? fmt::format("device {}", device)
                  : fmt::format("rank {} device {}", rank, device);
}

std::string SayParticipant(const Facts& facts, const RankCollectives& participant) {
  return SayPlace(facts, participant.rank, participant.device);
}

std::string Capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::vector<Column> ParticipantKeys() {
  return {KeyColumn("rank", "rank"), KeyColumn("device", "device")};
}

std::vector<Cell> ParticipantCells(const RankCollectives& participant) {
  return {participant.rank, When(participant.device >= 0, participant.device)};
}

std::string SayDevice(const DeviceFacts& device) {
  const bool several = device.rank->devices.size() > 1;
  std::string text;
  if (!several || !device.one_rank) text = fmt::format("rank {}", device.rank->rank);
  if (several) text += fmt::format("{}device {}", text.empty() ? "" : " ", device.device);
  if (device.rank->window > 0) text += fmt::format(" window {}", device.rank->window);
  return text;
}

}  // namespace stepscope
