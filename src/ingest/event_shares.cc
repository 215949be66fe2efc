// Where shares begin, the threads that read them, and what becomes of them.
#include "ingest/event_shares.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/spare_threads.h"
#include "base/stop.h"
#include "base/window_stream.h"
#include "ingest/json_text.h"

namespace stepscope {
namespace {

constexpr uint64_t kLookBytes = 128 << 10;  // in which a break between two events is looked for

struct Share {
  Share(uint64_t from, KinetoEvents& into) : begin(from), reached(from), events(&into) {}
  Share(uint64_t from, Wanted keep)
      : begin(from), reached(from), own(std::in_place, trace, keep), events(&*own) {}

  uint64_t begin;
  uint64_t reached;  // what is before it was taken
  uint64_t end = 0;
  Trace trace;  // filled by `own`
  std::optional<KinetoEvents> own;
  KinetoEvents* events;
};

// Takes whole events up to the end or to what is none. Returns how many bytes that were.
uint64_t TakeEvents(ByteSource source, KinetoEvents& events) {
  WindowStream stream(std::move(source));
  Window window = stream.Next({});
  char* at = window.begin;
  while (true) {
    while (at < window.end && (IsSpace(*at) || *at == ',')) ++at;
    const auto left = static_cast<size_t>(window.end - at);
    const uint64_t taken = stream.position() - left;
    char* stop = window.last ? window.end : LikelyBreak(at, window.end);
    if (stop == nullptr) {
      if (left >= kEventLimit) return taken;
      window = stream.Next({at, left}, std::max<size_t>(left, 1));
      at = window.begin;
      continue;
    }
    const auto outcome = events.Parse(at, stop, KinetoEvents::Mend::kNo);
    const uint64_t parsed = taken + static_cast<uint64_t>(outcome.at - at);
    at = outcome.at;
    if (outcome.stop == KinetoEvents::Stop::kEndOfArray) return parsed - 1;
    if (outcome.stop != KinetoEvents::Stop::kEndOfText) return parsed;
    if (at == window.end && window.last) return parsed;
  }
}

// A break that is to be seen in the `bytes` behind `offset`.
std::optional<uint64_t> BreakBehind(const ByteSource& source, uint64_t offset, uint64_t bytes) {
  auto part = source.Part(offset, offset + bytes);
  if (!part) return std::nullopt;
  std::string text(bytes, '\0');
  text.resize(part->Read(text));
  const char* comma = LikelyBreak(text.data(), text.data() + text.size());
  if (comma == nullptr) return std::nullopt;
  return offset + static_cast<uint64_t>(comma - text.data());
}

// About equal ones. The first belongs to `events`.
std::deque<Share> Divide(const ByteSource& source, uint64_t from, uint64_t count, Wanted keep,
                         KinetoEvents& events) {
  std::deque<Share> shares;
  shares.emplace_back(from, events);
  const uint64_t each = (source.size() - from) / count;
  for (uint64_t i = 1; i < count; ++i) {
    const auto begin = BreakBehind(source, from + each * i, std::min(each, kLookBytes));
    if (!begin || *begin <= shares.back().begin) continue;
    shares.back().end = *begin;
    shares.emplace_back(*begin, keep);
  }
  shares.back().end = source.size();
  return shares;
}

}  // namespace

char* LikelyBreak(char* begin, char* end) {
  for (char* p = end; p - begin > 2;) {
    if (*--p != '{') continue;  // not memrchr: AddressSanitizer checks all it may read, each time
    char* comma = p;
    while (comma > begin && IsSpace(comma[-1])) --comma;
    if (comma == begin || *--comma != ',') continue;
    char* brace = comma;
    while (brace > begin && IsSpace(brace[-1])) --brace;
    if (brace > begin && brace[-1] == '}') return comma;
  }
  return nullptr;
}

bool CanShare(const ByteSource& source, const ReadOptions& options) {
  return options.spare_threads != nullptr && options.tap == nullptr && source.CanSeek() &&
         source.size() / 2 >= options.least_share;
}

std::optional<uint64_t> ReadInShares(const ByteSource& source, uint64_t from,
                                     const ReadOptions& options, KinetoEvents& events) {
  const uint64_t most = (source.size() - from) / options.least_share;
  if (most < 2) return std::nullopt;
  const SpareThreads helpers(*options.spare_threads, most - 1);
  if (helpers.count() == 0) return std::nullopt;
  auto shares = Divide(source, from, helpers.count() + 1, options.keep, events);
  ParallelFor(shares.size(), shares.size(), [&](size_t i) {
    Share& share = shares[i];
    auto part = source.Part(share.begin, share.end);
    if (part) share.reached += TakeEvents(std::move(*part), *share.events);
  });
  uint64_t reached = shares.front().reached;
  for (size_t i = 1; i < shares.size(); ++i) {
    StopIfAsked();
    if (reached != shares[i].begin || !events.Adopt(*shares[i].events)) break;
    reached = shares[i].reached;
  }
  return reached;
}

}  // namespace stepscope
