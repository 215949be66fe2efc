// Writes the traces of a run as one trace in Perfetto's format: all ranks on one time axis.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file_writer.h"
#include "export/kept_times.h"
#include "export/overlay.h"
#include "export/perfetto_events.h"
#include "facts/collectives/clocks.h"

namespace stepscope {

// How one recording's clock is put on the axis that all share.
struct ShownClock {
  Clock clock;
  int64_t first = 0, last = 0;  // of its activities
};

// One recording, as it is to appear.
struct Shown {
  int64_t rank = 0;
  int64_t window = 0;
};

// One file, gzipped where its name ends in ".gz". Its order of use: Create; for every recording, in
// the order of the clocks, Begin, read it with what that returns, and End; Finish.
class PerfettoFile {
 public:
  PerfettoFile(std::string path, std::vector<ShownClock> clocks,
               const redact::Redactor* redactor = nullptr);
  ~PerfettoFile();

  Result<void> Create();
  // What to tell the recording's events to. Valid until End().
  RawEventObserver Begin(KeptTimes kept);
  // Slices for all events with a duration, moments, counters, with arrows from launching calls to
  // what they launched; and the overlay. What fails is told by Finish().
  void End(const Shown& shown, const Overlay& overlay);
  // Ends the file, syncs it and gives it its name.
  Result<void> Finish();

  int64_t events() const { return events_; }  // slices, moments, counter values, the overlay's too
  int64_t left_out() const { return left_out_; }  // events that could not be shown
  int64_t mended() const { return mended_; }      // of the recording that was ended last

 private:
  friend class RecordingWriter;
  struct Open;
  void FlushIfLarge();
  void Flush();

  GzipCompressor gzip_;
  FileWriter file_;
  std::vector<ShownClock> clocks_;
  std::vector<int64_t> shifts_;  // of each clock: added to its times
  const redact::Redactor* redactor_;
  std::unique_ptr<Open> open_;  // the recording that is read
  std::string bytes_;           // not written yet
  uint32_t recordings_ = 0;
  int32_t processes_ = 0;
  int64_t events_ = 0, left_out_ = 0, mended_ = 0;
  Result<void> written_;
};

}  // namespace stepscope
