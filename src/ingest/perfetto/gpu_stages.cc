// Reads GpuRenderStageEvents: what PyTorch's CUPTI monitor writes for kernels, copies and ranges on
// devices.
#include <array>
#include <string>
#include <utility>

#include "ingest/common/reader_limits.h"
#include "ingest/kineto/kineto_tracks.h"
#include "ingest/perfetto/track_events.h"

namespace stepscope::perfetto {
namespace {

// Names of PyTorch's stages ("Kernel") as categories; of other writers' the name decides.
CategoryMeaning MeaningOfStage(std::string_view stage) {
  if (stage == "Kernel") return {Kind::kCompute, NameDecides::kCommunication};
  if (stage == "Memcpy") return {Kind::kMemcpy};
  if (stage == "Memset") return {Kind::kMemset};
  if (stage == "Annotation") return {Kind::kGpuAnnotation};
  return {Kind::kCompute, NameDecides::kActivity};
}

std::string SizesText(std::string_view message) {
  std::array<uint32_t, 3> sizes = {1, 1, 1};
  ReadFields(message, [&](pbf_reader& field) {
    const uint32_t axis = field.tag();  // from 1 on
    if (field.wire_type() != WireType::varint || axis > sizes.size()) return field.skip();
    sizes[axis - 1] = field.get_uint32();
  });
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

struct NamedNumber {
  std::string_view name;
  int64_t value = 0;
};

NamedNumber LaunchArgOf(std::string_view message, const Interned& interned,
                        const StringTable& strings) {
  NamedNumber arg;
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag_and_type() == VarintField(kLaunchArgIid)) {
      const StringId* name = interned.launch_args.Find(field.get_uint64());
      if (name != nullptr) arg.name = strings[*name];
    } else if (field.tag_and_type() == BytesField(kLaunchArgName)) {
      arg.name = field.get_view();
    } else if (field.wire_type() == WireType::varint) {
      arg.value = field.get_int64();
    } else {
      field.skip();
    }
  });
  return arg;
}

}  // namespace

void TrackEvents::TakeStage(std::string_view message, const EventPlace& place) {
  const Interned& interned = *place.interned;
  const TrackIndex track = tracks.Of(0);
  RecordingRows& into = *recordings[RecordingFor(tracks[track], place.recording)];
  args_.Clear();
  annotations_.Clear();
  StringId name = kNoString, kernel = kNoString;
  std::string_view stage, queue;
  uint64_t duration = 0, id = 0;
  bool has_queue = false;
  const auto find = [&](const NumberedTable<StringId>& table, uint64_t iid) {
    const StringId* text = table.Find(iid);
    return text == nullptr ? kNoString : *text;
  };
  const auto text_of = [&](StringId text) {
    return text == kNoString ? std::string_view() : strings[text];
  };
  const auto apply_number = [&](std::string_view key, int64_t value) {
    annotations_.Apply(key, UseOfArg(key), value, kNoString, false, args_);
  };
  // Texts that were made live until the next event.
  std::string grid, block;
  const auto take_launch = [&](pbf_reader& launch) {
    if (launch.tag_and_type() == BytesField(kLaunchGrid)) {
      grid = SizesText(launch.get_view());
    } else if (launch.tag_and_type() == BytesField(kLaunchBlock)) {
      block = SizesText(launch.get_view());
    } else if (launch.tag_and_type() == BytesField(kLaunchArg)) {
      const NamedNumber arg = LaunchArgOf(launch.get_view(), interned, strings);
      if (arg.name == "registers_per_thread") apply_number("registers per thread", arg.value);
      if (arg.name == "shared_mem_dynamic") apply_number("shared memory", arg.value);
    } else {
      launch.skip();
    }
  };
  const bool whole = ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kStageEventId):
        id = field.get_uint64();
        break;
      case VarintField(kStageDuration):
        duration = field.get_uint64();
        break;
      case VarintField(kStageGpu):
        args_.device = field.get_int32();
        break;
      case VarintField(kStageQueueIid):
        queue = text_of(find(interned.stages, field.get_uint64()));
        has_queue = true;
        break;
      case VarintField(kStageQueueId):
        args_.stream = field.get_int32();
        break;
      case VarintField(kStageIid):
        stage = text_of(find(interned.stages, field.get_uint64()));
        break;
      case BytesField(kStageName):
        name = strings.Intern(field.get_view());
        break;
      case VarintField(kStageNameIid):
        name = find(interned.names, field.get_uint64());
        break;
      case VarintField(kStageKernelIid):
        kernel = find(interned.kernels, field.get_uint64());
        break;
      case BytesField(kStageLaunch):
        ReadFields(field.get_view(), take_launch);
        break;
      case BytesField(kStageExtra): {
        std::string_view key, value;
        ReadFields(field.get_view(), [&](pbf_reader& extra) {
          if (extra.tag_and_type() == BytesField(kExtraName))
            key = extra.get_view();
          else if (extra.tag_and_type() == BytesField(kExtraValue))
            value = extra.get_view();
          else
            extra.skip();
        });
        annotations_.Apply(key, UseOfArg(key), value, kNoString, false, args_);
        break;
      }
      default:
        field.skip();
    }
  });
  const bool timed = duration <= static_cast<uint64_t>(kMaxTime) && place.time <= kMaxTime &&
                     place.time >= -kMaxTime;
  if (!whole || !timed) {
    ++into.trace.events_in_file;
    return into.trace.notes.Add(NoteKind::kUnreadableEvent);
  }
  if (!grid.empty())
    annotations_.Apply("grid", UseOfArg("grid"), std::string_view(grid), kNoString, false, args_);
  if (!block.empty())
    annotations_.Apply("block", UseOfArg("block"), std::string_view(block), kNoString, false,
                       args_);
  if (name == kNoString) name = kernel;
  if (name == kNoString) name = strings.Intern(stage.empty() ? "GPU" : stage);
  if (!args_.device) args_.device = 0;
  if (has_queue && !args_.stream) args_.stream = TrailingNumber(queue);
  if (!args_.stream) args_.stream = 0;
  constexpr auto kCorrelation = Index(IntField::kCorrelation);
  if ((args_.args.ints_set >> kCorrelation & 1) == 0 && id > 0) {
    args_.args.ints[kCorrelation] = static_cast<int64_t>(id);
    args_.args.ints_set |= uint64_t{1} << kCorrelation;
  }
  const Kind kind = KindOf(MeaningOfStage(stage), name);
  CountEvent(kind, stage, false, into);
  into.SawTime(place.time + static_cast<int64_t>(duration));
  if (!into.Keeps(kind)) return;
  into.Add({.start = place.time,
            .duration = static_cast<int64_t>(duration),
            .name = name,
            .track = track,
            .order = place.order.value_or(0),
            .kind = kind},
           args_, strings);
}

}  // namespace stepscope::perfetto
