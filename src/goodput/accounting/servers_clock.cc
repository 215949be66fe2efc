// Compares the times of events with their receipt.
#include "goodput/accounting/servers_clock.h"

#include <fmt/format.h>

#include "base/time_units.h"
#include "goodput/accounting/writer.h"

namespace stepscope::goodput {

void MoveBack(Event& event, int64_t by) {
  if (event.time != kUnknown) event.time -= by;
  CheckpointTimes& c = event.checkpoint;
  for (auto* span :
       {&c.manager, &c.checkpointer, &c.wait_for_prev, &c.get_old_steps, &c.broadcast}) {
    if (span->start != kUnknown) span->start -= by;
  }
}

// NOLINTBEGIN(bugprone-return-const-ref-from-parameter): callers keep the event
const Event& ServersClock::Move(const Event& event, Notes& note_counts) {
  if (event.received == kUnknown || event.time == kUnknown || event.received < 0 ||
      event.time - event.received <= kAheadOfServer) {
    return event;
  }
  const WriterName name = WriterName::Of(event.writer);
  const std::string clock = name.clock();
  const auto [ahead, is_new] =
      ahead_.try_emplace(clock.empty() ? event.writer : clock, event.time - event.received);
  if (is_new) {
    note_counts.Add(NoteKind::kClockAhead, 1,
                    Say("{time} s on {host}", fmt::format("{:+.0f}", Seconds(ahead->second)),
                        Phrase::Name(name.host.empty() ? event.writer : name.host)));
  }
  moved_ = event;
  moved_.received = kUnknown;
  MoveBack(moved_, ahead->second);
  return moved_;
}
// NOLINTEND(bugprone-return-const-ref-from-parameter)

}  // namespace stepscope::goodput
