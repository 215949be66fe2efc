// Reads the lines of an XPlane file and their events, with times on one axis.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/xplane/proto_file.h"
#include "ingest/xplane/xplane_plane.h"
#include "trace/notes.h"

namespace stepscope {

// What a line says of itself.
struct XLine {
  int64_t id = 0;
  std::string name;
  std::string display_name;
  int64_t timestamp_ns = 0;
};

// Turns a file's times into ns since 1970, or since an unknown moment where the file does not say
// when it was recorded.
struct XClock {
  int64_t profile_start = 0;  // ns since 1970; 0: not known

  // Line times are ns since the profile's start, or since 1970 where another tool wrote the file.
  int64_t LineStart(int64_t timestamp_ns) const;
};

// An event's place in time.
struct XTime {
  int64_t start = 0;  // ns
  int64_t duration = 0;
};

// Calls visit(line), which says whether the line's events are wanted, then take(event, time) for
// each event that can be placed. What cannot is counted. Of lines without events nothing is told.
class LineReader {
 public:
  LineReader(ProtoFile& file, const XClock& clock, Notes& notes)
      : file_(file), clock_(clock), notes_(notes) {}

  template <class Visit, class Take>
  void Read(const XPlane& plane, ByteRange range, const Visit& visit, const Take& take) {
    const XLine line = ReadHeader(range);
    bool visited = false;
    while (true) {
      auto message = file_.NextHeld(range, kEvents);
      if (!message) {
        const auto field = file_.Next(range);
        if (!field) break;
        if (field->number != kEvents || field->type != WireType::length_delimited) continue;
        message = file_.View(field->bytes);
      }
      if (!visited && !visit(line)) return;
      visited = true;
      ++events_;
      XTime time;
      if (message && Place(plane, *message, line, time)) take(event_, time);
    }
    if (range.size() > 0) notes_.Add(NoteKind::kTruncated);
  }

  // How many events there were, placed or not.
  int64_t events() const { return events_; }
  int64_t fractional() const { return fractional_; }

 private:
  static constexpr uint32_t kEvents = 4;
  XLine ReadHeader(ByteRange range);
  void TakeHeader(const ProtoField& field, XLine& line);
  bool Place(const XPlane& plane, std::string_view message, const XLine& line, XTime& time);

  ProtoFile& file_;
  const XClock& clock_;
  Notes& notes_;
  XEvent event_;
  int64_t events_ = 0;
  int64_t fractional_ = 0;  // events with times finer than a nanosecond
};

}  // namespace stepscope
