// Keeps the current state of all jobs in a directory of segments.
//
// A poll reads what recorders added since the previous one and accounts for it. The cost of an
// event does not depend on the length of the job, and that of a poll only on the files being
// written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/open_files.h"
#include "base/time_units.h"
#include "goodput/accounting/accounting.h"
#include "goodput/accounting/jobs.h"
#include "goodput/events/notes.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct LiveWindow {
  std::string_view name;
  int64_t size;  // ns
};
inline constexpr LiveWindow kLiveWindows[] = {{"5m", 5 * kMinute}, {"1h", kHour}, {"24h", kDay}};

class LiveJob {
 public:
  // Events more than an hour after `now` come from a wrong clock and are skipped.
  void Add(const Event& event, int64_t now);

  // Goodput of the last `window` ns before `now`; absent if the job did not exist then.
  std::optional<double> GoodputOfLast(int64_t window, int64_t now);

  // The job's time up to `now`.
  Partition At(int64_t now) { return job_.accounting.Query({.at = now, .silence = kSilence}); }

  Accounting& accounting() { return job_.accounting; }
  Notes note_counts() const { return NoteCountsOf(job_); }
  int64_t events() const { return job_.events - job_.note_counts.Count(NoteKind::kDuplicate); }

  std::optional<int64_t> first;      // time of the earliest event
  std::optional<int64_t> latest;     // and of the latest one, heartbeats included
  std::optional<int64_t> step;       // the step that started last
  std::optional<int64_t> step_time;  // and when
  // The last committed checkpoint, or the last save if the job records no commits.
  std::optional<int64_t> checkpoint_step;
  std::optional<int64_t> checkpoint_time;

 private:
  void Note(const Event& event);

  Job job_;
  bool commits_ = false;
};

class Live {
 public:
  explicit Live(std::string folder) : folder_(std::move(folder)) {}

  // Fails if the system cannot read the directory or a segment; earlier state stays, and the next
  // call goes on there.
  Result<void> Poll(int64_t now);

  // The same in pieces: reads on for about `budget` ns. False: there is more.
  Result<bool> PollFor(int64_t now, int64_t budget);

  // By name. No more than kMostLive; events of others are counted in notes().
  std::map<std::string, LiveJob>& jobs() { return jobs_; }

  // Which slots of a segment have been read, while it is followed.
  std::optional<uint64_t> PositionIn(const std::string& path) const {
    const auto file = open_.find(path);
    return file == open_.end() ? std::nullopt : std::optional(file->second.reader.Position());
  }

  // notes of files, not of a job.
  const Notes& note_counts() const { return note_counts_; }

  static constexpr size_t kMostLive = 10'000;
  // Limit of open files, where the process may open enough; else a sixth of those. Beyond it the
  // longest idle ones are closed; later events in them are read only after a restart.
  static constexpr size_t kMostOpen = 4000;

 private:
  struct File {
    SegmentReader reader;
    int64_t grew = 0;   // when events came last, or it was opened
    bool done = false;  // closed, and all was read
  };

  Result<void> LookForFiles(int64_t now);
  bool Open(const std::string& path, int& tries, int64_t now);
  void OpenFiles(int64_t now);
  void Fail(const Error& error);
  bool Follow(int64_t now, int64_t until);
  bool ReadOn(File& file, int64_t now, int64_t until);
  void CloseIdle();
  void Take(const Event& event, int64_t now);

  std::string folder_;
  std::optional<int64_t> folder_changed_;
  const size_t most_open_ = std::min(OpenFilesLimit() / 6, kMostOpen);
  std::map<std::string, File> open_;  // by path, that is by their recorders' starts
  // In a round: the file that is read next, and whether others wait to be opened.
  std::optional<std::string> at_;
  bool crowded_ = false;
  std::unordered_set<std::string> met_;  // all paths
  std::map<std::string, int> unopened_;  // of which these, and how often they looked damaged
  std::map<std::string, LiveJob> jobs_;
  LiveJob* last_job_ = nullptr;
  const std::string* last_name_ = nullptr;
  Notes note_counts_;
  std::optional<Error> failed_;  // the first of a round
};

}  // namespace stepscope::goodput
