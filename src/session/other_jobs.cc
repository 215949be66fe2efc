// Implements what tells jobs apart by makers, times and profilers.
#include "session/other_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/clock_base.h"

namespace stepscope {
namespace {

// Files by what they have in common.
using Groups = std::map<std::string, std::set<std::string>>;

constexpr size_t kNamed = 3;  // files of a group

bool HasDevice(const RankActivity& rank) { return !rank.activities.empty() && !rank.on_host; }

std::string MakerByName(std::string_view device) {
  struct Maker {
    std::string_view part, maker;
  };
  constexpr auto kMakers = std::to_array<Maker>({{"NVIDIA", "NVIDIA"},
                                                 {"Tesla", "NVIDIA"},
                                                 {"GeForce", "NVIDIA"},
                                                 {"AMD", "AMD"},
                                                 {"Instinct", "AMD"},
                                                 {"Radeon", "AMD"},
                                                 {"TPU", "Google"},
                                                 {"Ascend", "Huawei"},
                                                 {"Intel", "Intel"}});
  const auto* at =
      std::ranges::find_if(kMakers, [&](const Maker& m) { return device.contains(m.part); });
  return at == kMakers.end() ? "" : std::string(at->maker);
}

// Who made the recording's devices; empty: unknown, or it has none.
std::string MakerOf(const RankActivity& rank) {
  if (!HasDevice(rank)) return "";
  if (rank.recorded_by == RecordedBy::kNsight) return "NVIDIA";
  if (rank.recorded_by == RecordedBy::kRocprof) return "AMD";
  if (rank.recorded_by == RecordedBy::kAscend) return "Huawei";
  return MakerByName(rank.device_name);
}

std::string ProfilerOf(const RankActivity& rank) {
  switch (rank.recorded_by) {
    case RecordedBy::kNsight:
      return "Nsight Systems";
    case RecordedBy::kRocprof:
      return "rocprofv3";
    case RecordedBy::kAscend:
      return "Ascend";
    case RecordedBy::kFramework:
      return std::string(FrameworkName(rank.framework));
  }
  return "";
}

// "NVIDIA: a.json, b.sqlite; AMD: c.json".
std::string List(const Groups& groups) {
  std::string text;
  for (const auto& [what, files] : groups) {
    text += text.empty() ? "" : "; ";
    text += what;
    size_t named = 0;
    for (const std::string& file : files) {
      if (named == kNamed) break;
      text += (named++ == 0 ? ": " : ", ") + file;
    }
    if (files.size() > named) text += fmt::format(" and {} others", files.size() - named);
  }
  return text;
}

Error DifferentJobs(std::string_view why, const std::string& list) {
  return {.what = fmt::format("these traces are of different jobs: {}: {}", why, list),
          .hint = "give the files of one job: stepscope analyze FILE..."};
}

Result<void> CheckMakers(std::span<const FileOfJob> files) {
  Groups makers;
  for (const FileOfJob& file : files) {
    const std::string maker = MakerOf(*file.recording);
    if (!maker.empty()) makers[maker].insert(NameOf(file));
  }
  if (makers.size() < 2) return {};
  return std::unexpected(DifferentJobs("their devices are of different makers", List(makers)));
}

// "2023-09-07", in UTC, of ns since 1970.
std::string DateOf(int64_t time) {
  using namespace std::chrono;
  const year_month_day day(floor<days>(sys_time<nanoseconds>(nanoseconds(time))));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

// Of recordings whose clock counts from 1970: others count from the start of their machine.
Result<void> CheckTimes(std::span<const FileOfJob> files) {
  constexpr int64_t kTwoMonths = int64_t{60} * 24 * 3600 * 1'000'000'000;
  std::vector<std::pair<int64_t, const FileOfJob*>> times;
  for (const FileOfJob& file : files) {
    if (const auto core = CoreOf(*file.recording); core && core->start > kEarliestOnClock)
      times.emplace_back(core->start, &file);
  }
  std::ranges::sort(times, {}, [](const auto& t) { return t.first; });
  Groups groups;
  std::string begun;
  std::set<std::string> processes;  // of the group at hand
  for (size_t i = 0; i < times.size(); ++i) {
    const auto& [start, file] = times[i];
    const bool apart = i > 0 && start - times[i - 1].first > kTwoMonths;
    // One process may have been recorded twice, however long it ran.
    const bool same = !file->process.empty() && processes.contains(file->process);
    if (i == 0 || (apart && !same)) {
      begun = DateOf(start);
      processes.clear();
    }
    processes.insert(file->process);
    groups[begun].insert(NameOf(*file));
  }
  if (groups.size() < 2) return {};
  return std::unexpected(DifferentJobs("they were recorded months apart", List(groups)));
}

}  // namespace

Result<void> CheckOneJob(std::span<const FileOfJob> files) {
  if (auto checked = CheckMakers(files); !checked) return checked;
  return CheckTimes(files);
}

void NoteProfilers(std::span<const FileOfJob> files, RunInfo& info) {
  Groups profilers;
  for (const FileOfJob& file : files) profilers[ProfilerOf(*file.recording)].insert(NameOf(file));
  if (profilers.size() < 2) return;
  info.notes.push_back(
      {.name = "several_profilers",
       .count = static_cast<int64_t>(profilers.size()),
       .message = Say("recordings of different profilers were taken as one job, as nothing shows "
                      "otherwise: {files}",
                      List(profilers)),
       .where = ""});
}

}  // namespace stepscope
