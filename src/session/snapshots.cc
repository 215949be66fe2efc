// Joins the snapshots of continuous profiling.
#include "session/snapshots.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "base/intervals.h"
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

// ns that nobody recorded between two windows.
int64_t Between(const LoadedFile& previous, const LoadedFile& next) {
  if (previous.rank.activities.empty() || next.rank.activities.empty()) return 0;
  return std::max<int64_t>(
      0, next.rank.activities.front().start - previous.rank.activities.back().end);
}

}  // namespace

bool RepeatsSnapshot(const LoadedFile& previous, const LoadedFile& next) {
  if (!OfOneProcess(previous, next)) return false;
  const auto before = CoreOf(previous.rank), own = CoreOf(next.rank);
  return before && own && own->start < before->end;
}

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
  notes.Add(NoteKind::kSnapshots, joined,
            Say("at most {time} between two", HumanTime(static_cast<double>(most))));
  std::ranges::move(notes.List(), std::back_inserter(info.notes));
}

}  // namespace stepscope
