// Writes events as docs/formats/kineto.md describes them.
#include "ingest/xplane/xplane_text.h"

#include <optional>
#include <string>
#include <utility>

#include "base/json_writer.h"
#include "ingest/common/microseconds.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

constexpr auto kForm = JsonWriter::Form::kCompact;

std::string_view CategoryOf(Kind kind) {
  switch (kind) {
    case Kind::kCompute:
    case Kind::kCommunication:
      return "kernel";
    case Kind::kMemcpy:
      return "gpu_memcpy";
    case Kind::kMemset:
      return "gpu_memset";
    case Kind::kRuntime:
      return "cuda_runtime";
    case Kind::kOperator:
      return "cpu_op";
    case Kind::kPython:
      return "python_function";
    case Kind::kInstant:
      return "cpu_instant_event";
    default:
      return "user_annotation";
  }
}

struct NumberArg {
  const char* key;
  SparseWalk<int64_t> values;
};
struct TextArg {
  const char* key;
  SparseWalk<StringId> values;
};

class TextWriter {
 public:
  explicit TextWriter(const Trace& trace) : trace_(trace) {}

  void Write(const RawEventObserver& observer) {
    for (const Track& track : trace_.tracks) {
      if (!track.name.empty()) observer.event({.text = NameOf(track)});
    }
    for (EventId e = 0; e < trace_.size(); ++e) {
      observer.event({.text = TextOf(e),
                      .has_time = true,
                      .kind = trace_.kinds()[e],
                      .start = trace_.starts()[e],
                      .duration = trace_.durations()[e],
                      .name = trace_.strings[trace_.names()[e]]});
    }
  }

 private:
  // The text of an event, whose members `write(json)` writes; valid until the next.
  template <class Write>
  std::string_view Event(const Write& write) {
    text_.clear();
    JsonWriter json(std::move(text_));
    json.BeginObject(kForm);
    write(json);
    json.End();
    text_ = std::move(json).Take();
    return text_;
  }

  static void AddPlace(const Track& track, JsonWriter& json) {
    if (track.is_stream) {
      json.Number("pid", track.device);
      json.Number("tid", track.stream);
    } else {
      json.Text("pid", track.process);
      json.Text("tid", track.thread);
    }
  }

  static void AddTime(std::string_view key, int64_t ns, JsonWriter& json) {
    json.Key(key);
    json.Raw(Microseconds(ns));
  }

  std::string_view NameOf(const Track& track) {
    return Event([&](JsonWriter& json) {
      json.Text("ph", "M");
      json.Text("name", "thread_name");
      AddPlace(track, json);
      json.Key("args");
      json.BeginObject(kForm);
      json.Text("name", track.name);
      json.End();
    });
  }

  std::string_view TextOf(EventId e) {
    const Track& track = trace_.tracks[trace_.tracks_of()[e]];
    const Kind kind = trace_.kinds()[e];
    const bool moment = kind == Kind::kInstant;  // taking or giving back memory
    return Event([&](JsonWriter& json) {
      json.Text("ph", moment ? "i" : "X");
      json.Text("cat", CategoryOf(kind));
      json.Text("name", moment ? "[memory]" : trace_.strings[trace_.names()[e]]);
      AddPlace(track, json);
      AddTime("ts", trace_.starts()[e], json);
      if (moment)
        json.Text("s", "t");
      else
        AddTime("dur", trace_.durations()[e], json);
      json.Key("args");
      json.BeginObject(kForm);
      AddArgs(e, track, json);
      json.End();
    });
  }

  void AddArgs(EventId e, const Track& track, JsonWriter& json) {
    if (track.is_stream) {
      json.Number("device", track.device);
      json.Number("stream", track.stream);
    }
    for (NumberArg& arg : numbers_) {
      if (const auto value = arg.values.At(e)) json.Number(arg.key, *value);
    }
    if (const auto bytes = bytes_.At(e)) json.Number(track.is_stream ? "bytes" : "Bytes", *bytes);
    for (TextArg& arg : texts_) {
      if (const auto value = arg.values.At(e)) json.Text(arg.key, trace_.strings[*value]);
    }
  }

  SparseWalk<int64_t> Of(IntField field) const { return SparseWalk(trace_.Ints(field)); }
  SparseWalk<StringId> Of(TextField field) const { return SparseWalk(trace_.Texts(field)); }

  const Trace& trace_;
  std::string text_;
  SparseWalk<int64_t> bytes_ = Of(IntField::kBytes);
  NumberArg numbers_[6] = {{"correlation", Of(IntField::kCorrelation)},
                           {"step", Of(IntField::kStep)},
                           {"Addr", Of(IntField::kAddress)},
                           {"Total Allocated", Of(IntField::kTotalAllocated)},
                           {"Device Type", Of(IntField::kDeviceType)},
                           {"Device Id", Of(IntField::kDeviceId)}};
  TextArg texts_[6] = {
      {"tf_op", Of(TextField::kFrameworkOp)},        {"hlo_op", Of(TextField::kHloOp)},
      {"hlo_module", Of(TextField::kHloModule)},     {"hlo_category", Of(TextField::kHloCategory)},
      {"allocator_name", Of(TextField::kAllocator)}, {"region_type", Of(TextField::kRegion)}};
};

}  // namespace

void ObserveAsText(const Trace& trace, const RawEventObserver& observer) {
  TextWriter(trace).Write(observer);
}

}  // namespace stepscope
