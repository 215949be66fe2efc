// Turns bytes into objects, objects into entries, and entries into events.
#include "goodput/events/json_lines.h"

#include <simdjson.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "base/window_stream.h"
#include "goodput/events/entry.h"
#include "goodput/events/json_objects.h"
#include "goodput/events/template_cache.h"

namespace stepscope::goodput {
namespace {

namespace dom = simdjson::dom;

void SetField(Entry& entry, Field field, dom::element value) {
  double number = 0;
  int64_t integer = 0;
  std::string_view text;
  if (value.get_int64().get(integer) == simdjson::SUCCESS) {
    entry.SetInteger(field, integer);
  } else if (value.get_double().get(number) == simdjson::SUCCESS) {
    entry.SetNumber(field, number);
  } else if (value.get_string().get(text) == simdjson::SUCCESS) {
    entry.SetText(field, text);
  } else {
    entry.SetNull(field);
  }
}

void FillEntry(Entry& entry, dom::object object) {
  entry.Clear();
  for (const auto& [key, value] : object) {
    if (const Field field = FieldNamed(key); field != Field::kCount) SetField(entry, field, value);
  }
}

class Reader {
 public:
  Reader(Notes& note_counts, const EventSink& sink) : note_counts_(note_counts), sink_(sink) {}

  void Take(std::string_view object) {
    checks_.Turn();
    if (const Event* event = forms_.Read(object, note_counts_)) {
      Emit(*event);
    } else {
      TakeAnyJson(object);
    }
  }

  // Those that are as others before but for their numbers.
  void TakeKnown(std::string_view& text) {
    while (const Event* event = forms_.ReadKnown(text, note_counts_)) Emit(*event);
  }

  void Finish() {
    std::ranges::stable_sort(exported_, {},
                             [](const Exported& e) { return std::tie(e.timestamp, e.insert_id); });
    for (const Exported& exported : exported_) sink_(exported.event);
    exported_.clear();
  }

 private:
  // A LogEntry's event and what it is sorted by. RFC 3339 times in UTC sort as texts once their
  // fractions are equally long.
  struct Exported {
    std::string timestamp, insert_id;
    Event event;
  };

  void Emit(const Event& event) {
    checks_.Turn();
    if (event.kind != EventKind::kNone) sink_(event);
  }

  void TakeAnyJson(std::string_view object) {
    checks_.Turn();  // what it has may be no event
    dom::element document;
    if (parser_.parse(object.data(), object.size()).get(document) != simdjson::SUCCESS) {
      return note_counts_.Add(NoteKind::kBadLine);
    }
    dom::object fields, payload;
    if (document.get_object().get(fields) != simdjson::SUCCESS) {
      return note_counts_.Add(NoteKind::kBadLine);
    }
    if (fields["jsonPayload"].get_object().get(payload) == simdjson::SUCCESS) {
      return TakeLogEntry(fields, payload);
    }
    FillEntry(entry_, fields);
    maker_.Make(entry_, note_counts_);
    Emit(event_);
  }

  void TakeLogEntry(dom::object fields, dom::object payload) {
    FillEntry(entry_, payload);
    maker_.Make(entry_, note_counts_);
    if (event_.kind == EventKind::kNone) return;
    const auto text = [&](const char* key) {
      std::string_view value;
      if (fields[key].get_string().get(value) != simdjson::SUCCESS) value = {};
      return std::string(value);
    };
    Exported exported{text("timestamp"), text("insertId"), event_};
    std::string& stamp = exported.timestamp;
    if (stamp.ends_with('Z')) stamp.pop_back();
    if (stamp.size() == 19) stamp += '.';
    if (stamp.size() > 19 && stamp.size() < 29) stamp.resize(29, '0');
    exported_.push_back(std::move(exported));
  }

  Notes& note_counts_;
  const EventSink& sink_;
  StopChecks checks_;
  TemplateCache forms_;
  Entry entry_;  // of what only a real parser can read
  Event event_;
  EventMaker maker_{event_};
  dom::parser parser_;
  std::vector<Exported> exported_;
};

void NoteEnd(InputEnd end, Notes& note_counts) {
  switch (end) {
    case InputEnd::kTruncated:
      return note_counts.Add(NoteKind::kTruncated);
    case InputEnd::kCorrupt:
      return note_counts.Add(NoteKind::kCorrupt);
    case InputEnd::kTrailingBytes:
      return note_counts.Add(NoteKind::kTrailingBytes);
    case InputEnd::kReadError:
      return note_counts.Add(NoteKind::kReadError);
    case InputEnd::kOpen:
    case InputEnd::kClean:
      return;
  }
}

}  // namespace

namespace {

void ReadStream(WindowStream& stream, Notes& note_counts, const EventSink& sink) {
  Reader reader(note_counts, sink);
  SplitObjects(stream, note_counts,
               {.take_known = [&](std::string_view& text) { reader.TakeKnown(text); },
                .take = [&](std::string_view object) { reader.Take(object); }});
  reader.Finish();
  NoteEnd(stream.end(), note_counts);
}

}  // namespace

void ReadJsonLines(ByteSource source, Notes& note_counts, const EventSink& sink) {
  WindowStream stream(std::move(source));
  ReadStream(stream, note_counts, sink);
}

Result<InputFile> ReadEventsFile(const std::string& path, std::vector<Note>& notes,
                                 const std::function<void(const Event&, Notes&)>& sink,
                                 const InputLimit& limit, size_t alone) {
  std::atomic<int64_t> bytes = 0;
  ReadFailure failure;
  auto source = ByteSource::Open(path, &bytes);
  if (!source) return std::unexpected(source.error());
  source->LimitInflated(limit, &failure);
  Notes of_reader, of_sink;  // of two threads
  InputFile file{.path = path, .rank = 0};
  const EventSink count_and_take = [&](const Event& event) {
    ++file.events;
    sink(event, of_sink);
  };
  // What only has to be copied is there sooner than another thread would be.
  std::atomic<int> spare_threads = source->compressed() ? 1 : 0;
  {
    WindowStream stream(std::move(*source), &spare_threads);
    EventRelay relay(count_and_take, alone);
    ReadStream(stream, of_reader, [&](const Event& event) { relay.Give(event); });
    relay.Finish();
  }
  if (auto refused = failure.Get()) {
    refused->where = path;
    return std::unexpected(*std::move(refused));
  }
  file.bytes = bytes;
  of_reader.Add(of_sink);
  std::ranges::move(of_reader.List(path), std::back_inserter(notes));
  return file;
}

}  // namespace stepscope::goodput
