// Hands events from the thread that reads them on to a thread that takes them, in their order.
//
// Reading a line and accounting for it take about as long as each other: two processors do both at
// once. A thread is started only when there are enough events to be worth one, and those that have
// much of their own are not handed on: to copy them takes as long as to account for them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "goodput/events/event.h"

namespace stepscope::goodput {

// Takes each event in turn. It is only valid during the call.
using EventSink = std::function<void(const Event&)>;

class EventRelay {
 public:
  // When a thread takes over from the one that gives.
  static constexpr size_t kNever = SIZE_MAX;
  static constexpr size_t kDefault = 5000;  // events
  // kDefault, or kNever on a machine with one processor.
  static size_t WhenWorthwhile();

  // `sink` is called with one event after the other: in the thread that gives them until there were
  // `alone` of them, from then on in another one or in that again. It must outlive this.
  explicit EventRelay(const EventSink& sink, size_t alone = WhenWorthwhile());

  // Stops the thread, if it is not finished: then events may be lost.
  ~EventRelay();

  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;

  // Throws what the sink threw, perhaps at an event before; it is not called again then.
  void Give(const Event& event);

  // Returns when the sink has had all events; throws as Give(). REQUIRES: the last call.
  void Finish();

 private:
  class Thread;

  const EventSink& sink_;
  size_t alone_;  // how many events are yet to be taken here
  std::unique_ptr<Thread> thread_;
};

}  // namespace stepscope::goodput
