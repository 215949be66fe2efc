// Asks for ranges, and waits for them.
#include "base/stored_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/stop.h"

namespace stepscope {
namespace {

constexpr uint64_t kRange = uint64_t{4} << 20;           // takes longer than a request's latency
constexpr uint64_t kFirstAtPlace = uint64_t{256} << 10;  // who jumped somewhere may jump on
constexpr size_t kKeptRanges = 12;                       // of those who come back

using Bytes = Awaited<Result<std::string>>;

// Waits for the answer that begin(done) leads to.
template <class T, class Begin>
Result<T> WaitFor(const Begin& begin) {
  const auto answer = std::make_shared<Awaited<Result<T>>>();
  begin([answer](Result<T> result) { answer->Set(std::move(result)); });
  const Result<T>* got = answer->Wait(CurrentStopToken());
  if (got == nullptr) throw Stopped();
  return *got;
}

}  // namespace

StoredFile::StoredFile(StorageRef storage, StoredItem item)
    : storage_(std::move(storage)), item_(std::move(item)), stop_(CurrentStopToken()) {}

StoredFile::Range* StoredFile::Holding(uint64_t offset) {
  const auto holds = [&](const Range& r) { return r.begin <= offset && offset < r.end(); };
  const auto found = std::ranges::find_if(ranges_, holds);
  return found == ranges_.end() ? nullptr : &*found;
}

void StoredFile::Ask(uint64_t begin, uint64_t end, uint64_t size) {
  if (item_.bytes >= 0) end = std::min(end, static_cast<uint64_t>(item_.bytes));
  if (begin >= end || Holding(begin) != nullptr) return;
  const Range range{
      .begin = begin, .size = std::min(size, end - begin), .bytes = std::make_shared<Bytes>()};
  ranges_.push_back(range);
  storage_->read(item_.path, begin, range.size,
                 [bytes = range.bytes](Result<std::string> got) { bytes->Set(std::move(got)); });
}

// Asks for what follows the range of `offset`.
void StoredFile::AskBehind(uint64_t offset, uint64_t end) {
  if (const Range* range = Holding(offset); range != nullptr) Ask(range->end(), end, kRange);
}

std::optional<size_t> StoredFile::Fail(Error error) {
  error_ = std::move(error);
  return std::nullopt;
}

std::optional<size_t> StoredFile::Take(const Range& range, uint64_t offset, std::span<char> out) {
  const Result<std::string>* bytes = range.bytes->Wait(stop_);
  if (bytes == nullptr) return Fail({"reading was canceled", "", ""});
  if (!*bytes) return Fail(bytes->error());
  const uint64_t got_to = range.begin + (*bytes)->size();
  const bool is_short = got_to < range.end();
  if (is_short && item_.bytes >= 0 && got_to < static_cast<uint64_t>(item_.bytes)) {
    return Fail({"the file became shorter while it was read", item_.path,
                 "open it again when it is no longer written"});
  }
  if (is_short) item_.bytes = static_cast<int64_t>(got_to);
  const uint64_t skip = offset - range.begin;
  if (skip >= (*bytes)->size()) return 0;
  const size_t count = std::min<uint64_t>(out.size(), (*bytes)->size() - skip);
  std::memcpy(out.data(), (*bytes)->data() + skip, count);
  return count;
}

std::optional<size_t> StoredFile::ReadOn(uint64_t offset, uint64_t end, std::span<char> out) {
  if (error_) return std::nullopt;
  std::erase_if(ranges_, [&](const Range& r) { return r.end() <= offset; });
  Ask(offset, end, kRange);
  if (item_.any_order) AskBehind(offset, end);
  const Range* range = Holding(offset);
  if (range == nullptr || out.empty() || offset >= end) return 0;
  const auto got = Take(*range, offset, out.first(std::min<uint64_t>(out.size(), end - offset)));
  if (got && !item_.any_order) AskBehind(offset, end);
  return got;
}

void StoredFile::ForgetOldest(uint64_t but_at) {
  while (ranges_.size() > kKeptRanges) {
    const bool needed = &ranges_.front() == Holding(but_at);
    ranges_.erase(ranges_.begin() + (needed ? 1 : 0));
  }
}

std::optional<size_t> StoredFile::ReadAt(uint64_t offset, std::span<char> out) {
  if (error_) return std::nullopt;
  size_t filled = 0;
  while (filled < out.size()) {
    const uint64_t at = offset + filled;
    const bool goes_on = std::ranges::any_of(ranges_, [&](const Range& r) {
      return r.end() == at || (r.begin <= at && at < r.end() && r.size == kRange);
    });
    Ask(at, UINT64_MAX, goes_on ? kRange : std::max(kFirstAtPlace, out.size() - filled));
    if (goes_on) AskBehind(at, UINT64_MAX);
    ForgetOldest(at);
    const Range* range = Holding(at);
    if (range == nullptr) break;
    const auto got = Take(*range, at, out.subspan(filled));
    if (!got || *got == 0) return got && filled > 0 ? std::optional(filled) : got;
    filled += *got;
  }
  return filled;
}

Result<StoredItem> FindStored(const Storage& storage, const std::string& path) {
  return WaitFor<StoredItem>(
      [&](Storage::Done<StoredItem> done) { storage.find(path, std::move(done)); });
}

Result<std::vector<StoredItem>> ListStored(const Storage& storage, const std::string& folder) {
  return WaitFor<std::vector<StoredItem>>(
      [&](Storage::Done<std::vector<StoredItem>> done) { storage.list(folder, std::move(done)); });
}

}  // namespace stepscope
