// Reads lines of events and their position in time.
#include "ingest/xplane/xplane_lines.h"

#include "ingest/common/reader_limits.h"

namespace stepscope {
namespace {

constexpr int64_t kPicoseconds = 1000;  // in a nanosecond

int64_t FloorNs(int64_t ps) { return ps / kPicoseconds - (ps % kPicoseconds < 0 ? 1 : 0); }

}  // namespace

int64_t XClock::LineStart(int64_t timestamp_ns) const {
  constexpr int64_t kSince1970 = 1'000'000'000'000'000;  // in 1970 no profile was taken
  if (timestamp_ns > kSince1970) return timestamp_ns;
  int64_t start = 0;
  return __builtin_add_overflow(profile_start, timestamp_ns, &start) ? INT64_MAX : start;
}

// What a line says of itself stands before and behind its events, of which only the lengths are
// looked at: a tenth of the cost of reading them.
XLine LineReader::ReadHeader(ByteRange range) {
  XLine line;
  while (const auto field = file_.Next(range)) {
    if (field->number != kEvents) TakeHeader(*field, line);
    while (file_.NextHeld(range, kEvents)) {
    }
  }
  return line;
}

// XLine: 1 id, 2 name, 3 timestamp_ns, 11 display_name.
void LineReader::TakeHeader(const ProtoField& field, XLine& line) {
  const bool number = field.type == WireType::varint;
  if (number && field.number == 1) line.id = static_cast<int64_t>(field.value);
  if (number && field.number == 3) line.timestamp_ns = static_cast<int64_t>(field.value);
  if (field.type != WireType::length_delimited || (field.number != 2 && field.number != 11)) return;
  const auto text = file_.View(field.bytes);
  if (!text) return notes_.Add(NoteKind::kTruncated);
  (field.number == 2 ? line.name : line.display_name) = *text;
}

bool LineReader::Place(const XPlane& plane, std::string_view message, const XLine& line,
                       XTime& time) {
  if (!ReadXEvent(plane, message, event_, notes_)) {
    notes_.Add(NoteKind::kUnreadableEvent);
    return false;
  }
  if (event_.aggregated) {
    notes_.Add(NoteKind::kAggregatedEvent);
    return false;
  }
  if (event_.duration_ps < 0) {
    notes_.Add(NoteKind::kNegativeDuration);
    event_.duration_ps = 0;
  }
  const int64_t line_start = clock_.LineStart(line.timestamp_ns);
  int64_t end_ps = 0;
  int64_t start = 0;
  int64_t end = 0;
  if (__builtin_add_overflow(event_.offset_ps, event_.duration_ps, &end_ps) ||
      __builtin_add_overflow(line_start, FloorNs(event_.offset_ps), &start) ||
      __builtin_add_overflow(line_start, FloorNs(end_ps), &end) || start < -kMaxTime ||
      end > kMaxTime) {
    notes_.Add(NoteKind::kUnreadableEvent);
    return false;
  }
  if (event_.offset_ps % kPicoseconds != 0 || event_.duration_ps % kPicoseconds != 0) ++fractional_;
  time = {start, end - start};
  return true;
}

}  // namespace stepscope
