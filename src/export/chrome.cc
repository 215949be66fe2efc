// Writes the Trace Event Format; docs/formats/kineto.md describes the parts in use.
#include "export/chrome.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kFlushAt = size_t{1} << 20;  // bytes of text
constexpr std::string_view kPathProcess = "critical path";

std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A time of the file: microseconds with all digits.
std::string Microseconds(int64_t ns) {
  const uint64_t size = ns < 0 ? -static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

}  // namespace

ChromeFile::ChromeFile(std::string path, KeptTimes kept)
    : file_(std::move(path), &gzip_), kept_(std::move(kept)), text_("{\n") {}

RawEventObserver ChromeFile::Observer() {
  return {
      .member = [this](std::string_view key, std::string_view value) { TakeMember(key, value); },
      .event =
          [this](const ObservedEvent& event) {
            if (event.has_time && !kept_.Has(event.kind, event.start, event.duration)) return;
            BeginEvent();
            text_ += event.text;
          }};
}

void ChromeFile::TakeMember(std::string_view key, std::string_view value) {
  const std::string member = fmt::format("{}: {}", key, value);
  if (in_events_) {
    members_ += ",\n" + member;
  } else {
    text_ += member + ",\n";
  }
}

void ChromeFile::BeginEvent() {
  if (text_.size() >= kFlushAt) Flush();
  text_ += in_events_ ? ",\n" : "\"traceEvents\": [\n";
  in_events_ = true;
  ++events_;
}

void ChromeFile::Flush() {
  if (written_) written_ = file_.Append(text_);
  text_.clear();
}

void ChromeFile::Add(const Overlay& overlay) {
  for (const CounterTrack& counter : overlay.counters) AddCounter(counter);
  if (!overlay.path.empty()) AddPath(overlay);
}

// Viewers show a counter in its process, and the process of a device's events has its number.
void ChromeFile::AddCounter(const CounterTrack& counter) {
  const std::string name = Quoted(counter.name), unit = Quoted(counter.unit);
  for (const StepCurve::Point& point : counter.points) {
    BeginEvent();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"ph": "C", "name": {}, "pid": {}, "ts": {}, "args": {{{}: {}}}}})", name,
                   counter.device, Microseconds(point.time), unit,
                   static_cast<double>(point.level) * counter.scale);
  }
}

void ChromeFile::AddPath(const Overlay& overlay) {
  const std::string process = Quoted(kPathProcess), thread = Quoted(overlay.path_covers);
  const auto name_it = [&](std::string_view what, std::string_view args) {
    BeginEvent();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"ph": "M", "name": "{}", "pid": {}, "tid": {}, "args": {{{}}}}})", what,
                   process, thread, args);
  };
  name_it("process_name", fmt::format(R"("name": {})", process));
  name_it("process_sort_index", R"("sort_index": -1)");  // above all others
  name_it("thread_name", fmt::format(R"("name": {})", thread));
  for (const PathPiece& piece : overlay.path) {
    BeginEvent();
    fmt::format_to(
        std::back_inserter(text_),
        R"({{"ph": "X", "cat": "critical_path", "name": {}, "pid": {}, "tid": {}, "ts": {}, "dur": {}, )"
        R"("args": {{"bound": "{}", "where": {}}}}})",
        Quoted(piece.name), process, thread, Microseconds(piece.start),
        Microseconds(piece.end - piece.start), piece.bound, Quoted(piece.where));
  }
}

Result<void> ChromeFile::Finish() {
  if (!in_events_) text_ += "\"traceEvents\": [";
  text_ += "\n]" + members_ + "\n}\n";
  Flush();
  if (!written_) return written_;
  if (auto done = file_.Finish(); !done) return done;
  return file_.Commit();
}

}  // namespace stepscope
