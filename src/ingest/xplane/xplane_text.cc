// Writes events as docs/formats/kineto.md describes them.
#include "ingest/xplane/xplane_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

std::string Quoted(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string Microseconds(int64_t ns) {
  const int64_t size = std::abs(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

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
      const std::string text = TextOf(e);
      observer.event({.text = text,
                      .has_time = true,
                      .kind = trace_.kinds()[e],
                      .start = trace_.starts()[e],
                      .duration = trace_.durations()[e]});
    }
  }

 private:
  static std::string Place(const Track& track) {
    if (track.is_stream) return fmt::format(R"("pid":{},"tid":{})", track.device, track.stream);
    return fmt::format(R"("pid":{},"tid":{})", Quoted(track.process), Quoted(track.thread));
  }

  std::string_view NameOf(const Track& track) {
    text_ = fmt::format(R"({{"ph":"M","name":"thread_name",{},"args":{{"name":{}}}}})",
                        Place(track), Quoted(track.name));
    return text_;
  }

  std::string TextOf(EventId e) {
    const Track& track = trace_.tracks[trace_.tracks_of()[e]];
    const Kind kind = trace_.kinds()[e];
    const bool moment = kind == Kind::kInstant;  // taking or giving back memory
    std::string text = fmt::format(
        R"({{"ph":"{}","cat":"{}","name":{},{},"ts":{})", moment ? 'i' : 'X', CategoryOf(kind),
        moment ? R"("[memory]")" : Quoted(trace_.strings[trace_.names()[e]]), Place(track),
        Microseconds(trace_.starts()[e]));
    text += moment ? R"(,"s":"t")" : R"(,"dur":)" + Microseconds(trace_.durations()[e]);
    return text + R"(,"args":{)" + ArgsOf(e, track) + "}}";
  }

  std::string ArgsOf(EventId e, const Track& track) {
    std::string args;
    if (track.is_stream)
      args = fmt::format(R"("device":{},"stream":{},)", track.device, track.stream);
    const bool work = track.is_stream;
    for (NumberArg& arg : numbers_) {
      const auto value = arg.values.At(e);
      if (value) args += fmt::format("\"{}\":{},", arg.key, *value);
    }
    if (const auto bytes = bytes_.At(e))
      args += fmt::format("\"{}\":{},", work ? "bytes" : "Bytes", *bytes);
    for (TextArg& arg : texts_) {
      const auto value = arg.values.At(e);
      if (value) args += fmt::format("\"{}\":{},", arg.key, Quoted(trace_.strings[*value]));
    }
    if (!args.empty()) args.pop_back();
    return args;
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
