// Walks the document around the events: an object with "traceEvents" among its members, or a bare array.
//
// Members other than the events may come before or after them and be of any size; the small ones that
// say something about the recording are captured, the rest is passed over without being held.
#include "ingest/kineto_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/json_text.h"
#include "ingest/kineto_events.h"
#include "ingest/window_stream.h"

namespace stepscope {
namespace {

constexpr size_t kCaptureLimit = size_t{4} << 20;  // of members that are looked at
constexpr size_t kEventLimit = size_t{64} << 20;   // an event larger than this is taken to be damage
constexpr int64_t kResyncLimit = 100;              // how often reading goes on behind such damage

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The comma between two events that is nearest to the end, by looks: "}" "," "{" with only space
// between, which inside a string or an event's own arrays could look the same. Null if there is none.
char* LikelyBreak(char* begin, char* end) {
  for (char* p = end; p - begin > 2;) {
    p = static_cast<char*>(memrchr(begin, '{', static_cast<size_t>(p - begin)));
    if (p == nullptr) return nullptr;
    char* comma = p;
    while (comma > begin && IsSpace(comma[-1])) --comma;
    if (comma == begin || *--comma != ',') continue;
    char* brace = comma;
    while (brace > begin && IsSpace(brace[-1])) --brace;
    if (brace > begin && brace[-1] == '}') return comma;
  }
  return nullptr;
}

// The next "{" that is followed by "ph", the key events begin with; null if there is none.
char* NextEventByLooks(char* from, char* end) {
  constexpr std::string_view kKey = "\"ph\"";
  std::string_view text(from, static_cast<size_t>(end - from));
  for (size_t key = text.find(kKey); key != text.npos; key = text.find(kKey, key + 1)) {
    size_t brace = key;
    while (brace > 0 && IsSpace(text[brace - 1])) --brace;
    if (brace > 0 && text[brace - 1] == '{') return from + brace - 1;
  }
  return nullptr;
}

class Reader {
 public:
  Reader(ByteSource source, const ReadOptions& options)
      : stream_(std::move(source), options.read_ahead), events_(trace_, options.keep) {
    Advance(stream_.Next({}));
  }

  Result<Trace> Read();

 private:
  void Advance(Window window) {
    window_ = window;
    at_ = window.begin;
  }
  void ReadMore() {
    const auto left = static_cast<size_t>(window_.end - at_);
    Advance(stream_.Next({at_, left}, std::max<size_t>(left, 1)));
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
  bool ReadAroundDamage();
  bool Resync();
  char* EndOfWholeEvents() const;
  void TakeDistributedInfo(const std::string& json);
  void TakeDeviceProperties(const std::string& json);
  void NoteEnd(bool whole);

  Trace trace_;
  WindowStream stream_;
  KinetoEvents events_;
  Window window_;
  char* at_ = nullptr;
  bool saw_events_ = false;
  bool broken_off_ = false;  // the events were not read to the end of their array
  int64_t resyncs_ = 0;
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
  std::string text;
  int64_t depth = 0;
  bool in_string = false;
  bool escaped = false;
  for (Peek(); at_ < window_.end || !window_.last;) {
    if (at_ == window_.end) {
      Advance(stream_.Next({}));
      continue;
    }
    const char c = *at_;
    if (!in_string && depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':')) break;
    ++at_;
    if (text.size() < kCaptureLimit) text += c;
    if (in_string) {
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    if (!in_string && depth == 0 && (c == '"' || c == '}' || c == ']')) break;
  }
  return text;
}

// Parses up to the last event of the window that looks whole, then moves on; until the array ends.
void Reader::ReadEvents() {
  saw_events_ = true;
  while (!broken_off_) {
    char* stop = LikelyBreak(at_, window_.end);
    if (stop == nullptr && !window_.last && static_cast<size_t>(window_.end - at_) < kEventLimit) {
      ReadMore();
      continue;
    }
    if (stop == nullptr) stop = window_.end;
    const auto outcome = events_.Parse(at_, stop);
    at_ = outcome.at;
    if (outcome.stop == KinetoEvents::Stop::kEndOfArray) return;
    if (outcome.stop == KinetoEvents::Stop::kBroken) {
      broken_off_ = !ReadAroundDamage();
    } else if (stop < window_.end) {
      ++at_;  // the comma
    } else {
      broken_off_ = true;  // the text ends between two events
    }
  }
}

// Behind the last event of the window that is whole by its brackets and strings; at_ if there is none.
char* Reader::EndOfWholeEvents() const {
  char* whole = at_;
  for (char* p = at_; p < window_.end;) {
    while (p < window_.end && (IsSpace(*p) || *p == ',')) ++p;
    const char* behind = EndOfValue(p, window_.end);
    if (behind == nullptr || behind == p) break;
    p += behind - p;
    whole = p;
  }
  return whole;
}

// The event at hand would not parse: because the window, or the guess at its last event, cut it in two;
// because the input ends in it; or because it is no JSON. A slower walk over brackets and strings tells
// which. Returns whether there is more to read.
bool Reader::ReadAroundDamage() {
  char* stop = EndOfWholeEvents();
  if (stop == at_) {
    while (at_ < window_.end && (IsSpace(*at_) || *at_ == ',')) ++at_;
    if (EndOfValue(at_, window_.end) == at_) {  // a bracket that closes nothing
      trace_.notes.Add(NoteKind::kMalformed);
      ++at_;
      return true;
    }
    if (window_.last || static_cast<size_t>(window_.end - at_) >= kEventLimit) return Resync();
    ReadMore();
    return true;
  }
  const auto outcome = events_.Parse(at_, stop);
  at_ = stop;
  if (outcome.stop == KinetoEvents::Stop::kBroken) {
    trace_.notes.Add(NoteKind::kMalformed);
    const char* behind = EndOfValue(outcome.at, stop);
    if (behind != nullptr && behind > outcome.at) at_ = outcome.at + (behind - outcome.at);
  }
  while (at_ < window_.end && (IsSpace(*at_) || *at_ == ',')) ++at_;
  return true;
}

// The event at hand never ends, as after a quote that was not escaped: goes on where one begins again.
bool Reader::Resync() {
  if (at_ == window_.end || ++resyncs_ > kResyncLimit) return false;
  char* next = NextEventByLooks(at_ + 1, window_.end);
  if (next == nullptr) return false;
  trace_.notes.Add(NoteKind::kMalformed);
  at_ = next;
  return true;
}

void Reader::TakeDistributedInfo(const std::string& json) {
  const auto info = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!info.is_object()) return;
  const auto number = [&](const char* key) -> std::optional<int64_t> {
    const auto at = info.find(key);
    if (at == info.end()) return std::nullopt;
    if (at->is_number_unsigned() && at->get<uint64_t>() > INT64_MAX) return std::nullopt;
    if (at->is_number_integer() && at->get<int64_t>() >= 0) return at->get<int64_t>();
    if (at->is_string()) return ScaleDecimal(at->get<std::string>(), 0);
    return std::nullopt;
  };
  trace_.meta.rank = number("rank");
  trace_.meta.world_size = number("world_size");
}

void Reader::TakeDeviceProperties(const std::string& json) {
  const auto devices = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!devices.is_array() || devices.empty() || !devices[0].is_object()) return;
  const auto name = devices[0].find("name");
  if (name != devices[0].end() && name->is_string()) trace_.meta.device_name = *name;
}

// Reads `"key": value`, having taken the quote for granted. Returns false at the end of the input.
bool Reader::ReadMember() {
  const std::string token = CaptureValue();
  std::string scratch;
  const std::string_view key = TextOf(token, scratch);
  if (!Consume(':')) return false;
  if (key == "traceEvents" && Consume('[')) {
    ReadEvents();
    return true;
  }
  const std::string value = CaptureValue();
  if (key == "distributedInfo") TakeDistributedInfo(value);
  if (key == "deviceProperties") TakeDeviceProperties(value);
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
    case InputEnd::kReadError: return trace_.notes.Add(NoteKind::kCorrupt);
    case InputEnd::kTruncated: return trace_.notes.Add(NoteKind::kTruncated);
    case InputEnd::kTrailingBytes: trace_.notes.Add(NoteKind::kTrailingBytes); break;
    case InputEnd::kOpen:
    case InputEnd::kClean: break;
  }
  if (resyncs_ > kResyncLimit) return trace_.notes.Add(NoteKind::kMalformed);
  if (broken_off_ || !whole) trace_.notes.Add(NoteKind::kTruncated);
}

Result<Trace> Reader::Read() {
  if (std::string_view(at_, static_cast<size_t>(window_.end - at_)).starts_with("\xef\xbb\xbf")) {
    at_ += 3;  // a byte order mark
  }
  const char first = Peek();
  if (first == '\0' && at_ == window_.end) {
    const bool damaged = stream_.end() != InputEnd::kClean;
    return std::unexpected(Error{damaged ? "the compressed data is damaged from its beginning"
                                         : "the file is empty", "", ""});
  }
  bool whole = true;
  if (Consume('[')) {
    ReadEvents();
  } else if (Consume('{')) {
    whole = ReadMembers();
  } else {
    return std::unexpected(Error{"the file is not JSON", "", ""});
  }
  if (!saw_events_) {
    return std::unexpected(
        Error{whole ? "the JSON holds no \"traceEvents\"" : "the file ends before any \"traceEvents\"",
              "", ""});
  }
  if (whole && !broken_off_ && Peek() != '\0') trace_.notes.Add(NoteKind::kTrailingBytes);
  while (!window_.last) Advance(stream_.Next({}));  // to the checksum
  NoteEnd(whole);
  events_.Finish();
  return std::move(trace_);
}

}  // namespace

Result<Trace> ReadKineto(ByteSource source, const ReadOptions& options) {
  try {
    return Reader(std::move(source), options).Read();
  } catch (const std::bad_alloc&) {
    return std::unexpected(Error{"there is not enough memory for this trace", "",
                                 "analyse fewer ranks at a time, or use a machine with more memory"});
  }
}

}  // namespace stepscope
