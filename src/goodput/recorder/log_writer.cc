// Groups events into segments of 4 MB.
#include "goodput/recorder/log_writer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "goodput/recorder/segment_mark.h"
#include "goodput/recorder/segment_name.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kSegmentBytes = size_t{4} << 20;
constexpr uint64_t kSlots = (kSegmentBytes - kSlotsBegin) / kSlotBytes;
// An event whose writer is not the header's carries its writer's name, which may be larger than the
// rest. A change of writer starts a new segment once the current one is large enough.
constexpr size_t kSmall = 4096;
constexpr int64_t kSequences = int64_t{1} << 40;

}  // namespace

bool FitToSegment(Event& event) {
  bool fits = true;
  for (auto& [text, most] : {std::pair(&event.text, kMaxText), std::pair(&event.attempt, kMaxName),
                             std::pair(&event.writer, kMaxName)}) {
    if (text->size() <= most) continue;
    text->resize(Kept(*text, most).size());
    fits = false;
  }
  if (event.writer.empty() || event.sequence < 0 || event.sequence >= kSequences) {
    fits = fits && event.writer.empty() && event.sequence == kUnknown;
    event.writer.clear();
    event.sequence = kUnknown;
  }
  return fits;
}

LogWriter::LogWriter(Sink sink, std::string prefix, std::string job)
    : sink_(std::move(sink)), prefix_(std::move(prefix)) {
  header_.job = std::move(job);
}

Result<void> LogWriter::Finish() {
  if (slots_.empty()) return {};
  std::string bytes(kSlotsBegin, '\0');
  const std::span<char, kSlotsBegin> head(bytes.data(), kSlotsBegin);
  EncodeHeader(header_, head);
  PutMark(ClosingMark(slots_), header_.salt, head);
  bytes += std::exchange(slots_, {});
  return sink_(SegmentName(prefix_, header_.index), header_, bytes);
}

Result<void> LogWriter::BeginSegment(const Event& event) {
  if (auto finished = Finish(); !finished) return finished;
  header_.salt = RandomNumber();
  header_.index = next_index_++;
  header_.slots = kSlots;
  header_.time = TimeOf(event);
  header_.monotonic = event.monotonic;
  header_.attempt = event.attempt;
  header_.writer = event.writer;
  return {};
}

Result<void> LogWriter::Write(const Event& event) {
  const bool other = event.attempt != header_.attempt || event.writer != header_.writer;
  if (slots_.empty() || (other && Used() >= kSmall)) {
    if (auto begun = BeginSegment(event); !begun) return begun;
  }
  const bool numbered = !event.writer.empty();
  while (true) {
    Record record{.kind = event.kind,
                  .time = event.time,
                  .monotonic = event.monotonic,
                  .received = event.received,
                  .sequence = numbered ? event.sequence : count_,
                  .step = event.step,
                  .text = event.text,
                  .checkpoint = &event.checkpoint};
    std::ranges::copy(event.counts, record.counts);
    if (event.attempt != header_.attempt) record.attempt = event.attempt;
    if (event.writer != header_.writer) record.writer = event.writer;
    const size_t slots = SlotsOf(record), first = Used();
    if (first + slots > kSlots) {
      if (auto begun = BeginSegment(event); !begun) return begun;
      continue;
    }
    slots_.resize(slots_.size() + slots * kSlotBytes);
    EncodeRecord(record, slots, header_.salt, first, slots_.data() + first * kSlotBytes);
    count_ += numbered ? 0 : 1;
    return {};
  }
}

}  // namespace stepscope::goodput
