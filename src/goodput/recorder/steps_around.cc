// Sorts the steps of a recorder's directory into those before, during and after a time.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/robust.h"
#include "base/time_units.h"
#include "goodput/events/event.h"
#include "goodput/events/notes.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput_steps.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kMostSteps = 50;
constexpr int64_t kFar = 10 * kMinute;

// From its start to the start of the next one.
struct TimedStep {
  int64_t start = 0, end = 0;
};

// The steps of one writer, made of its starts as they come.
class StepsOfWriter {
 public:
  void Add(int64_t number, int64_t time) {
    if (last_ && number == last_->number + 1 && time > last_->time)
      steps_.push_back({last_->time, time});
    last_ = Start{number, time};
  }
  const std::vector<TimedStep>& all() const { return steps_; }

 private:
  struct Start {
    int64_t number = 0, time = 0;
  };
  std::optional<Start> last_;
  std::vector<TimedStep> steps_;
};

int64_t MedianOf(const std::vector<TimedStep>& steps) {
  if (steps.empty()) return 0;
  std::vector<int64_t> times;
  for (const TimedStep& step : steps) times.push_back(step.end - step.start);
  return UpperMedian(times);
}

StepsAround Sort(const std::vector<TimedStep>& steps, int64_t start, int64_t end) {
  std::vector<TimedStep> before, during, after;
  for (const TimedStep& step : steps) {
    if (step.end <= start) {
      if (step.end > start - kFar) before.push_back(step);
    } else if (step.start < end) {
      during.push_back(step);
    } else if (step.start < end + kFar && after.size() < kMostSteps) {
      after.push_back(step);
    }
  }
  if (before.size() > kMostSteps) before.erase(before.begin(), before.end() - kMostSteps);
  return {.before = MedianOf(before),
          .during = MedianOf(during),
          .after = MedianOf(after),
          .steps_before = static_cast<int64_t>(before.size()),
          .steps_during = static_cast<int64_t>(during.size()),
          .steps_after = static_cast<int64_t>(after.size())};
}

int64_t CountOf(const StepsAround& steps) {
  return steps.steps_before + steps.steps_during + steps.steps_after;
}

}  // namespace
}  // namespace stepscope::goodput

namespace stepscope {

Result<StepsAround> StepTimesAround(const std::string& directory, const std::string& job,
                                    int64_t start, int64_t end) {
  std::map<std::string, goodput::StepsOfWriter> writers;
  goodput::Notes ignored;
  const auto read = goodput::ReadSegments(directory, ignored, [&](const goodput::Event& event) {
    if (event.kind != goodput::EventKind::kStepStart || (!job.empty() && event.job != job)) return;
    if (event.time > start - 2 * goodput::kFar && event.time < end + 2 * goodput::kFar)
      writers[event.writer].Add(event.step, event.time);
  });
  if (!read) return std::unexpected(read.error());
  StepsAround most;
  for (const auto& [writer, steps] : writers) {
    const StepsAround around = goodput::Sort(steps.all(), start, end);
    if (goodput::CountOf(around) > goodput::CountOf(most)) most = around;
  }
  return most;
}

}  // namespace stepscope
