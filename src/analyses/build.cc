// Builds the columns, statuses and sentences that several reports share.
#include "analyses/build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "analyses/kinds.h"
#include "facts/derived/collectives/missing_communication.h"
#include "facts/derived/modules/modules.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"
#include "report/kernel_name.h"

namespace stepscope {

std::vector<Column> DeviceKeys() {
  return {KeyColumn("rank", "rank"), KeyColumn("window", "window"), KeyColumn("device", "device")};
}

std::vector<Cell> DeviceCells(const DeviceFacts& device) {
  return {device.rank->rank, device.rank->window, device.device};
}

std::string_view TitleOf(StepCategory category, const Facts& facts) {
  constexpr std::string_view kDevice = "device ";
  const std::string_view name = StepCategoryName(category);
  const bool strip = facts.OnHost() && (category == StepCategory::kDeviceCompute ||
                                        category == StepCategory::kDeviceCollectives);
  return strip ? name.substr(kDevice.size()) : name;
}

std::string_view SayCategory(StepCategory category, const Facts& facts) {
  if (category != StepCategory::kOther) return TitleOf(category, facts);
  return RecordedPython(facts) ? "Python between operators" : "unrecorded time";
}

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Cell MemoryDeviceCell(int64_t device) { return device < 0 ? Cell("host") : Cell(device); }

std::string CategoryKey(StepCategory category) {
  std::string key(StepCategoryName(category));
  std::ranges::replace(key, ' ', '_');
  return key;
}

void AddCategoryColumns(Table& table, const Facts& facts) {
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    table.columns.push_back(
        TimeColumn(CategoryKey(category), std::string(TitleOf(category, facts))));
    table.columns.back().kind = KindOf(category);
  }
}

Table PathTable(std::string title, std::string what, std::vector<PathRow> paths) {
  Table table{.key = "tree",
              .title = std::move(title),
              .columns = {KeyColumn("path", "path"), KeyColumn("name", std::move(what)),
                          KeyColumn("depth", "depth", Unit::kCount), CountColumn("count", "calls"),
                          TimeColumn("total", "total"), TimeColumn("self", "self"),
                          TimeColumn("device_time", "device time")},
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
  const StepBreakdown sum = SumOf(RankStepsOf(facts));
  CauseKind most = CauseKind::kNone;
  int64_t longest = 0;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    const int64_t time = TimeOf(sum, category);
    const bool is_once = category == StepCategory::kOneTime;  // no finding about idle time has it
    if (CauseOf(category) == CauseKind::kNone || is_once || time <= longest) continue;
    longest = time;
    most = CauseOf(category);
  }
  return most;
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

std::string SayRanks(std::span<const int64_t> ranks) {
  constexpr size_t kMostNamed = 6;
  const size_t count = ranks.size();
  if (count == 1) return fmt::format("rank {}", ranks.front());
  const bool in_a_row = ranks.back() - ranks.front() + 1 == std::ssize(ranks);
  if (in_a_row && count > 2) return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  if (count > kMostNamed)
    return fmt::format("{} ranks ({} to {})", count, ranks.front(), ranks.back());
  return fmt::format("ranks {} and {}", fmt::join(ranks.first(count - 1), ", "), ranks.back());
}

std::string NoCommunication(const Facts& facts) {
  const MissingCommunication& missing = MissingCommunicationOf(facts);
  if (missing.world_size == 0) return "no communication kernel was recorded";
  std::string text = fmt::format(
      "communication not recognized: the job has {}{} ranks, and no kernel's name is known as "
      "communication",
      missing.size_told ? "" : "at least ", missing.world_size);
  constexpr size_t kNamed = 3;
  const auto& all = missing.candidates;
  for (const CommunicationCandidate& candidate :
       std::span(all).first(std::min(all.size(), kNamed))) {
    text += &candidate == all.data() ? "; candidates, on a stream of their own: " : ", ";
    text += fmt::format("{} ({})", ShortName((*facts.names)[candidate.name]),
                        HumanTime(static_cast<double>(candidate.time)));
  }
  return text;
}

namespace {

std::string In(const std::string& place) { return place.empty() ? "" : " in " + place; }

}  // namespace

std::string InModule(const Facts& facts, StringId activity) {
  const Modules& modules = ModulesOf(facts);
  return In(modules.PlaceOf(activity, modules.activities));
}

std::string OperatorInModule(const Facts& facts, StringId op) {
  const Modules& modules = ModulesOf(facts);
  return In(modules.PlaceOf(op, modules.operators));
}

std::string SayMost(const Facts& facts, std::vector<std::pair<StringId, int64_t>> amounts) {
  constexpr size_t kNamed = 3;
  std::ranges::sort(amounts, [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return (*facts.names)[a.first] < (*facts.names)[b.first];
  });
  std::vector<std::string> most, places;
  for (const auto& [name, amount] : amounts) {
    if (most.size() == kNamed) break;
    std::string text = ShortName((*facts.names)[name]);
    if (std::ranges::find(most, text) != most.end()) continue;
    places.push_back(text + InModule(facts, name));
    most.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

// "lock.acquire" of "_thread.lock.acquire".
std::string SayWithin(const FrameName& name) {
  if (!name.file.empty())
    return fmt::format("{} of {}", name.function,
                       name.file.substr(name.file.find_last_of("/\\") + 1));
  const size_t last = name.function.rfind('.');
  const size_t before = last == 0 || last == std::string::npos ? std::string::npos
                                                               : name.function.rfind('.', last - 1);
  return before == std::string::npos ? name.function : name.function.substr(before + 1);
}

namespace {

// " (all on ranks 1 and 3)", where other ranks spend hardly any time in it.
std::string OnRanks(const FrameTimes::Leader& leader) {
  return leader.ranks.empty() ? "" : fmt::format(" (all on {})", SayRanks(leader.ranks));
}

}  // namespace

std::string SayLeader(const FrameTimes::Leader& leader) {
  std::string label = LabelOf(leader.name), more;
  if (!leader.within.function.empty()) more = "in " + SayWithin(leader.within);
  if (!leader.caller.function.empty()) {
    const bool same_file = leader.caller.file == leader.name.file;
    more += fmt::format("{}called by {}", more.empty() ? "" : ", ",
                        same_file ? leader.caller.function : SayWithin(leader.caller));
  }
  if (more.empty()) return label;
  const bool in_parentheses = label.ends_with(')') && !leader.name.file.empty();
  if (in_parentheses) label.pop_back();
  return fmt::format("{}{}{})", label, in_parentheses ? ", " : " (", more);
}

std::string LargestFrame(const FrameTimes& times, double share) {
  const auto leaders = times.Leaders(1, share);
  return leaders.empty() ? std::string() : SayLeader(leaders.front()) + OnRanks(leaders.front());
}

std::string SayPython(const FrameTimes& times, int64_t parts) {
  constexpr size_t kNamed = 2;
  std::string text;
  for (const FrameTimes::Leader& leader : times.Leaders(kNamed)) {
    text += text.empty() ? "; Python meanwhile: " : ", ";
    text += SayLeader(leader) + " " +
            HumanTime(static_cast<double>(leader.time) /
                      static_cast<double>(std::max<int64_t>(parts, 1))) +
            OnRanks(leader);
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
