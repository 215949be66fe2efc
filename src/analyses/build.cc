// Builds the columns, statuses and sentences that several reports share.
#include "analyses/build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "analyses/kinds.h"
#include "base/saturate.h"
#include "facts/derived/collectives/missing_communication.h"
#include "facts/derived/modules/modules.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_coverage.h"
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
  const bool strip = (category == StepCategory::kDeviceCompute && facts.OnHost()) ||
                     (category == StepCategory::kDeviceCollectives && facts.HostCommunicates());
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
    table.columns.push_back(TimeColumn(CategoryKey(category), TitleOf(category, facts)));
    table.columns.back().kind = KindOf(category);
  }
}

Table PathTable(Phrase title, Phrase what, std::vector<PathRow> paths) {
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

Extent ExtentOfSteps(const Facts& facts) {
  const Extent all{.recordings = facts.RecordingsOfARank()};
  const auto coverage = CoverageOfSteps(facts.ranks);
  if (!coverage || *coverage >= kMostIsSteps) return all;
  const StepBreakdown sum = SumOf(RankStepsOf(facts));
  double steps = 0;
  for (const RankSteps& rank : RankStepsOf(facts)) steps += static_cast<double>(rank.steps.size());
  const auto count =
      static_cast<double>(std::max<size_t>(RankNumbersOf(RankStepsOf(facts)).size(), 1));
  return {ToInt64(static_cast<double>(sum.Total()) / count), steps / count};
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

void MakeUnavailable(Report& report, Phrase why) {
  report.status = Status::kUnavailable;
  report.why = std::move(why);
}

Phrase SayMissingKernels(const Facts& facts) {
  const auto& [calls, without, captured] = facts.launches;
  return Say("{share} of launches have no recorded kernel ({count} of {total})",
             HumanRatio(static_cast<double>(without) / static_cast<double>(calls)),
             HumanCount(without), HumanCount(calls));
}

Phrase SayRanks(std::span<const int64_t> ranks) {
  constexpr size_t kMostNamed = 6;
  const size_t count = ranks.size();
  if (count == 1) return Say("rank {rank}", ranks.front());
  const bool in_a_row = ranks.back() - ranks.front() + 1 == std::ssize(ranks);
  if (in_a_row && count > 2) return Say("ranks {first} to {last}", ranks.front(), ranks.back());
  if (count > kMostNamed)
    return Say("{count} ranks ({first} to {last})", count, ranks.front(), ranks.back());
  return Say("ranks {ranks} and {last}", fmt::format("{}", fmt::join(ranks.first(count - 1), ", ")),
             ranks.back());
}

Phrase NoCommunication(const Facts& facts) {
  const MissingCommunication& missing = MissingCommunicationOf(facts);
  if (missing.world_size == 0) return "no communication kernel was recorded";
  Phrase text = missing.size_told
                    ? Say("communication not recognized: the job has {count} ranks, and no "
                          "kernel's name is known as communication",
                          missing.world_size)
                    : Say("communication not recognized: the job has at least {count} ranks, and "
                          "no kernel's name is known as communication",
                          missing.world_size);
  constexpr size_t kNamed = 3;
  const auto& all = missing.candidates;
  for (const CommunicationCandidate& candidate :
       std::span(all).first(std::min(all.size(), kNamed))) {
    text += &candidate == all.data() ? "; candidates, on a stream of their own: " : ", ";
    text += Say("{kernel} ({time})", ShortNameOf(facts, candidate.name),
                HumanTime(static_cast<double>(candidate.time)));
  }
  return text;
}

namespace {

Phrase In(const std::string& place) {
  return place.empty() ? Phrase() : Say(" in {module}", Phrase::Name(place));
}

}  // namespace

Phrase InModule(const Facts& facts, StringId activity) {
  const Modules& modules = ModulesOf(facts);
  return In(modules.PlaceOf(activity, modules.activities));
}

Phrase OperatorInModule(const Facts& facts, StringId op) {
  const Modules& modules = ModulesOf(facts);
  return In(modules.PlaceOf(op, modules.operators));
}

Phrase SayMost(const Facts& facts, std::vector<std::pair<StringId, int64_t>> amounts) {
  constexpr size_t kNamed = 3;
  std::ranges::sort(amounts, [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return (*facts.names)[a.first] < (*facts.names)[b.first];
  });
  std::vector<std::string> most;
  Phrase places;
  for (const auto& [name, amount] : amounts) {
    if (most.size() == kNamed) break;
    std::string text = ShortName((*facts.names)[name]);
    if (std::ranges::find(most, text) != most.end()) continue;
    if (!most.empty()) places += ", ";
    places += Phrase::Name(text) + InModule(facts, name);
    most.push_back(std::move(text));
  }
  return places;
}

// "lock.acquire" of "_thread.lock.acquire".
Phrase SayWithin(const FrameName& name) {
  if (!name.file.empty())
    return Say("{function} of {file}", Phrase::Name(name.function),
               Phrase::Name(name.file.substr(name.file.find_last_of("/\\") + 1)));
  const size_t last = name.function.rfind('.');
  const size_t before = last == 0 || last == std::string::npos ? std::string::npos
                                                               : name.function.rfind('.', last - 1);
  return Phrase::Name(before == std::string::npos ? name.function
                                                  : name.function.substr(before + 1));
}

namespace {

// " (all on ranks 1 and 3)", where other ranks spend hardly any time in it.
Phrase OnRanks(const FrameTimes::Leader& leader) {
  return leader.ranks.empty() ? Phrase() : Say(" (all on {ranks})", SayRanks(leader.ranks));
}

}  // namespace

Phrase SayLeader(const FrameTimes::Leader& leader) {
  std::string label = LabelOf(leader.name);
  Phrase more;
  if (!leader.within.function.empty()) more = Say("in {function}", SayWithin(leader.within));
  if (!leader.caller.function.empty()) {
    const bool same_file = leader.caller.file == leader.name.file;
    if (!more.empty()) more += ", ";
    more += Say("called by {function}",
                same_file ? Phrase::Name(leader.caller.function) : SayWithin(leader.caller));
  }
  if (more.empty()) return Phrase::Name(std::move(label));
  const size_t place =
      leader.name.file.empty() || !label.ends_with(')') ? label.npos : label.rfind(" (");
  if (place == label.npos) return Phrase::Name(std::move(label)) + " (" + more + ")";
  std::string file = label.substr(place + 2, label.size() - place - 3);
  label.resize(place);
  return Phrase::Name(std::move(label)) + " (" + Phrase::Name(std::move(file)) + ", " + more + ")";
}

Phrase LargestFrame(const FrameTimes& times, double share) {
  const auto leaders = times.Leaders(1, share);
  return leaders.empty() ? Phrase() : SayLeader(leaders.front()) + OnRanks(leaders.front());
}

Phrase SayPython(const FrameTimes& times, int64_t parts) {
  constexpr size_t kNamed = 2;
  Phrase text;
  for (const FrameTimes::Leader& leader : times.Leaders(kNamed)) {
    text += text.empty() ? "; Python meanwhile: " : ", ";
    text += SayLeader(leader) + " " +
            HumanTime(static_cast<double>(leader.time) /
                      static_cast<double>(std::max<int64_t>(parts, 1))) +
            OnRanks(leader);
  }
  return text;
}

Phrase SayPythonWhileIdle(const Facts& facts, int64_t rank, std::optional<int64_t> since) {
  int64_t steps = 0;
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != rank) continue;
    steps += std::ranges::count_if(
        own.steps, [&](const Step& step) { return !since || step.number >= *since; });
  }
  return SayPython(PythonWhileIdle(facts, rank, since), steps);
}

Phrase ShortNameOf(const Facts& facts, StringId name) {
  return Phrase::Name(ShortName((*facts.names)[name]));
}

Phrase OperatorNameOf(const Facts& facts, StringId name) {
  return Phrase::Name(std::string(OperatorLabel((*facts.names)[name])));
}

std::string_view ParticipantNoun(const Facts& facts) {
  return facts.collectives.HasDevices() ? "device" : "rank";
}

std::string_view DeviceNoun(const Facts& facts) {
  std::set<int64_t> ranks;
  for (const DeviceFacts& device : facts.devices) ranks.insert(device.rank->rank);
  return facts.OnHost() && ranks.size() == facts.devices.size() ? "rank" : "device";
}

bool HasOneRank(const Facts& facts) { return facts.ranks.front().rank == facts.ranks.back().rank; }

std::set<int64_t> RankNumbersOf(const std::vector<RankSteps>& ranks) {
  std::set<int64_t> numbers;
  for (const RankSteps& own : ranks) numbers.insert(own.rank->rank);
  return numbers;
}

bool AllAreRecorded(const Facts& facts) {
  std::set<int64_t> recorded;
  int64_t all = 0;
  for (const RankActivity& rank : facts.ranks) {
    recorded.insert(rank.rank);
    all = std::max(all, rank.world_size);
  }
  return std::ssize(recorded) >= all && facts.left_out.empty();
}

Phrase SayPlace(const Facts& facts, int64_t rank, int64_t device) {
  if (device < 0) return Say("rank {rank}", rank);
  return HasOneRank(facts) ? Say("device {device}", device)
                           : Say("rank {rank} device {device}", rank, device);
}

Phrase SayParticipant(const Facts& facts, const RankCollectives& participant) {
  return SayPlace(facts, participant.rank, participant.device);
}

std::vector<Column> ParticipantKeys() {
  return {KeyColumn("rank", "rank"), KeyColumn("device", "device")};
}

std::vector<Cell> ParticipantCells(const RankCollectives& participant) {
  return {participant.rank, When(participant.device >= 0, participant.device)};
}

Phrase SayDevice(const DeviceFacts& device) {
  const bool several = device.rank->devices.size() > 1;
  Phrase text;
  if (!several || !device.one_rank) text = Say("rank {rank}", device.rank->rank);
  if (several) text += (text.empty() ? "" : " ") + Say("device {device}", device.device);
  if (device.rank->window > 0) text += Say(" window {window}", device.rank->window);
  return text;
}

}  // namespace stepscope
