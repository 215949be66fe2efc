// Writes events as docs/formats/kineto.md describes them.
#include "ingest/common/event_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
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
    case Kind::kSync:
      return "cuda_sync";
    case Kind::kOverhead:
      return "overhead";
    case Kind::kCounter:
      return "counter";
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
    // Ranks of one machine have one clock.
    if (observer.member && !trace_.meta.machine.empty()) {
      const std::string host = nlohmann::json(trace_.meta.machine)
                                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      observer.member({.key = R"("host_name")", .value = host});
    }
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
    const auto bytes = bytes_.At(e);
    const bool moment = kind == Kind::kInstant, counter = kind == Kind::kCounter;
    const bool memory = moment && bytes;  // is taken or given back
    return Event([&](JsonWriter& json) {
      json.Text("ph", moment ? "i" : counter ? "C" : "X");
      json.Text("cat", CategoryOf(kind));
      json.Text("name", memory ? "[memory]" : trace_.strings[trace_.names()[e]]);
      AddPlace(track, json);
      AddTime("ts", trace_.starts()[e], json);
      if (moment) json.Text("s", "t");
      if (!moment && !counter) AddTime("dur", trace_.durations()[e], json);
      json.Key("args");
      json.BeginObject(kForm);
      AddArgs(e, track, json);
      if (bytes) json.Number(track.is_stream ? "bytes" : "Bytes", *bytes);
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
    for (TextArg& arg : texts_) {
      if (const auto value = arg.values.At(e)) json.Text(arg.key, trace_.strings[*value]);
    }
    if (const auto bandwidth = bandwidths_.At(e))
      AddReal("memory bandwidth (GB/s)", *bandwidth, json);
    if (const auto value = counters_.At(e)) AddReal("value", *value, json);
    if (const auto config = configs_.At(e))
      AddLaunch(trace_.launch_configs[static_cast<size_t>(*config)], json);
  }

  static void AddReal(const char* key, double value, JsonWriter& json) {
    if (!std::isfinite(value)) return;
    json.Key(key);
    json.Raw(fmt::format("{}", value));
  }

  static void AddLaunch(const LaunchConfig& config, JsonWriter& json) {
    const auto sizes = [&](const char* key, const std::array<int32_t, 3>& of) {
      if (of[0] < 0) return;
      json.Key(key);
      json.Raw(fmt::format("[{}, {}, {}]", of[0], of[1], of[2]));
    };
    sizes("grid", config.grid);
    sizes("block", config.block);
    if (config.registers >= 0) json.Number("registers per thread", config.registers);
    if (config.shared_memory >= 0) json.Number("shared memory", config.shared_memory);
  }

  SparseWalk<int64_t> Of(IntField field) const { return SparseWalk(trace_.Ints(field)); }
  SparseWalk<StringId> Of(TextField field) const { return SparseWalk(trace_.Texts(field)); }
  SparseWalk<double> Of(RealField field) const { return SparseWalk(trace_.Reals(field)); }

  const Trace& trace_;
  std::string text_;
  SparseWalk<int64_t> bytes_ = Of(IntField::kBytes);
  SparseWalk<int64_t> configs_ = Of(IntField::kLaunchConfig);
  SparseWalk<double> bandwidths_ = Of(RealField::kBandwidth);
  SparseWalk<double> counters_ = Of(RealField::kCounterValue);
  NumberArg numbers_[12] = {{"correlation", Of(IntField::kCorrelation)},
                            {"step", Of(IntField::kStep)},
                            {"Addr", Of(IntField::kAddress)},
                            {"Total Allocated", Of(IntField::kTotalAllocated)},
                            {"Device Type", Of(IntField::kDeviceType)},
                            {"Device Id", Of(IntField::kDeviceId)},
                            {"Sequence number", Of(IntField::kSequence)},
                            {"In msg nelems", Of(IntField::kInElements)},
                            {"Out msg nelems", Of(IntField::kOutElements)},
                            {"Group size", Of(IntField::kGroupSize)},
                            {"wait_on_stream", Of(IntField::kWaitStream)},
                            {"wait_on_cuda_event_record_corr_id", Of(IntField::kWaitCorrelation)}};
  TextArg texts_[11] = {{"Input Dims", Of(TextField::kInputShapes)},
                        {"Collective name", Of(TextField::kCollective)},
                        {"dtype", Of(TextField::kDataType)},
                        {"Process Group Name", Of(TextField::kGroupName)},
                        {"tf_op", Of(TextField::kFrameworkOp)},
                        {"hlo_op", Of(TextField::kHloOp)},
                        {"hlo_module", Of(TextField::kHloModule)},
                        {"hlo_category", Of(TextField::kHloCategory)},
                        {"source", Of(TextField::kSource)},
                        {"allocator_name", Of(TextField::kAllocator)},
                        {"region_type", Of(TextField::kRegion)}};
};

}  // namespace

void ObserveAsText(const Trace& trace, const RawEventObserver& observer) {
  TextWriter(trace).Write(observer);
}

}  // namespace stepscope
