// Writes the traces of a run as one trace in Perfetto's format: all ranks on one time axis.
#pragma once

#include <cstdint>
#include <string>

#include "base/file_writer.h"
#include "export/kept_times.h"
#include "export/overlay.h"
#include "facts/collectives/clocks.h"
#include "trace/trace.h"

namespace stepscope {

// One recording, as it is to appear.
struct Shown {
  int64_t rank = 0;
  int64_t window = 0;
  Clock clock;  // its times are put on the reference's clock where it is known
  KeptTimes kept;
  Overlay overlay;
};

// One gzipped file. Its order of use: Create; Add for every recording; Finish.
class PerfettoFile {
 public:
  // `shift` is added to all times: the format knows none before 0.
  PerfettoFile(std::string path, int64_t shift);

  Result<void> Create() { return file_.Create(); }
  // Slices for all events with a duration, instants among them, with arrows from launching calls to
  // what they launched; and the overlay. What fails is told by Finish().
  void Add(const Trace& trace, const Shown& shown);
  // Ends the file, syncs it and gives it its name.
  Result<void> Finish();

  int64_t events() const { return events_; }      // slices and counter values, of the overlay too
  int64_t left_out() const { return left_out_; }  // events that could not be shown

 private:
  friend class RecordingWriter;
  void FlushIfLarge();
  void Flush();

  GzipCompressor gzip_;
  FileWriter file_;
  int64_t shift_;
  std::string bytes_;  // not written yet
  uint32_t recordings_ = 0;
  int32_t processes_ = 0;
  int64_t events_ = 0, left_out_ = 0;
  Result<void> written_;
};

}  // namespace stepscope
