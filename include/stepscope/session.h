// Opens a run, lists and explains the analyses, and returns their reports.
//
//   auto session = stepscope::Session::Open({"traces/"});
//   if (!session) return Print(session.error());
//   stepscope::ReportSet answer = *session->Analyze({});
//   std::fputs(stepscope::ToText(answer).c_str(), stdout);
//
// Thread-safety: a Session may be moved between threads, and used by one at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/events.h"
#include "stepscope/kernel_groups.h"
#include "stepscope/rank_trace.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"
#include "stepscope/timeline.h"
#include "stepscope/traced_step.h"

namespace stepscope {

// How far opening has come. Reported from one thread at a time, a few times a second at most.
struct Progress {
  int64_t bytes_done = 0;  // of the files as they are on disk
  int64_t bytes_total = 0;
  int files_done = 0;
  int files_total = 0;
};

// What a user sets once for all questions.
struct Settings {
  std::vector<KernelGroup> groups;  // for "kernel_groups"; see ReadKernelGroups()
  // ("idle_time.consecutive_kernel_delay", "30000"): parameters as the analyses declare them.
  std::vector<std::pair<std::string, std::string>> params;
};

// What is replaced by pseudonyms (stepscope/redact.h).
struct RedactOptions {
  // Kinds that stay: "hosts", "users", "paths", "addresses" (of networks) and "values" (of command
  // lines and environments). Secrets are always replaced.
  std::vector<std::string> keep;
  // Pseudonyms are hashes with this key: equal in all outputs that share it. Empty: a random one.
  // Whoever has it can check guesses of names.
  std::string key;
};

struct OpenOptions {
  // The analyses that will be asked for; empty means all of them. Only what these need is kept in
  // memory: asking Analyze() for another one later answers with an error. One that was added
  // (stepscope/plugin.h) may ask ours for their reports: with it, all that these need is kept.
  std::vector<std::string> analyses;
  // false: for programs that read numbers alone. What only findings and names of operators in
  // tables need is not read, and they are incomplete.
  bool advice = true;
  // Worker threads, of reading and of Analyze(); 0 means one per processor.
  int threads = 0;
  // Keep every event for Session::TakeTimeline(), whatever the analyses need: about 25 bytes each.
  bool keep_events = false;
  // Keep what was read for ReadEvents(), which does not read the files again then: about 20 bytes
  // per event. Without effect beside keep_events.
  bool keep_traces = false;
  Settings settings;  // what a question sets itself counts more
  // Replace what is private as the traces are read: no answer and no timeline holds it. Reads every
  // file once more.
  std::optional<RedactOptions> redact = {};
  // Bytes that a compressed file may inflate to; one that has more is refused. 0: 64 GB, and at
  // most 1,000 times its size beyond 1 GB.
  int64_t max_input = 0;
  // Where the paths lie that it holds; those that are no files of this machine.
  StorageRef storage = nullptr;
  std::function<void(const Progress&)> on_progress;
  std::stop_token stop;  // gives reading up soon after it is asked to
};

struct AnalyzeOptions {
  std::vector<std::string> only;  // names, in the order wanted; empty: all that Open() prepared for
  // Which steps count, for every analysis alike:
  //   "all"       everything in the trace, work outside any step included
  //   "complete"  only steps whose device activities were recorded to its end
  //   "7"         step 7 alone, as numbered by ProfilerStep#7
  //   "3..7"      steps 3 to 7, both included
  //   "3,5..7"    steps 3, 5, 6 and 7
  std::string steps = "all";
  std::vector<int64_t> ranks;  // only these; empty: all
  // Different names in a table: of more, those with the most time stay, and a note sums up the
  // others. 0: all.
  int64_t most_names = 10'000;
  std::vector<KernelGroup> groups;                          // as in Settings, for this question
  std::vector<std::pair<std::string, std::string>> params;  // the same
  std::stop_token stop;  // gives the question up soon after it is asked to
};

// A knob of an analysis, as the analysis itself declares it.
struct ParameterInfo {
  std::string name;
  std::string type;  // "integer", "number" or "text"
  std::string default_value;
  std::string unit;     // as UnitName()
  std::string message;  // what it changes
};

struct AnalysisInfo {
  std::string name;
  std::string title;
  std::string summary;  // one line without a full stop: what the report shows
  std::string doc;      // Markdown: Question, Definition, Limitations, Interpretation
  std::vector<ParameterInfo> params;
};

class Session {
 public:
  // Reads the traces of one run: a folder, some files, or one file. A file that cannot be read
  // becomes a note and an InputFile with a problem, and the others are still analyzed. Fails when
  // no path leads to any readable trace, an option is wrong, or it was stopped; and where traces
  // are of several runs: their worlds differ in size, or a rank was recorded in two folders at the
  // same time. Recordings of a rank one after another are one run, wherever they lie.
  static Result<Session> Open(std::span<const std::string> paths, const OpenOptions& options = {});

  // Fails when they name a parameter that no analysis has, or a value is none of its type.
  static Result<void> Check(const Settings& settings);

  // Every analysis there is, in the order reports are shown; last those that were added
  // (stepscope/plugin.h). Needs no open run.
  static std::vector<AnalysisInfo> List();

  // What `name` is about; fails with the nearest known name when there is none such.
  static Result<AnalysisInfo> Explain(std::string_view name);

  const RunInfo& run() const;

  // The steps of all ranks by the wall clock of their hosts; of no recording that does not say when
  // it was made.
  std::vector<TracedStep> StepsOnClock() const;

  // Runs the analyses asked for. Fails on an unknown name, parameter, step selection or rank; an
  // analysis that lacks its input does not fail, its report says "unavailable" and why. Fails too
  // when it was stopped; that leaves nothing behind, and the next question is answered as ever.
  Result<ReportSet> Analyze(const AnalyzeOptions& options = {}) const;

  // All events as a timeline, which does not need the session any more. Fails unless the run was
  // opened with keep_events, and when it was taken before.
  Result<Timeline> TakeTimeline();

  // The ranks of which there is a recording, ascending: those that ReadEvents() can read.
  std::vector<int64_t> RecordedRanks() const;

  // Where the traces of a rank are, by time, or of all ranks, by rank: of partials those that they
  // were made of. None of partials that do not say, and of a redacted run.
  std::span<const RankTrace> TracesOf(int64_t rank) const;
  std::span<const RankTrace> Traces() const;

  // Reads the files of a rank once more, unless keep_traces kept what was read, with all events and
  // what they say, on `threads` (0: one per processor). Fails for a rank without a recording, when
  // its files are gone or changed into what is no trace, and when stopped.
  Result<EventTable> ReadEvents(int64_t rank, int threads = 0, std::stop_token stop = {}) const;

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
