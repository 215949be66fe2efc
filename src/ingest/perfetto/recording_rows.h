// Collects the events of one recording, whose ends and order are known when all are read, and makes
// a Trace of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/growing_array.h"
#include "ingest/common/recording.h"
#include "ingest/common/report_notes.h"
#include "ingest/kineto/kineto_fields.h"
#include "ingest/perfetto/annotations.h"
#include "ingest/perfetto/track_table.h"
#include "trace/trace.h"

namespace stepscope::perfetto {

// What a row's field is: a column of the trace, or one of the others.
struct RowField {
  enum class Type : uint8_t { kInt, kText, kReal, kLaunch, kDevice, kStream, kCounter };
  Type type = Type::kInt;
  uint8_t field = 0;
  StringId name = kNoString;  // of a counter
  int64_t value = 0;          // a number, the bits of a fraction, or a text in the reader's table
};

struct Row {
  int64_t start = 0;
  int64_t duration = 0;
  StringId name = 0;     // in the reader's table
  TrackIndex track = 0;  // in the track table
  uint32_t order = 0;    // place in its recording
  uint32_t fields = 0;   // where its fields begin; they end where the next row's begin
  Kind kind = Kind::kUnknown;
  bool on_stream = false;
};

class RecordingRows {
 public:
  // `keep`: as ReadOptions. `kept`: whether its events are wanted at all, or only counted.
  RecordingRows(Wanted keep, bool kept) : keep_(keep), kept_(kept) {}

  bool Keeps(Kind kind) const { return kept_ && keep_.Has(kind); }
  // Adds a row, if there is room for one, and the fields of its arguments. Returns its number.
  uint32_t Add(Row row, const EventArgs& args, StringTable& strings);
  void AddField(RowField field) { fields_.Append(field); }
  Row& row(uint32_t number) { return rows_[number]; }
  void End(uint32_t row, int64_t time);
  void SawTime(int64_t time) { last_time_ = std::max(last_time_, time); }
  int64_t last_time() const { return last_time_; }

  // The trace of all rows. `shift` is added to all times. To be called once.
  Recording Finish(const StringTable& strings, const TrackTable& tracks, int64_t shift);

  Trace trace;  // what is known of it but its events
  ReportNotes notes;
  bool ordered = false;  // rows have places
  std::optional<int64_t> events_in_file, rank, window;
  bool own = false;  // as export wrote it: its times are on its own clock
  int64_t own_shift = 0;

 private:
  class Maker;
  std::vector<uint32_t> RowsInOrder() const;

  Wanted keep_;
  bool kept_;
  GrowingArray<Row> rows_;
  GrowingArray<RowField> fields_;
  LaunchConfigs configs_;
  int64_t last_time_ = INT64_MIN;
};

}  // namespace stepscope::perfetto
