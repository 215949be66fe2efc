// Holds what one process recorded: its attempts, each with steps, spans and the last sign of life.
//
// Takes events in the order of the process's log. Events without a writer form one recording, with
// the rules for logs of the reference library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "goodput/accounting/attempt.h"
#include "goodput/accounting/step_clock.h"
#include "goodput/accounting/writer.h"
#include "goodput/events/event.h"
#include "goodput/events/notes.h"

namespace stepscope::goodput {

class Recording;

// What the recordings of a job share.
struct JobTotals {
  Notes note_counts;
  std::vector<std::string> labels;        // of custom types
  int64_t saves = 0;                      // completed checkpoint saves
  std::map<std::string, int64_t> clocks;  // by host and boot: wall minus monotonic time
  std::vector<Recording*> leaders;        // tell steps that no lower rank tells
  Event moved;                            // the last event whose times were corrected
  int64_t kept = 0;  // steps and overlays, since Accounting::ThinOld() was last at work

  static constexpr size_t kMostLabels = 31;  // the last one holds all further types

  bool HasRoom() const;  // for another type of its own
  // A custom type's number.
  uint8_t LabelOf(std::string type);
};

class Recording {
 public:
  explicit Recording(std::string writer)
      : writer_(std::move(writer)),
        name_(WriterName::Of(writer_)),
        clock_name_(name_.clock().empty() ? name_.host : name_.clock()) {}

  // Accounts for the event.
  void Add(const Event& event, JobTotals& job);

  const std::string& writer() const { return writer_; }
  const WriterName& name() const { return name_; }
  const std::string& clock_name() const { return clock_name_; }  // empty: unknown
  std::optional<int64_t> newest() const { return newest_; }  // of its events since it was loaded
  std::vector<Attempt>& attempts() { return attempts_; }
  const std::vector<Attempt>& attempts() const { return attempts_; }
  // Only the reference library's kinds of events came, without a writer.
  bool from_library() const { return !recorder_; }
  // A lower rank tells the same steps, so few are kept.
  bool thin() const { return thin_; }
  bool TellsSteps() const;                                     // all of them, of late
  const StepClock& step_clock() const { return step_clock_; }  // from their starts to their ends
  const StepClock& usual() const { return usual_; }            // without what spans cover

  // Takes little memory until the next step of its process.
  void Fit();

  // After a copy, whose pointers are of the original.
  void ForgetSenior() { senior_ = nullptr; }

  void Save(StateWriter& out);
  void Load(StateReader& in, size_t kinds);
  // Of the first versions, all events of a job were one recording.
  void AddLoaded(Attempt attempt);
  void SetLoaded(const StepClock& clock) { step_clock_ = usual_ = clock; }

 private:
  const Event& OnOneClock(const Event& event, JobTotals& job);
  Attempt& Begin(int64_t time, JobTotals& job, bool in_process = false);
  Attempt& AttemptOf(const Event& event, JobTotals& job);
  bool IsCurrent(const Attempt& attempt) const { return &attempt == &attempts_.back(); }
  bool Leads(int64_t time, JobTotals& job);

  void AddJobStart(const Event& event, JobTotals& job);
  void AddJobEnd(const Event& event, Attempt& attempt, JobTotals& job);
  void AddResume(const Event& event, Attempt& attempt, JobTotals& job);
  void AddStep(const Event& event, Attempt& attempt, JobTotals& job);
  bool IsLate(StepTime step, const Attempt& attempt) const;
  // Whether the program, which goes on, counts its steps from the first one again, as in each
  // epoch.
  bool CountsAnew(const Event& event, const Attempt& attempt) const;
  void AppendStep(StepTime step, Attempt& attempt, JobTotals& job);
  void FinishStep(Attempt& attempt, int64_t next, int64_t made);
  void BecomeThin(JobTotals& job);
  void AddStepEnd(const Event& event, Attempt& attempt);
  void AddSpanEnd(const Event& event, Attempt& attempt, JobTotals& job);
  void AddCheckpoint(const Event& event, Attempt& attempt, JobTotals& job);
  void AddToAttempt(const Event& event, Attempt& attempt, JobTotals& job);
  void Lay(Attempt& attempt, int64_t start, int64_t end, Bucket bucket, uint8_t label,
           JobTotals& job);

  std::string writer_;
  WriterName name_;
  std::string clock_name_;
  std::optional<int64_t> newest_;
  std::vector<Attempt> attempts_;
  std::map<std::string, size_t> by_id_;  // few
  bool recorder_ = false;
  bool thin_ = false;
  std::optional<int64_t> clock_;  // wall minus monotonic time, fixed
  int64_t stepped_ = 0;           // how far the wall clock is from that
  Recording* senior_ = nullptr;
  StepClock step_clock_, usual_;
  int64_t estimate_ = 0, estimated_at_ = 0;  // of the usual step, and from how many
  int64_t fastest_ = 0;                      // step of the first ones
};

}  // namespace stepscope::goodput
