// Writes a job's events as short texts for tests, and summarizes its accounting.
//
//   0 start            35 step 0          80 end           50 heartbeat
//   10..30 prep        35..75 steps 0..3  one step each 10 s
//   35..75 steps 0..3 ending 8            the same, each with an end 8 s after its start
//   40..43 save 2      12..14 restore 2   20..24 eval      any other word is a custom type
//   5..9 wait slice_down                  9..12 reinit     50 notice going away
//   40..43 saving 2    12..14 restoring 2 the same without Orbax
//   0 submitted        3 asked 8          9 given 8        60 resume 4      42 step_end 2
//
//   42 commit 4        42 slices 3/4/4    42 label a=b     42 dropped 5
//   10..90 heartbeats 5                   one each 5 s, both ends included
//
//   [0] 0 start        [0b] 90 start      of rank 0, and of the next process of rank 0
//   [b/0] 0 start                         of rank 0 on the host b
//   [0] clock 5                           the host's clock is 5 s ahead from here on
//   [0] monotonic                         the process tells a clock that never steps, too
//
// One event per line or semicolon, times in seconds. A span is a begin and an end. In front of a
// scenario, "[2]" or "[2b]" names the recording process of the lines up to the next name.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_units.h"
#include "goodput/accounting/accounting.h"

namespace stepscope::goodput {

inline constexpr int64_t kScenarioStart = 1'780'000'000 * kSecond;

inline int64_t ScenarioTime(double seconds) {
  return kScenarioStart + static_cast<int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

// Parses one line of a scenario into events.
class ScenarioLine {
 public:
  explicit ScenarioLine(const std::string& line) {
    std::istringstream in(line);
    std::string when;
    in >> when >> word_;
    std::getline(in >> std::ws, rest_);
    const size_t dots = when.find("..");
    start_ = ScenarioTime(std::stod(when.substr(0, dots)));
    end_ = dots == when.npos ? start_ : ScenarioTime(std::stod(when.substr(dots + 2)));
    span_ = dots != when.npos;
  }

  std::vector<Event> Events() {
    using K = EventKind;
    static const std::map<std::string, K> kPlain = {
        {"start", K::kJobStart},          {"end", K::kJobEnd},
        {"heartbeat", K::kHeartbeat},     {"step", K::kStepStart},
        {"step_end", K::kStepEnd},        {"resume", K::kResumeFrom},
        {"submitted", K::kJobSubmitted},  {"notice", K::kPreemptionNotice},
        {"process_end", K::kProcessEnd},  {"job_state", K::kJobState},
        {"commit", K::kCheckpointCommit}, {"label", K::kLabel},
        {"swap", K::kSpareSwap}};
    static const std::map<std::string, K> kSpans = {
        {"init", K::kAcceleratorInitBegin},       {"prep", K::kTrainingPrepBegin},
        {"load", K::kDataLoadingBegin},           {"wait", K::kElasticWaitBegin},
        {"reinit", K::kElasticReinitBegin},       {"saving", K::kCheckpointSaveBegin},
        {"restoring", K::kCheckpointRestoreBegin}};
    if (word_ == "steps") return Steps();
    if (word_ == "heartbeats") return Heartbeats();
    if (word_ == "slices" || word_ == "dropped") return {Counted()};
    if (word_ == "save" || word_ == "restore") return {Checkpoint()};
    if (word_ == "asked") return {Resources(0)};
    if (word_ == "given") return {Resources(1)};
    if (const auto plain = kPlain.find(word_); plain != kPlain.end()) {
      Event event{.kind = plain->second, .time = start_};
      const bool has_step =
          word_ == "step" || word_ == "step_end" || word_ == "resume" || word_ == "commit";
      if (has_step) event.step = std::stoll(rest_);
      const bool has_text = word_ == "notice" || word_ == "process_end" || word_ == "job_state" ||
                            word_ == "label" || word_ == "swap";
      if (has_text) event.text = rest_;
      if (word_ == "start") event.attempt = rest_;
      return {event};
    }
    const auto known = kSpans.find(word_);
    const K begin = known == kSpans.end() ? K::kCustomBegin : known->second;
    const std::string text = known == kSpans.end() ? word_ : rest_;
    std::vector<Event> events = {{.kind = begin, .time = start_, .text = text}};
    const K end = static_cast<K>(static_cast<uint8_t>(begin) + 1);
    if (span_) events.push_back({.kind = end, .time = end_, .text = text});
    return events;
  }

 private:
  std::vector<Event> Steps() const {
    const size_t dots = rest_.find("..");
    const int64_t first = std::stoll(rest_.substr(0, dots));
    const int64_t last = std::stoll(rest_.substr(dots + 2));
    std::vector<Event> events;
    const size_t ending = rest_.find("ending ");
    for (int64_t s = first; s <= last; ++s) {
      const int64_t time = start_ + (end_ - start_) / (last - first + 1) * (s - first);
      events.push_back({.kind = EventKind::kStepStart, .time = time, .step = s});
      if (ending == rest_.npos) continue;
      const auto lasts = static_cast<int64_t>(std::stod(rest_.substr(ending + 7)) * 1e9);
      events.push_back({.kind = EventKind::kStepEnd, .time = time + lasts, .step = s});
    }
    return events;
  }

  std::vector<Event> Heartbeats() const {
    const auto apart = static_cast<int64_t>(std::stod(rest_) * 1e9);
    std::vector<Event> events;
    for (int64_t time = start_; time <= end_; time += apart) {
      events.push_back({.kind = EventKind::kHeartbeat, .time = time});
    }
    return events;
  }

  // "3/4/4": numbers in the order of Event::counts.
  Event Counted() const {
    Event event{.kind = word_ == "slices" ? EventKind::kElasticSlices : EventKind::kDropped,
                .time = start_};
    std::istringstream in(rest_);
    size_t which = 0;
    for (std::string number; std::getline(in, number, '/');) {
      event.counts[which++] = std::stoll(number);
    }
    return event;
  }

  Event Checkpoint() const {
    Event event{
        .kind = word_ == "save" ? EventKind::kCheckpointSave : EventKind::kCheckpointRestore,
        .time = start_,
        .step = std::stoll(rest_)};
    event.checkpoint.manager = {start_, end_ - start_};
    return event;
  }

  Event Resources(size_t which) const {
    Event event{.kind = EventKind::kResources, .time = start_};
    event.counts[which] = std::stoll(rest_);
    if (which == 1) event.counts[0] = event.counts[1];
    return event;
  }

  std::string word_, rest_;
  int64_t start_ = 0, end_ = 0;
  bool span_ = false;
};

// "2b" as a recorder names it: rank 2, the process b. "a/2b": on the host a.
inline std::string ScenarioWriter(const std::string& process) {
  if (process.empty()) return {};
  if (const size_t slash = process.find('/'); slash != process.npos) {
    const std::string writer = ScenarioWriter(process.substr(slash + 1));
    return process.substr(0, slash) + writer.substr(writer.find('/'));
  }
  const size_t end = std::min(process.find_first_not_of("0123456789-"), process.size());
  return "host/" + process.substr(0, end) + "/boot/1/" + process.substr(end) + "-";
}

inline std::vector<Event> EventsOf(std::string text) {
  std::ranges::replace(text, ';', '\n');
  std::istringstream lines(text);
  std::vector<Event> events;
  std::string writer;
  std::map<std::string, int64_t> sequences, ahead;
  std::map<std::string, bool> monotonic;
  for (std::string line; std::getline(lines, line);) {
    if (const size_t open = line.find('['), close = line.find(']'); close != line.npos) {
      writer = ScenarioWriter(line.substr(open + 1, close - open - 1));
      line.erase(0, close + 1);
    }
    std::istringstream in(line);
    std::string word, value;
    if (!(in >> word)) continue;
    if (word == "monotonic") monotonic[writer] = true;
    if (word == "clock" && in >> value)
      ahead[writer] = ScenarioTime(std::stod(value)) - kScenarioStart;
    if (word == "clock" || word == "monotonic") continue;
    for (Event& event : ScenarioLine(line).Events()) {
      event.writer = writer;
      if (!writer.empty()) event.sequence = sequences[writer]++;
      if (monotonic[writer]) event.monotonic = event.time - kScenarioStart + kHour;
      event.time += ahead[writer];
      if (event.checkpoint.manager.start != kUnknown)
        event.checkpoint.manager.start += ahead[writer];
      events.push_back(event);
    }
  }
  return events;
}

inline Accounting AccountingOf(const std::string& scenario) {
  Accounting accounting;
  for (const Event& event : EventsOf(scenario)) accounting.Add(event);
  return accounting;
}

// "total 80: PRODUCTIVE 60, TRAINING_PREP 20; 1 disruption; last step 5": in seconds, the longest
// first.
inline std::string Summary(const Partition& p) {
  const auto seconds = [](int64_t ns) {
    return fmt::format("{:.6g}", static_cast<double>(ns) / 1e9);
  };
  std::vector<std::pair<int64_t, std::string>> rows;
  for (size_t b = 0; b < kBuckets; ++b) {
    if (p.times[b] == 0) continue;
    rows.emplace_back(-p.times[b], BucketName(static_cast<Bucket>(b)));
  }
  std::ranges::sort(rows);
  std::string text = "total " + seconds(p.total()) + ":";
  for (const auto& [time, name] : rows) {
    text += (text.ends_with(":") ? " " : ", ") + name + " " + seconds(-time);
  }
  text += fmt::format("; {} disruption{}", p.disruptions, p.disruptions == 1 ? "" : "s");
  if (p.max_productive_step) text += fmt::format("; last step {}", *p.max_productive_step);
  if (p.unaccounted != 0) text += "; UNACCOUNTED " + seconds(p.unaccounted);
  return text;
}

inline std::string Summary(const std::string& scenario, const PartitionQuery& query = {}) {
  return Summary(AccountingOf(scenario).Query(query));
}

}  // namespace stepscope::goodput
