// Divides the text into shares, reads them on threads, and joins the results.
#include "ingest/kineto/event_shares.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/spare_threads.h"
#include "base/stop.h"
#include "base/window_stream.h"
#include "ingest/json/json_text.h"

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

// How large shares are to be: one for each thread, which take most, then small ones for threads
// that are done before others. None is smaller than `least`.
std::vector<uint64_t> SizesOfShares(uint64_t bytes, uint64_t threads, uint64_t least) {
  const uint64_t rest = bytes / 5, small = std::min(2 * threads, rest / least);
  std::vector<uint64_t> sizes(threads, (small == 0 ? bytes : bytes - rest) / threads);
  if (small > 0) sizes.insert(sizes.end(), small, rest / small);
  return sizes;
}

// The first belongs to `events`.
std::deque<Share> Divide(const ByteSource& source, uint64_t from, uint64_t threads,
                         const ReadOptions& options, KinetoEvents& events) {
  std::deque<Share> shares;
  shares.emplace_back(from, events);
  uint64_t at = from;
  for (const uint64_t size : SizesOfShares(source.size() - from, threads, options.least_share)) {
    const auto begin =
        at == from ? std::optional(from) : BreakBehind(source, at, std::min(size, kLookBytes));
    at += size;
    if (!begin || *begin <= shares.back().begin) continue;
    shares.back().end = *begin;
    shares.emplace_back(*begin, options.keep);
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

bool CanShare(const ByteSource& source, const ReadOptions& options) {
  return options.spare_threads != nullptr && options.observer == nullptr && source.CanSeek() &&
         source.size() / 2 >= options.least_share;
}

std::optional<uint64_t> ReadInShares(const ByteSource& source, uint64_t from,
                                     const ReadOptions& options, KinetoEvents& events) {
  const uint64_t most = (source.size() - from) / options.least_share;
  if (most < 2) return std::nullopt;
  const SpareThreads helpers(*options.spare_threads, most - 1);
  if (helpers.count() == 0) return std::nullopt;
  const uint64_t threads = helpers.count() + 1;
  auto shares = Divide(source, from, threads, options, events);
  ParallelFor(shares.size(), threads, [&](size_t i) {
    Share& share = shares[i];
    auto part = source.Part(share.begin, share.end);
    if (part) share.reached += TakeEvents(std::move(*part), *share.events);
  });
  uint64_t reached = shares.front().reached;
  for (size_t i = 1; i < shares.size(); ++i) {
    StopIfAsked();
    if (reached != shares[i].begin || !events.Adopt(*shares[i].events, threads)) break;
    reached = shares[i].reached;
  }
  return reached;
}

}  // namespace stepscope
