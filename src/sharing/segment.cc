// Decodes each event and encodes it with other texts: these have other lengths, so slots move.
#include "sharing/segment.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "goodput/events/notes.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_reader.h"

namespace stepscope::sharing {
namespace {

using goodput::Event;
using goodput::EventKind;
using redact::Hint;

Hint HintOfText(EventKind kind) {
  return kind == EventKind::kSpareSwap ? Hint::kHost : Hint::kNone;
}

class Encoder {
 public:
  Encoder(const redact::Redactor& redactor, goodput::SegmentHeader header)
      : redactor_(redactor), header_(std::move(header)) {
    header_.job = Name(header_.job, Hint::kNone);
    header_.attempt = Name(header_.attempt, Hint::kNone);
    header_.writer = Name(header_.writer, Hint::kWriter);
  }

  void Take(const Event& event) {
    const std::string text = redactor_.Text(event.text, HintOfText(event.kind));
    const std::string attempt = Name(event.attempt, Hint::kNone);
    const std::string writer = Name(event.writer, Hint::kWriter);
    goodput::Record record{.kind = event.kind,
                           .time = event.time,
                           .monotonic = event.monotonic,
                           .received = event.received,
                           .sequence = event.sequence,
                           .step = event.step,
                           .text = goodput::Kept(text, goodput::kMaxText),
                           .checkpoint = &event.checkpoint,
                           .attempt = {},
                           .writer = {}};
    std::ranges::copy(event.counts, record.counts);
    if (attempt != header_.attempt) record.attempt = attempt;
    if (writer != header_.writer) record.writer = writer;
    const size_t slots = goodput::SlotsOf(record);
    const size_t first = slots_.size() / goodput::kSlotBytes;
    slots_.resize(slots_.size() + slots * goodput::kSlotBytes);
    goodput::EncodeRecord(record, slots, header_.salt, first,
                          slots_.data() + first * goodput::kSlotBytes);
  }

  // Of the segment: its header, then its slots.
  std::string Header() {
    const uint64_t used = slots_.size() / goodput::kSlotBytes;
    header_.slots = std::min(std::max(header_.slots, used), goodput::kMaxSegmentSlots);
    std::string bytes(goodput::kSlotsBegin, '\0');
    goodput::EncodeHeader(
        header_, std::span<char, goodput::kSlotsBegin>(bytes.data(), goodput::kSlotsBegin));
    return bytes;
  }
  std::string_view Slots() const { return slots_; }

 private:
  std::string Name(const std::string& name, Hint hint) const {
    return std::string(goodput::Kept(redactor_.Text(name, hint), goodput::kMaxName));
  }

  const redact::Redactor& redactor_;
  goodput::SegmentHeader header_;
  std::string slots_;
};

}  // namespace

bool IsSegment(const std::string& path) { return path.ends_with(goodput::kSegmentSuffix); }

Result<void> LearnSegment(const std::string& path, const redact::Redactor& redactor,
                          redact::KnownWords& words) {
  auto reader = goodput::SegmentReader::Open(path);
  if (!reader) return std::unexpected(Error(reader.error()));
  goodput::Notes notes;
  redactor.Learn(reader->header().writer, Hint::kWriter, words);
  reader->Finish(notes, [&](const Event& event) {
    redactor.Learn(event.writer, Hint::kWriter, words);
    redactor.Learn(event.text, HintOfText(event.kind), words);
  });
  if (reader->failed()) return std::unexpected(*reader->failed());
  return {};
}

Result<int64_t> RewriteSegment(const std::string& path, const redact::Redactor& redactor,
                               FileWriter& file) {
  auto reader = goodput::SegmentReader::Open(path);
  if (!reader) return std::unexpected(Error(reader.error()));
  goodput::Notes notes;
  Encoder encoder(redactor, reader->header());
  reader->Finish(notes, [&](const Event& event) { encoder.Take(event); });
  if (reader->failed()) return std::unexpected(*reader->failed());
  auto written = file.Append(encoder.Header());
  if (written) written = file.Append(encoder.Slots());
  if (!written) return std::unexpected(written.error());
  int64_t damaged = 0;
  for (const Note& note : notes.List()) damaged += note.count;
  return damaged;
}

}  // namespace stepscope::sharing
