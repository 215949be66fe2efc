// Parses the events of a Kineto trace window by window: JSON text in, rows of a Trace out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ingest/common/raw_event_observer.h"
#include "trace/trace.h"

namespace stepscope {

class KinetoEvents {
 public:
  // Appends to `trace`, which must outlive this, the events whose kind is in `keep`. Others are
  // counted and their arguments not looked at. `observer`: see ReadOptions.
  KinetoEvents(Trace& trace, Wanted keep, const RawEventObserver* observer = nullptr);
  ~KinetoEvents();

  enum class Stop : uint8_t {
    kEndOfText,   // every event up to the end was whole, and was taken
    kEndOfArray,  // the array's closing bracket was met; `at` is behind it
    kBroken,      // the event at `at` does not end, or not before `end`; those before were taken
    kDamaged,     // what is before `at` was taken, but for an event that is no JSON: go on at `at`
  };
  struct Outcome {
    Stop stop;
    char* at;
  };

  // What becomes of bytes that no JSON text may hold: they are replaced and counted, or the text
  // that has them is kBroken, and left to a reader that will come again.
  enum class Mend : uint8_t { kYes, kNo };

  // Parses [begin, end): elements of the array of events, from the start of one (or a space, or the
  // closing bracket) to behind one. The byte at `end` is written to, and restored. What is no event
  // is counted and passed over.
  Outcome Parse(char* begin, char* end, Mend mend = Mend::kYes);

  // Takes over what `later` took, from text that followed this one's, as if this one had read it;
  // the trace of `later` is empty then. On so many threads. False, and nothing done, if a trace
  // cannot hold so much.
  bool Adopt(KinetoEvents& later, size_t threads);

  // To be called once after the last event: names the tracks.
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The next "{" that is followed by "ph", the key events begin with; null if there is none.
char* NextEventByLooks(char* from, char* end);

}  // namespace stepscope
