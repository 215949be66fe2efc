// Joins the snapshots of continuous profiling.
#include "session/snapshots.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/intervals.h"
#include "facts/derived/steps/step_categories.h"
#include "ingest/rank_name.h"
#include "report/humanize.h"
#include "session/job_of_files.h"
#include "trace/notes.h"

namespace stepscope {
namespace {

bool OfOneProcess(const LoadedFile& a, const LoadedFile& b) {
  const std::string process = ProcessOfSnapshot(a.info.path);
  return !process.empty() && process == ProcessOfSnapshot(b.info.path);
}

// ns that nobody recorded between two windows, on the host or a device.
int64_t Between(const LoadedFile& previous, const LoadedFile& next) {
  const auto before = WholeRecording(previous.rank), after = WholeRecording(next.rank);
  return before && after ? std::max<int64_t>(0, after->start - before->end) : 0;
}

constexpr int64_t kMostSteps = int64_t{1} << 40;  // numbers beyond are no counts

// The first and the last number of the steps of these files; first > last: there are none.
std::pair<int64_t, int64_t> NumbersOf(const std::vector<LoadedFile*>& window) {
  std::pair<int64_t, int64_t> numbers{kMostSteps, -1};
  for (const LoadedFile* file : window) {
    for (const Step& step : file->rank.steps) {
      numbers.first = std::min(numbers.first, step.number);
      numbers.second = std::max(numbers.second, step.number);
    }
  }
  return numbers;
}

}  // namespace

void NumberStepsOn(std::vector<LoadedFile>& files) {
  std::map<int64_t, std::vector<LoadedFile*>> windows;
  for (LoadedFile& file : files) {
    const int64_t number = NumberOfSnapshot(file.info.path);
    if (file.used && number >= 0) windows[number].push_back(&file);
  }
  int64_t last = -1;
  for (const auto& [number, window] : windows) {
    const auto [own_first, own_last] = NumbersOf(window);
    if (own_first > own_last) continue;
    if (own_first < 0 || own_last >= kMostSteps) return;
    const int64_t shift = own_first <= last ? last + 1 - own_first : 0;
    for (LoadedFile* file : window) {
      for (Step& step : file->rank.steps) step.number += shift;
    }
    last = own_last + shift;
  }
}

bool RepeatsSnapshot(const LoadedFile& previous, const LoadedFile& next) {
  if (!OfOneProcess(previous, next)) return false;
  const auto before = CoreOf(previous.rank), own = CoreOf(next.rank);
  return before && own && own->start < before->end;
}

namespace {

// "; host_9012 lacks window 2": the first of those that other processes have; empty: all have all.
Phrase SayLacking(const std::vector<LoadedFile>& files) {
  std::set<int64_t> all;
  std::map<std::string, std::set<int64_t>> processes;
  for (const LoadedFile& file : files) {
    const int64_t number = NumberOfSnapshot(file.info.path);
    if (!file.used || number < 0) continue;
    all.insert(number);
    processes[ProcessOfSnapshot(file.info.path)].insert(number);
  }
  for (const auto& [process, own] : processes) {
    const auto lacking =
        std::ranges::find_if(all, [&](int64_t number) { return !own.contains(number); });
    if (lacking == all.end()) continue;
    return Say("; {process} lacks window {number}",
               Phrase::Name(process.substr(process.rfind('/') + 1)), *lacking);
  }
  return {};
}

}  // namespace

void NoteSnapshots(const std::vector<LoadedFile>& files, RunInfo& info) {
  int64_t joined = 0, most = 0;
  const LoadedFile* previous = nullptr;
  for (const LoadedFile& file : files) {
    if (!file.used || ProcessOfSnapshot(file.info.path).empty()) continue;
    ++joined;
    if (previous != nullptr && OfOneProcess(*previous, file))
      most = std::max(most, Between(*previous, file));
    previous = &file;
  }
  if (joined < 2) return;
  Notes notes;
  notes.Add(
      NoteKind::kSnapshots, joined,
      Say("at most {time} between two", HumanTime(static_cast<double>(most))) + SayLacking(files));
  std::ranges::move(notes.List(), std::back_inserter(info.notes));
}

}  // namespace stepscope
