// Watches a job: captures a short window again and again, keeps what it says, and keeps the trace
// only where a step, a rank or a category departs from its own past.
//
// All that stays of an ordinary window is one line of `folder`/history.jsonl. Who watches goes on
// where an earlier watch of the same folder ended. Times are ns; moments are ns since 1970.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// A part of a rank's step, as the analysis `breakdown` has it: "device_compute", "wait",
// "step_time".
struct WatchedPart {
  int64_t rank = 0;
  std::string part;
  int64_t time = 0;  // per step
};

// A part that has another level than in the windows before.
struct WatchedDeparture {
  int64_t rank = 0;
  std::string part;
  int64_t before = 0, now = 0;  // ns per step, medians
  int64_t windows = 0;          // how many windows have the new level
};

// "device compute" of "device_compute".
std::string TitleOfPart(std::string part);
// "rank 3: device compute 18.0 ms per step, before 12.1 ms".
std::string SayDeparture(const WatchedDeparture& departure);

// What a watched window said, and what became of it.
struct WatchedWindow {
  int64_t time = 0;       // when its capture began
  std::string why;        // why there is nothing to compare; empty: there is
  int64_t step_time = 0;  // mean of the ranks
  std::vector<WatchedPart> parts;
  std::string verdict;                     // the first sentence of its trace
  std::vector<std::string> findings;       // the costliest
  std::vector<WatchedDeparture> departed;  // told in this window first, what matters most first
  // Where steps took longer than usual: the part that was longest beyond its usual time.
  std::optional<WatchedDeparture> slower;
  std::string kept;  // the name of its trace's folder; empty: it was dropped
};

// "12.1 ms per step", "12.1 ms per step; its trace stays: window-1800000000", "not compared: ...".
std::string SayWindow(const WatchedWindow& window);

struct WatchOptions {
  std::string folder;  // made if missing
  int64_t every = 600'000'000'000;
  int64_t windows = 0;                 // how many; 0: until `cancelled`
  int64_t keep_bytes = 1'000'000'000;  // of traces that are kept, the oldest out first
  int64_t keep_runs = 20;
  // Captures a window into this new folder. What it fails with becomes the `why` of the window.
  std::function<Result<void>(const std::string& folder)> capture;
  // Written anew with each window, for Prometheus' node exporter (textfile collector); empty: none.
  std::string metrics;
  std::string job;  // the label training_job of the metrics
  // Given each window as a text of at most `most_record` bytes, which WindowOfRecord() reads, for
  // the events of the job. What it fails with does not end the watch.
  std::function<Result<void>(int64_t time, const std::string& text)> record;
  size_t most_record = 2048;
  std::function<void(const WatchedWindow&)> on_window;
  std::function<void(const Error&)> on_problem;  // each once in a row
  std::function<bool()> cancelled;               // asked several times a second
  // Of tests: sleeps until a moment, and tells the time.
  std::function<int64_t()> now;
  std::function<void(int64_t until)> sleep;
};

// Returns how many windows it watched. Fails where the folder cannot be written or holds a history
// that is none; a window that cannot be captured or read is a line that says why.
Result<int64_t> Watch(const WatchOptions& options);

// The windows of a folder that was watched, as they came. Lines that are none are left out.
Result<std::vector<WatchedWindow>> WatchedWindows(const std::string& folder);

// A window as `record` was given it, without the times of its parts; nothing of another text.
std::optional<WatchedWindow> WindowOfRecord(int64_t time, const std::string& text);

// What the events of a job say of its windows (GoodputReportOptions::on_watched).
class WatchedRecords {
 public:
  // What WindowOfRecord() cannot read is left out; what comes twice, as where events are read
  // twice, counts once.
  void Take(int64_t time, const std::string& text);
  bool empty() const { return windows_.empty(); }
  Report ReportOf() const;  // REQUIRES: not empty

 private:
  std::map<int64_t, WatchedWindow> windows_;  // by time
};

// Adds what was watched to an answer about the goodput of the job, and its sentence to the first.
void AddWatched(Report watched, ReportSet& answer);

// The report "watched": when steps took at least a tenth longer than usual, which part of which
// rank was longer then, what the trace said, and about how much time that cost (1 - usual step time
// / step time of each window, for the time until the next one). Usual is what a quarter of the
// compared windows did not exceed. REQUIRES: a window.
Report WatchedReport(std::vector<WatchedWindow> windows);

// Of the windows of a folder. Fails where there is no history.
Result<Report> WatchedReport(const std::string& folder);

}  // namespace stepscope
