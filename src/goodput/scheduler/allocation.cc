// Turns attempts into events.
#include "goodput/scheduler/allocation.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::goodput {
namespace {

// Points in the course of an attempt. The numbers are part of writer names.
enum Place : uint8_t { kSubmit, kWant, kStart, kPause, kGoOn, kNotice, kEnd, kState, kCause };

class Writer {
 public:
  Writer(std::vector<Event>& events, const std::string& source)
      : events_(events), source_(source) {}

  void Write(const Allocation& a, int64_t attempt) {
    const bool first = attempt == 0;
    attempt_ = attempt;
    if (a.submitted) {
      if (first) Add(a, kSubmit, EventKind::kJobSubmitted, *a.submitted).text = a.id;
      // A requeued job may have to wait by the scheduler's own rules.
      const bool held = first && a.eligible && *a.eligible > *a.submitted;
      Resources(a, kWant, held ? *a.eligible : *a.submitted, a.chips, 0);
    }
    if (a.started) Resources(a, kStart, *a.started, a.chips, a.chips);
    if (!a.ended) return;
    if (a.paused > 0 && a.started) {  // when is unknown: assumed just before the end
      const int64_t from = std::max(*a.started, *a.ended - a.paused);
      Resources(a, kPause, from, 0, a.chips);
      Resources(a, kGoOn, *a.ended, a.chips, a.chips);
    }
    if (a.preempted) Add(a, kNotice, EventKind::kPreemptionNotice, *a.ended).text = a.state;
    if (!a.cause.empty()) Add(a, kCause, EventKind::kProcessEnd, *a.ended).text = a.cause;
    Resources(a, kEnd, *a.ended, a.comes_back ? a.chips : 0, 0);
    if (a.outcome.empty() || a.comes_back) return;
    Add(a, kState, EventKind::kJobState, *a.ended).text = a.outcome;
  }

 private:
  Event& Add(const Allocation& a, Place place, EventKind kind, int64_t time) {
    Event event{.kind = kind, .time = time};
    event.job = a.job;
    event.writer = fmt::format("{}:{}:{}:{}", source_, a.id, attempt_, static_cast<int>(place));
    event.sequence = 0;
    return events_.emplace_back(std::move(event));
  }
  void Resources(const Allocation& a, Place place, int64_t time, int64_t wanted, int64_t got) {
    Event& event = Add(a, place, EventKind::kResources, time);
    event.counts[0] = wanted;
    event.counts[1] = got;
    event.counts[2] = got;
  }

  std::vector<Event>& events_;
  const std::string& source_;
  int64_t attempt_ = 0;
};

}  // namespace

std::vector<Event> EventsOf(std::span<const Allocation> attempts, const std::string& source) {
  std::vector<Event> events;
  Writer writer(events, source);
  for (size_t i = 0; i < attempts.size(); ++i) {
    writer.Write(attempts[i], static_cast<int64_t>(i));
  }
  std::ranges::stable_sort(events, {}, &Event::time);
  return events;
}

}  // namespace stepscope::goodput
