// Walks the document around the events: an object with "traceEvents" among its members, or a bare
// array, of events or of the entries of a memory timeline.
//
// Members other than the events may come before or after them and be of any size; the small ones
// that say something about the recording are captured, the rest is passed over without being held.
#include "ingest/kineto/kineto_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/window_stream.h"
#include "ingest/json/json_text.h"
#include "ingest/json/strict_json.h"
#include "ingest/kineto/event_chunks.h"
#include "ingest/kineto/event_shares.h"
#include "ingest/kineto/kineto_events.h"
#include "ingest/kineto/kineto_members.h"
#include "ingest/kineto/memory_changes.h"

namespace stepscope {
namespace {

constexpr std::string_view kEventsKey = "traceEvents";
constexpr size_t kCaptureLimit = size_t{4} << 20;   // of members that are looked at
constexpr size_t kObserverLimit = size_t{1} << 30;  // of members that are told to an observer
constexpr int64_t kResyncLimit = 100;               // how often reading goes on behind damage
constexpr int kSharesLimit = 4;  // how often reading in shares may end before the events do

// Finds where a value ends that is read in several parts.
class ValueEnd {
 public:
  // Moves `at` to the end of the value, or of this part of it: whether it is the value's.
  bool Find(char*& at, const char* end) {
    for (; at < end; ++at) {
      const char c = *at;
      if (in_string_) {
        in_string_ = escaped_ || c != '"';
        escaped_ = !escaped_ && c == '\\';
        if (in_string_ || depth_ > 0) continue;
      } else if (c == '"') {
        in_string_ = true;
        continue;
      } else if (c == '{' || c == '[') {
        ++depth_;
        continue;
      } else if (depth_ == 0) {
        if (c == ',' || c == '}' || c == ']' || c == ':') return true;
        continue;
      } else if ((c != '}' && c != ']') || --depth_ > 0) {
        continue;
      }
      ++at;
      return true;
    }
    return false;
  }

 private:
  int64_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

class Reader {
 public:
  Reader(ByteSource source, const ReadOptions& options)
      : options_(options),
        in_chunks_(options.spare_threads != nullptr && options.observer == nullptr &&
                   source.compressed()),
        stream_{ToRead(source, options, shared_),
                shared_ || in_chunks_ ? nullptr : options.spare_threads},
        events_(trace_, options.keep, options.observer),
        changes_(trace_, options.keep.Has(Kind::kInstant)),
        observer_(options.observer) {
    Advance(stream_.Next({}));
  }

  Result<Trace> Read();

 private:
  // What is read in order: `source`, or a part that is all of it, if `shared` is to keep it.
  static ByteSource ToRead(ByteSource& source, const ReadOptions& options,
                           std::optional<ByteSource>& shared) {
    if (!CanShare(source, options)) return std::move(source);
    auto part = source.Part(0, source.size());
    if (!part) return std::move(source);
    shared = std::move(source);
    return std::move(*part);
  }
  void Advance(Window window) {
    window_ = window;
    at_ = window.begin;
  }
  void ReadMore() {
    const auto left = static_cast<size_t>(window_.end - at_);
    const size_t room = kEventLimit - std::min(left, kEventLimit);
    Advance(stream_.Next({at_, left}, std::max<size_t>(std::min(left, room), 1)));
  }
  void SkipCommas() {
    while (at_ < window_.end && (IsSpace(*at_) || *at_ == ',')) ++at_;
  }
  // The character at hand, behind any space; 0 at the end of the input.
  char Peek();
  bool Consume(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  bool ReadMembers();
  bool ReadMember();
  std::string CaptureValue();
  void ReadEvents();
  void TryShares();
  void TryChunks();
  void ReadMemoryChanges();
  Error WhyNoTrace(bool whole) const;
  bool AtEnd() { return Peek() == '\0' && at_ == window_.end; }
  // Whether what follows the array of events can follow it: damage may have shown a false bracket.
  bool ArrayMayEndHere() { return AtEnd() || (!bare_ && (*at_ == ',' || *at_ == '}')); }
  bool Resync(char* end);
  char* EndOfWholeEvents() const;
  void TapMember(const std::string& key, const std::string& value);
  void NoteEnd(bool whole);

  const ReadOptions& options_;
  Trace trace_;
  std::optional<ByteSource> shared_;  // the whole of a file that threads may read at once
  bool in_chunks_;                    // a file that they may read as it is inflated
  WindowStream stream_;
  KinetoEvents events_;
  MemoryChanges changes_;
  const RawEventObserver* observer_;
  Window window_;
  char* at_ = nullptr;
  bool bare_ = false;  // the document is an array of events, not an object around one
  bool saw_events_ = false;
  bool saw_nodes_ = false;  // with a schema, what an execution trace has
  bool saw_schema_ = false;
  bool broken_off_ = false;  // the events were not read to the end of their array
  int64_t resyncs_ = 0;
  int shares_left_ = kSharesLimit;
};

char Reader::Peek() {
  while (true) {
    while (at_ < window_.end && IsSpace(*at_)) ++at_;
    if (at_ < window_.end) return *at_;
    if (window_.last) return '\0';
    Advance(stream_.Next({}));
  }
}

// A value's text, from where it begins; cut off at the limit, though read to its end.
std::string Reader::CaptureValue() {
  const size_t limit = observer_ == nullptr ? kCaptureLimit : kObserverLimit;
  std::string text;
  ValueEnd value;
  for (Peek(); at_ < window_.end || !window_.last;) {
    const char* const from = at_;
    const bool ends = value.Find(at_, window_.end);
    text.append(from, std::min(static_cast<size_t>(at_ - from), limit - text.size()));
    if (ends) break;
    Advance(stream_.Next({}));
  }
  return text;
}

// Has several threads read on from here, as far as they get, if that is of use.
void Reader::TryShares() {
  if (shares_left_ == 0) return;
  if (in_chunks_) return TryChunks();
  if (!shared_) return;
  const uint64_t window_end = stream_.position();
  const uint64_t from = window_end - static_cast<uint64_t>(window_.end - at_);
  const auto reached = ReadInShares(*shared_, from, options_, events_);
  if (!reached) return;
  --shares_left_;
  at_ = window_.end;
  if (*reached > window_end) {
    stream_.Skip(*reached - window_end);
    Advance(stream_.Next({}));
  } else {
    at_ -= window_end - *reached;
  }
  SkipCommas();
}

void Reader::TryChunks() {
  const std::string_view unread(at_, static_cast<size_t>(window_.end - at_));
  if (window_.last || !ReadInChunks(stream_, unread, options_, events_)) return;
  if (--shares_left_ == 0) stream_.ReadAhead(options_.spare_threads);
  Advance(stream_.Next({}));
  SkipCommas();
}

// Parses up to the last event of the window that looks whole, then moves on; until the array ends.
// Where looks deceive (the guess was inside a string or an event's own array, or a quote is
// missing) a slower walk over brackets and strings finds the last whole event.
void Reader::ReadEvents() {
  saw_events_ = true;
  bool careful = false;
  while (!broken_off_) {
    if (!careful) TryShares();
    char* stop = careful ? EndOfWholeEvents() : LikelyBreak(at_, window_.end);
    const bool all_there_is = window_.last || static_cast<size_t>(window_.end - at_) >= kEventLimit;
    if (stop == nullptr && (careful || !all_there_is)) {
      if (!all_there_is)
        ReadMore();
      else
        broken_off_ = !Resync(window_.end);
      careful = false;
      continue;
    }
    if (stop == nullptr) stop = window_.end;
    const auto outcome = events_.Parse(at_, stop);
    at_ = outcome.at;
    if (outcome.stop == KinetoEvents::Stop::kEndOfArray) {
      if (ArrayMayEndHere() || !Resync(window_.end)) return;
      careful = false;
      continue;
    }
    const bool broken = outcome.stop == KinetoEvents::Stop::kBroken;
    if (broken && careful && !Resync(stop)) {
      trace_.notes.Add(NoteKind::kMalformed);
      at_ = stop;
    }
    careful = broken && !careful;
    if (outcome.stop != KinetoEvents::Stop::kEndOfText) continue;
    SkipCommas();
    broken_off_ = at_ == window_.end && window_.last;  // the text ends between two events
  }
}

void Reader::ReadMemoryChanges() {
  trace_.meta.memory_only = true;
  while (true) {
    const auto outcome = changes_.Parse(at_, window_.end, window_.last);
    at_ = outcome.at;
    if (outcome.stop == MemoryChanges::Stop::kEndOfArray) {
      if (Peek() != ',' && Peek() != '[') return;
      trace_.notes.Add(NoteKind::kMalformed);  // a bracket too many: the list goes on
    } else if (window_.last) {
      broken_off_ = true;
      return;
    } else {
      ReadMore();
    }
  }
}

// Behind the last element of the window that is whole by its brackets and strings, or behind the
// bracket that ends the array; null if there is none.
char* Reader::EndOfWholeEvents() const {
  char* whole = nullptr;
  for (char* p = at_; p < window_.end;) {
    if (IsSpace(*p) || *p == ',') {
      ++p;
      continue;
    }
    if (*p == ']') return p + 1;
    const char* behind = EndOfValue(p, window_.end);
    if (behind == nullptr) break;
    p += std::max<std::ptrdiff_t>(behind - p, 1);  // 1: a bracket that closes nothing
    whole = p;
  }
  return whole;
}

// The event at hand never ends, as after a quote that was not escaped: goes on where one begins
// again before `end`. Returns whether there is such a place.
bool Reader::Resync(char* end) {
  if (at_ == end || ++resyncs_ > kResyncLimit) return false;
  char* next = NextEventByLooks(at_ + 1, end);
  if (next == nullptr) return false;
  trace_.notes.Add(NoteKind::kMalformed);
  at_ = next;
  return true;
}

// Tells of a member that is whole and JSON. There can be no second list of events.
void Reader::TapMember(const std::string& key, const std::string& value) {
  if (observer_ == nullptr) return;
  StrictJson strict_key, strict;
  const auto of_key = strict_key.CheckWhole(key), outcome = strict.CheckWhole(value);
  std::string scratch;
  if (of_key == StrictJson::Outcome::kNoJson || outcome == StrictJson::Outcome::kNoJson ||
      TextOf(key, scratch) == kEventsKey)
    return trace_.notes.Add(NoteKind::kMalformed);
  constexpr auto kMended = StrictJson::Outcome::kMended;
  observer_->member({.key = strict_key.text(),
                     .value = strict.text(),
                     .mended = of_key == kMended || outcome == kMended});
}

// Reads `"key": value`, having taken the quote for granted. Returns false at the end of the input.
bool Reader::ReadMember() {
  const std::string token = CaptureValue();
  std::string scratch;
  const std::string_view key = TextOf(token, scratch);
  if (!Consume(':')) return false;
  if (key == kEventsKey && Consume('[')) {
    ReadEvents();
    return true;
  }
  saw_nodes_ = saw_nodes_ || key == "nodes";
  saw_schema_ = saw_schema_ || key == "schema";
  const std::string value = CaptureValue();
  TapMember(token, value);
  TakeMember(key, value, trace_.meta);
  return true;
}

// Reads members up to the closing bracket; false if the input ends before it.
bool Reader::ReadMembers() {
  if (Consume('}')) return true;
  while (Peek() == '"') {
    if (!ReadMember()) return false;
    if (Consume('}')) return true;
    if (!Consume(',')) return false;
  }
  return false;
}

// Notes how the input ended; `whole`: the document did, though the file may not.
void Reader::NoteEnd(bool whole) {
  switch (stream_.end()) {
    case InputEnd::kCorrupt:
      return trace_.notes.Add(NoteKind::kCorrupt);
    case InputEnd::kReadError:
    case InputEnd::kTruncated:
      return trace_.notes.Add(NoteKind::kTruncated);
    case InputEnd::kTrailingBytes:
      trace_.notes.Add(NoteKind::kTrailingBytes);
      break;
    case InputEnd::kOpen:
    case InputEnd::kClean:
      break;
  }
  if (resyncs_ > kResyncLimit) return trace_.notes.Add(NoteKind::kMalformed);
  if (broken_off_ || !whole) trace_.notes.Add(NoteKind::kTruncated);
}

Error Reader::WhyNoTrace(bool whole) const {
  if (trace_.meta.memory_only) {
    return {"the JSON is a list of lists, but not of memory changes", "",
            "for a memory timeline, give the file that PyTorch exports as *.raw.json.gz"};
  }
  if (saw_nodes_ && saw_schema_) {
    return {
        "the file is an execution trace of PyTorch (ET, Chakra): it has operators and their "
        "inputs, and no times of devices",
        "",
        "give the trace that PyTorch's profiler recorded of the same run; with "
        "record_shapes=True it has the inputs too"};
  }
  return {whole ? "the JSON has no \"traceEvents\"" : "the file ends before any \"traceEvents\"",
          "", ""};
}

Result<Trace> Reader::Read() {
  if (std::string_view(at_, static_cast<size_t>(window_.end - at_)).starts_with(kByteOrderMark)) {
    at_ += kByteOrderMark.size();
  }
  if (AtEnd()) {
    const bool damaged = stream_.end() != InputEnd::kClean;
    if (damaged)
      return std::unexpected(Error{"cannot read the file: compressed data is damaged", "", ""});
    return std::unexpected(Error{"the file is empty", "",
                                 "record again: the writer was cut off, or the profile exceeded "
                                 "2 GB, where TensorFlow and JAX leave an empty file: record for a "
                                 "shorter time then"});
  }
  bool whole = true;
  if (Consume('[')) {
    bare_ = true;
    if (Peek() == '[')
      ReadMemoryChanges();
    else
      ReadEvents();
  } else if (Consume('{')) {
    whole = ReadMembers();
  } else {
    // Protocols 2 to 5 begin so.
    const bool pickle = Peek() == '\x80';
    return std::unexpected(
        pickle ? Error{"the file is no trace but a pickle of Python", "",
                       "memory snapshots are read by 'stepscope memory', Flight Recorder dumps by "
                       "'stepscope hang'"}
               : Error{"the file is not JSON", "", ""});
  }
  if (!saw_events_ && !changes_.found_any()) {
    const Error why = WhyNoTrace(whole);
    return std::unexpected(why);
  }
  if (whole && !broken_off_ && !AtEnd()) trace_.notes.Add(NoteKind::kTrailingBytes);
  while (!window_.last) Advance(stream_.Next({}));  // to the checksum
  NoteEnd(whole);
  events_.Finish();
  return std::move(trace_);
}

}  // namespace

Result<Trace> ReadKineto(ByteSource source, const ReadOptions& options) {
  return Reader(std::move(source), options).Read();
}

}  // namespace stepscope
