// Compares the recordings of a run.
#include "session/job_of_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "report/humanize.h"
#include "trace/notes.h"

namespace stepscope {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

constexpr int64_t kFarApart = 60'000'000'000;  // ns between recordings of one job, at least

// "a.json and b.json", "a.json and 6 others".
Phrase SayFiles(const std::vector<const FileOfJob*>& files) {
  std::string first = NameOf(*files.front());
  if (files.size() == 1) return first;
  if (files.size() == 2) return Say("{file} and {other}", first, NameOf(*files.back()));
  return Say("{file} and {count} others", first, files.size() - 1);
}

bool Holds(const Groups& groups, const std::vector<int64_t>& group) {
  return std::ranges::find(groups, group) != groups.end();
}

// Whether `own` has a group with rank `other` that the groups of that rank lack.
bool Misses(const Groups& own, int64_t other, const Groups& others) {
  return std::ranges::any_of(own, [&](const std::vector<int64_t>& group) {
    return std::ranges::find(group, other) != group.end() && !Holds(others, group);
  });
}

// A group may be made between two recordings: each must have one that the other one lacks.
bool Contradict(const RankActivity& a, const RankActivity& b) {
  const Groups &x = a.group_members, &y = b.group_members;
  return !x.empty() && !y.empty() && Misses(x, b.rank, y) && Misses(y, a.rank, x);
}

// From the first activity to the one that began last.
std::optional<Interval> SpanOf(const RankActivity& rank) {
  if (rank.activities.empty()) return std::nullopt;
  return Interval{rank.activities.front().start, rank.activities.back().end};
}

// ns between the nearest recordings of two ranks; 0 where some overlap.
int64_t Between(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  int64_t least = INT64_MAX;
  for (const Interval& x : a) {
    for (const Interval& y : b)
      least = std::min(least, std::max<int64_t>({0, x.start - y.end, y.start - x.end}));
  }
  return least;
}

struct RecordedRank {
  const FileOfJob* file = nullptr;  // the first
  std::vector<Interval> times;
};

std::filesystem::path FolderOfFile(const FileOfJob& file) {
  return std::filesystem::path(file.path).lexically_normal().parent_path();
}

// Whether two recordings of one rank number may be of two ranks.
bool MayBeTwoRanks(const FileOfJob& a, const FileOfJob& b) {
  const std::string &x = a.recording->machine, &y = b.recording->machine;
  return !(a.tells_rank && b.tells_rank) && !x.empty() && !y.empty() && x != y;
}

// The folders of the runs: above folders of the same name, such as those of ranks.
Error TwoRuns(const FileOfJob& first, const FileOfJob& second) {
  std::filesystem::path a = FolderOfFile(first), b = FolderOfFile(second);
  while (!a.empty() && a.has_parent_path() && b.has_parent_path() && a.filename() == b.filename()) {
    a = a.parent_path();
    b = b.parent_path();
  }
  const auto name = [](const std::filesystem::path& p) { return p.empty() ? "." : p.string(); };
  return {.what = fmt::format("rank {} is in both {} and {} at the same time: these are two runs, "
                              "or one run twice",
                              first.recording->rank, name(a), name(b)),
          .hint = "compare them (stepscope compare A B), or give one of them"};
}

// The recordings of one process of each rank.
struct Start {
  int64_t begin = 0;  // ns
  std::vector<const FileOfJob*> files;
};

// "a_rank0.json and a_rank1.json, b_rank0.json and b_rank1.json (24.0 s later)".
Error SeveralStarts(std::span<const Start> starts) {
  Error error{.what =
                  "most ranks were recorded in several processes: these are starts of a job "
                  "that followed each other, or different jobs"};
  const char* separator = ": ";
  for (const Start& start : starts) {
    error.what += separator + std::string(SayFiles(start.files));
    const int64_t later = start.begin - starts.front().begin;
    if (later > 0) error.what += fmt::format(" ({} later)", HumanTime(static_cast<double>(later)));
    separator = "; ";
  }
  error.hint =
      "give the files of one, move them to a directory of their own, or compare them (stepscope "
      "compare A B)";
  return error;
}

void NoteGroups(std::span<const FileOfJob> files, Notes& notes) {
  const auto differs = [&](const FileOfJob& file) {
    return Contradict(*files.front().recording, *file.recording);
  };
  const auto at = std::ranges::find_if(files, differs);
  if (at == files.end()) return;
  notes.Add(NoteKind::kOtherGroups, std::ranges::count_if(files, differs),
            Say("{file} has others than {first}", NameOf(*at), NameOf(files.front())));
}

// Clocks of different machines tell nothing.
void NoteTimes(std::span<const FileOfJob> files, Notes& notes) {
  std::map<std::string, std::map<int64_t, RecordedRank>> machines;
  for (const FileOfJob& file : files) {
    const auto time = SpanOf(*file.recording);
    if (file.recording->machine.empty() || !time) continue;
    RecordedRank& rank = machines[file.recording->machine][file.recording->rank];
    if (rank.file == nullptr) rank.file = &file;
    rank.times.push_back(*time);
  }
  for (const auto& [machine, ranks] : machines) {
    const RecordedRank& first = ranks.begin()->second;
    for (const auto& [number, rank] : ranks) {
      const int64_t apart = &rank == &first ? 0 : Between(first.times, rank.times);
      if (apart < kFarApart) continue;
      notes.Add(NoteKind::kOtherTimes, 1,
                Say("{first} and {file} are {time} apart", NameOf(*first.file), NameOf(*rank.file),
                    HumanTime(static_cast<double>(apart))));
    }
  }
}

// A rank's later recording has the numbers of steps that an earlier one had: two starts of a job in
// containers, whose processes have one number, or two profilers in one process.
void NoteSteps(std::span<const FileOfJob> files, Notes& notes) {
  std::map<int64_t, std::vector<const FileOfJob*>> ranks;
  for (const FileOfJob& file : files) {
    if (!file.recording->steps.empty()) ranks[file.recording->rank].push_back(&file);
  }
  for (auto& [rank, recordings] : ranks) {
    const auto begin = [](const FileOfJob* file) { return file->recording->steps.front().start; };
    std::ranges::stable_sort(recordings, {}, begin);
    for (size_t i = 1; i < recordings.size(); ++i) {
      const FileOfJob &earlier = *recordings[i - 1], &later = *recordings[i];
      const Step &last = earlier.recording->steps.back(), &next = later.recording->steps.front();
      if (next.start < last.end || next.number > last.number) continue;
      notes.Add(NoteKind::kStepsAgain, 1,
                Say("{later} begins with step {next}, {earlier} ended with step {last}",
                    NameOf(later), next.number, NameOf(earlier), last.number));
    }
  }
}

void NoteMissingRanks(std::span<const FileOfJob> files, Notes& notes) {
  int64_t world_size = 0;
  std::set<int64_t> recorded;
  for (const FileOfJob& file : files) {
    world_size = std::max(world_size, file.world_size.value_or(0));
    recorded.insert(file.recording->rank);
  }
  // Where no trace tells how many there are, some may lack between the first and the last.
  const int64_t first = *recorded.begin(), last = *recorded.rbegin();
  const bool told = world_size > 0;
  const int64_t missing = (told ? world_size : last - first + 1) - std::ssize(recorded);
  if (missing <= 0) return;
  notes.Add(
      NoteKind::kMissingRanks, missing,
      told ? Say("its world size is {ranks}", world_size)
           : Say("those recorded are {ranks} of {first} to {last}", recorded.size(), first, last));
}

}  // namespace

std::string NameOf(const FileOfJob& file) {
  return std::filesystem::path(file.path).filename().string();
}

std::optional<Interval> CoreOf(const RankActivity& rank) {
  constexpr size_t kTrimmed = 100;
  const size_t count = rank.activities.size();
  if (count == 0) return std::nullopt;
  return Interval{rank.activities[count / kTrimmed].start,
                  rank.activities[count - 1 - count / kTrimmed].start};
}

Result<void> CheckSameWorld(std::span<const FileOfJob> files) {
  std::map<int64_t, std::vector<const FileOfJob*>> worlds;
  for (const FileOfJob& file : files) {
    if (file.world_size) worlds[*file.world_size].push_back(&file);
  }
  if (worlds.size() < 2) return {};
  Error error{.what = "these traces are of different jobs"};
  const char* separator = ": ";
  for (const auto& [size, of_world] : worlds) {
    error.what += fmt::format("{}{} of {}", separator, SayFiles(of_world),
                              Plural(static_cast<size_t>(size), "rank"));
    separator = ", ";
  }
  error.hint = "give the traces of one job: its files, or a directory of its own";
  return std::unexpected(std::move(error));
}

Result<void> CheckOneRun(std::span<const FileOfJob> files) {
  std::map<int64_t, std::vector<std::pair<Interval, const FileOfJob*>>> ranks;
  for (const FileOfJob& file : files) {
    if (const auto time = CoreOf(*file.recording))
      ranks[file.recording->rank].emplace_back(*time, &file);
  }
  for (auto& [rank, recordings] : ranks) {
    std::ranges::stable_sort(recordings, {}, [](const auto& r) { return r.first.start; });
    // If any two of other folders overlap, so do two of which the first ended last so far.
    const auto* latest = &recordings.front();
    for (const auto& recording : recordings) {
      const FileOfJob &a = *latest->second, &b = *recording.second;
      const bool overlap = recording.first.start < latest->first.end;
      if (overlap && FolderOfFile(a) != FolderOfFile(b) && !MayBeTwoRanks(a, b))
        return std::unexpected(&a < &b ? TwoRuns(a, b) : TwoRuns(b, a));
      if (recording.first.end > latest->first.end) latest = &recording;
    }
  }
  return {};
}

Result<void> CheckOneStart(std::span<const FileOfJob> files) {
  // By rank, its recordings by when they began.
  std::map<int64_t, std::vector<std::pair<int64_t, const FileOfJob*>>> ranks;
  for (const FileOfJob& file : files) {
    const auto time = CoreOf(*file.recording);
    if (time && !file.process.empty() && file.tells_rank)
      ranks[file.recording->rank].emplace_back(time->start, &file);
  }
  std::vector<Start> starts;
  int64_t several = 0;
  for (auto& [rank, recordings] : ranks) {
    std::ranges::stable_sort(recordings, {}, [](const auto& r) { return r.first; });
    std::vector<std::string> processes;
    for (const auto& [begin, file] : recordings) {
      const auto at = std::ranges::find(processes, file->process);
      const auto number = static_cast<size_t>(at - processes.begin());
      if (at == processes.end()) processes.push_back(file->process);
      if (number == starts.size()) starts.push_back({.begin = begin});
      starts[number].files.push_back(file);
      starts[number].begin = std::min(starts[number].begin, begin);
    }
    several += processes.size() > 1;
  }
  if (2 * several <= std::ssize(ranks)) return {};
  return std::unexpected(SeveralStarts(starts));
}

void NoteJob(std::span<const FileOfJob> files, RunInfo& info) {
  if (files.empty()) return;
  Notes notes;
  NoteMissingRanks(files, notes);
  NoteGroups(files, notes);
  NoteTimes(files, notes);
  NoteSteps(files, notes);
  std::ranges::move(notes.List(), std::back_inserter(info.notes));
}

}  // namespace stepscope
