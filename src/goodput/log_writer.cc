// Events to segments of 4 MB.
#include "goodput/log_writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/sync_folder.h"
#include "goodput/segment_name.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kSegmentBytes = size_t{4} << 20;
constexpr uint64_t kSlots = (kSegmentBytes - kSlotsBegin) / kSlotBytes;
// An event of somebody else than the header names carries his name, which may take more room than
// all the rest. Another one's turn begins a new segment once this one is not too small.
constexpr size_t kSmall = 4096;
constexpr int64_t kSequences = int64_t{1} << 40;

}  // namespace

bool MakeFit(Event& event) {
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

LogWriter::LogWriter(std::string folder, std::string prefix, std::string job)
    : folder_(std::move(folder)), prefix_(std::move(prefix)) {
  header_.job = std::move(job);
}

Result<void> LogWriter::MakeSegment(const Event& event) {
  if (segment_ != nullptr) segment_->Close();
  header_.salt = RandomNumber();
  header_.index = next_index_++;
  header_.slots = kSlots;
  header_.time = TimeOf(event);
  header_.monotonic = event.monotonic;
  header_.attempt = event.attempt;
  header_.writer = event.writer;
  auto made = SegmentFile::Create(folder_ + "/" + SegmentName(prefix_, header_.index), header_);
  if (!made) {
    segment_.reset();
    return std::unexpected(made.error());
  }
  segment_ = std::move(*made);
  return {};
}

Result<void> LogWriter::Write(const Event& event) {
  const bool other = event.attempt != header_.attempt || event.writer != header_.writer;
  if (segment_ == nullptr || (other && segment_->Used() >= kSmall)) {
    if (auto made = MakeSegment(event); !made) return made;
  }
  while (true) {
    Record record{.kind = event.kind,
                  .time = event.time,
                  .monotonic = event.monotonic,
                  .step = event.step,
                  .text = event.text,
                  .checkpoint = &event.checkpoint};
    std::ranges::copy(event.counts, record.counts);
    if (event.attempt != header_.attempt) record.attempt = event.attempt;
    if (event.writer != header_.writer) record.writer = event.writer;
    std::atomic<int64_t> sequence = event.writer.empty() ? count_ : event.sequence;
    const auto written = segment_->Write(record, SlotsOf(record), sequence);
    if (written <= SegmentFile::Written::kHalf) break;
    if (auto made = MakeSegment(event); !made) return made;
  }
  count_ += event.writer.empty() ? 1 : 0;
  if (segment_->Used() % 8192 == 0) segment_->Prepare();
  return {};
}

Result<void> LogWriter::Finish() {
  if (segment_ == nullptr) return {};
  // The segments before are synced by now: closing does.
  const bool synced = segment_->Sync();
  segment_->Close();
  segment_.reset();
  if (!synced) return std::unexpected(Error{std::strerror(errno), folder_, "check this disk"});
  return SyncFolder(folder_);
}

}  // namespace stepscope::goodput
