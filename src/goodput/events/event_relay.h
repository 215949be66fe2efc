// Passes events in order from a reading thread to a consuming thread.
//
// Reading a line and accounting for it take about equal time, so two processors halve it. A thread
// starts only if there are enough events. Events with much content of their own are not passed on,
// since copying them takes as long as accounting for them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "goodput/events/event.h"

namespace stepscope::goodput {

// Consumes an event, which is valid only during the call.
using EventSink = std::function<void(const Event&)>;

class EventRelay {
 public:
  // Number of events after which a second thread consumes them.
  static constexpr size_t kNever = SIZE_MAX;
  static constexpr size_t kDefault = 5000;  // events
  // kDefault, or kNever on a machine with one processor.
  static size_t WhenWorthwhile();

  // Calls `sink` with one event after the other: in the giving thread for the first `alone` events,
  // later in either thread. It must outlive this.
  explicit EventRelay(const EventSink& sink, size_t alone = WhenWorthwhile());

  // Stops the thread; without Finish() events may be lost.
  ~EventRelay();

  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;

  // Rethrows what the sink threw, perhaps for an earlier event; the sink is not called again.
  void Give(const Event& event);

  // Waits until the sink has consumed all events; throws as Give(). REQUIRES: the last call.
  void Finish();

 private:
  class Thread;

  const EventSink& sink_;
  size_t alone_;  // events still to be consumed here
  std::unique_ptr<Thread> thread_;
};

}  // namespace stepscope::goodput
