// Hands out chunks of text to threads, and joins what they read.
#include "ingest/kineto/event_chunks.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/spare_threads.h"
#include "ingest/kineto/event_shares.h"

namespace stepscope {
namespace {

// Reading takes two to three times as long as inflating, so that more would wait.
constexpr uint64_t kMostHelpers = 4;

struct Chunk {
  size_t number = 0;
  std::string text;
  size_t taken = 0, joined = 0;  // bytes of it
  Trace trace;                   // filled by `events`
  std::optional<KinetoEvents> events;
};
using ChunkPtr = std::unique_ptr<Chunk>;

class Chunks {
 public:
  Chunks(WindowStream& stream, std::string_view text, const ReadOptions& options,
         KinetoEvents& events)
      : stream_(stream), options_(options), carry_(text), events_(events) {}

  // What each thread does until no text is left, or what is left is not for it.
  void Work() {
    while (ChunkPtr chunk = Next()) {
      chunk->events.emplace(chunk->trace, options_.keep);
      chunk->taken = TakeEvents(ByteSource::FromMemory(chunk->text), *chunk->events);
      Join(std::move(chunk));
    }
  }

  // The text behind what was joined. To be called when all threads are done.
  std::string Rest() const {
    std::string rest;
    for (const auto& [number, chunk] : done_) rest += chunk->text.substr(chunk->joined);
    return rest + carry_;
  }

 private:
  ChunkPtr Next();
  std::string EmptyText();
  void Join(ChunkPtr chunk);

  WindowStream& stream_;
  const ReadOptions& options_;

  std::mutex inflating_;  // over the stream and these
  size_t handed_out_ = 0;
  bool ended_ = false;
  std::string carry_;  // the beginning of the next chunk

  std::mutex joining_;  // over these
  KinetoEvents& events_;
  size_t joined_ = 0;
  bool stopped_ = false;                  // the next one to join was not taken as a whole
  std::map<size_t, ChunkPtr> done_;       // not joined yet
  std::vector<std::string> empty_texts_;  // with the memory of texts that were joined
};

// Small ones first: a file may be hardly larger.
size_t SizeOfChunk(size_t number, uint64_t most) {
  return std::max<size_t>(most >> (number < 3 ? 3 - number : 0), 1);
}

// The next text that seems to end between two events; null: there is none.
ChunkPtr Chunks::Next() {
  auto chunk = std::make_unique<Chunk>();
  chunk->text = EmptyText();
  const std::lock_guard lock(inflating_);
  if (ended_) return nullptr;
  std::string& text = chunk->text;
  text = carry_;
  chunk->number = handed_out_++;
  const size_t size = SizeOfChunk(chunk->number, options_.least_share);
  const char* end = nullptr;
  while (end == nullptr && !ended_) {
    const size_t had = text.size();
    text.resize_and_overwrite(
        had + size, [&](char* bytes, size_t) { return had + stream_.Take({bytes + had, size}); });
    ended_ = text.size() < had + size || text.size() > kEventLimit;
    if (!ended_) end = LikelyBreak(text.data(), text.data() + text.size());
  }
  const size_t kept = end == nullptr ? text.size() : static_cast<size_t>(end - text.data());
  carry_.assign(text, kept);
  text.resize(kept);
  return chunk;
}

std::string Chunks::EmptyText() {
  const std::lock_guard lock(joining_);
  if (empty_texts_.empty()) return {};
  std::string text = std::move(empty_texts_.back());
  empty_texts_.pop_back();
  return text;
}

void Chunks::Join(ChunkPtr chunk) {
  const std::lock_guard lock(joining_);
  done_.emplace(chunk->number, std::move(chunk));
  while (!stopped_ && !done_.empty() && done_.begin()->first == joined_) {
    Chunk& next = *done_.begin()->second;
    if (events_.Adopt(*next.events, 1)) next.joined = next.taken;
    stopped_ = next.joined < next.text.size();
    if (stopped_) break;
    ++joined_;
    next.text.clear();
    empty_texts_.push_back(std::move(next.text));
    done_.erase(done_.begin());
  }
  if (!stopped_) return;
  const std::lock_guard no_more(inflating_);
  ended_ = true;
}

}  // namespace

bool ReadInChunks(WindowStream& stream, std::string_view text, const ReadOptions& options,
                  KinetoEvents& events) {
  const SpareThreads helpers(*options.spare_threads, kMostHelpers);
  if (helpers.count() == 0) return false;
  const size_t threads = helpers.count() + 1;
  Chunks chunks(stream, text, options, events);
  ParallelFor(threads, threads, [&](size_t) { chunks.Work(); });
  stream.PutBack(chunks.Rest());
  return true;
}

}  // namespace stepscope
