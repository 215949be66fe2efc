// Writes the Trace Event Format; docs/formats/kineto.md describes the parts in use.
#include "export/chrome.h"

#include <fmt/format.h>

#include <utility>

#include "base/json_writer.h"
#include "ingest/common/microseconds.h"

namespace stepscope {
namespace {

constexpr size_t kFlushAt = size_t{1} << 20;  // bytes of text
constexpr std::string_view kPathProcess = "critical path";

}  // namespace

ChromeFile::ChromeFile(std::string path, KeptTimes kept, const Overlay& overlay,
                       const redact::Redactor* redactor)
    : file_(path, path.ends_with(".gz") ? &gzip_ : nullptr),
      kept_(std::move(kept)),
      overlay_(overlay),
      redactor_(redactor),
      text_("{\n") {
  if (redactor == nullptr) return;
  const auto append = [this](std::string_view bytes) { return file_.Append(bytes); };
  redacted_ = std::make_unique<redact::TextStream>(*redactor, nullptr, append);
}

RawEventObserver ChromeFile::Observer() {
  return {.member = [this](const ObservedMember& member) { TakeMember(member); },
          .event = [this](const ObservedEvent& event) { TakeEvent(event); }};
}

void ChromeFile::TakeEvent(const ObservedEvent& event) {
  if (event.has_time && !kept_.Has(event.kind, event.start, event.duration)) return;
  const EventMark* mark = MarkOf(event);
  const bool critical = mark != nullptr && mark->critical;
  const bool stays = !event.has_time || EventMarks::StaysWithCritical(event.kind);
  if (overlay_.marks.only_critical && !critical && !stays) return;
  BeginEvent();
  if (event.mended) ++mended_;
  if (mark == nullptr)
    text_ += event.text;
  else
    text_ += WithArguments(event.text, overlay_.marks.ArgumentsOf(*mark));
}

// Facts know a redacted trace by its pseudonyms.
const EventMark* ChromeFile::MarkOf(const ObservedEvent& event) const {
  if (overlay_.marks.empty() || !event.has_time) return nullptr;
  const int64_t end = event.start + event.duration;
  if (redactor_ == nullptr) return overlay_.marks.Find(event.start, end, event.name);
  return overlay_.marks.Find(event.start, end, redactor_->Text(event.name));
}

void ChromeFile::TakeMember(const ObservedMember& observed) {
  const std::string member = fmt::format("{}: {}", observed.key, observed.value);
  if (observed.mended) ++mended_;
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
  if (written_) written_ = redacted_ ? redacted_->Add(text_) : file_.Append(text_);
  text_.clear();
}

void ChromeFile::AddOverlay() {
  for (const CounterTrack& counter : overlay_.counters) AddCounter(counter);
  if (!overlay_.path.empty()) AddPath(overlay_);
}

template <class Write>
void ChromeFile::AddEvent(std::string_view phase, const Write& write) {
  BeginEvent();
  JsonWriter json(std::move(text_));
  json.BeginObject(JsonWriter::Form::kOneLine);
  json.Text("ph", phase);
  write(json);
  json.End();
  text_ = std::move(json).Take();
}

// Viewers show a counter in its process, and the process of a device's events has its number.
void ChromeFile::AddCounter(const CounterTrack& counter) {
  for (const StepCurve::Point& point : counter.points) {
    AddEvent("C", [&](JsonWriter& json) {
      json.Text("name", counter.name);
      json.Number("pid", counter.device);
      json.Key("ts");
      json.Raw(Microseconds(point.time));
      json.Key("args");
      json.BeginObject(JsonWriter::Form::kOneLine);
      json.Key(counter.unit);
      json.Double(static_cast<double>(point.level) * counter.scale);
      json.End();
    });
  }
}

void ChromeFile::AddPath(const Overlay& overlay) {
  const auto place = [&](JsonWriter& json) {
    json.Text("pid", kPathProcess);
    json.Text("tid", overlay.path_covers);
  };
  const auto name_it = [&](std::string_view what, const auto& write_arg) {
    AddEvent("M", [&](JsonWriter& json) {
      json.Text("name", what);
      place(json);
      json.Key("args");
      json.BeginObject(JsonWriter::Form::kOneLine);
      write_arg(json);
      json.End();
    });
  };
  name_it("process_name", [](JsonWriter& json) { json.Text("name", kPathProcess); });
  name_it("process_sort_index",
          [](JsonWriter& json) { json.Number("sort_index", -1); });  // above all others
  name_it("thread_name", [&](JsonWriter& json) { json.Text("name", overlay.path_covers); });
  for (const PathPiece& piece : overlay.path) {
    AddEvent("X", [&](JsonWriter& json) {
      json.Text("cat", "critical_path");
      json.Text("name", piece.name);
      place(json);
      json.Key("ts");
      json.Raw(Microseconds(piece.start));
      json.Key("dur");
      json.Raw(Microseconds(piece.end - piece.start));
      json.Key("args");
      json.BeginObject(JsonWriter::Form::kOneLine);
      json.Text("bound", piece.bound);
      json.Text("where", piece.where);
      json.End();
    });
  }
}

Result<void> ChromeFile::Finish() {
  if (!in_events_) text_ += "\"traceEvents\": [";
  text_ += "\n]" + members_ + "\n}\n";
  Flush();
  if (written_ && redacted_) written_ = redacted_->Finish();
  if (!written_) return written_;
  if (auto done = file_.Finish(); !done) return done;
  return file_.Commit();
}

}  // namespace stepscope
