// Lists the fields of an event with their names.
#include "timeline/describe.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace stepscope {
namespace {

struct IntTitle {
  IntField field;
  std::string_view key, title;
  Unit unit = Unit::kNone;
};
constexpr auto kInts = std::to_array<IntTitle>({
    {IntField::kStep, "step", "step"},
    {IntField::kBytes, "bytes", "bytes", Unit::kBytes},
    {IntField::kInElements, "in_elements", "elements in", Unit::kCount},
    {IntField::kOutElements, "out_elements", "elements out", Unit::kCount},
    {IntField::kGroupSize, "group_size", "group size", Unit::kCount},
    {IntField::kCollectiveSequence, "collective_sequence", "sequence number in the group"},
    {IntField::kMessageFrom, "message_from", "from rank"},
    {IntField::kMessageTo, "message_to", "to rank"},
    {IntField::kFlops, "flops", "arithmetic", Unit::kFlop},
    {IntField::kBytesAccessed, "bytes_accessed", "bytes read and written", Unit::kBytes},
    {IntField::kRequestedBytes, "requested_bytes", "requested bytes", Unit::kBytes},
    {IntField::kTotalAllocated, "total_allocated", "total allocated", Unit::kBytes},
    {IntField::kTotalReserved, "total_reserved", "total reserved", Unit::kBytes},
    {IntField::kStackBytes, "stack_bytes", "stack bytes", Unit::kBytes},
    {IntField::kAvailableBytes, "available_bytes", "available", Unit::kBytes},
    {IntField::kLifetimePeak, "lifetime_peak", "lifetime peak", Unit::kBytes},
    {IntField::kAddress, "address", "address"},
    {IntField::kDeviceType, "device_type", "device type"},
    {IntField::kDeviceId, "device_id", "device"},
    {IntField::kWaitStream, "wait_stream", "waits for stream"},
    {IntField::kSequence, "sequence", "sequence number"},
    {IntField::kEager, "eager", "eager"},
});

struct TextTitle {
  TextField field;
  std::string_view key, title;
};
constexpr auto kTexts = std::to_array<TextTitle>({
    {TextField::kInputShapes, "input_shapes", "input shapes"},
    {TextField::kInputTypes, "input_types", "input types"},
    {TextField::kInputStrides, "input_strides", "input strides"},
    {TextField::kInputValues, "input_values", "other inputs"},
    {TextField::kCollective, "collective", "collective"},
    {TextField::kDataType, "data_type", "data type"},
    {TextField::kGroupName, "group_name", "process group"},
    {TextField::kGroupDescription, "group_description", "group description"},
    {TextField::kGroupRanks, "group_ranks", "group ranks"},
    {TextField::kInSplit, "in_split", "input split"},
    {TextField::kOutSplit, "out_split", "output split"},
    {TextField::kFrameworkOp, "framework_op", "framework operator"},
    {TextField::kHloOp, "hlo_op", "HLO operation"},
    {TextField::kHloModule, "hlo_module", "HLO module"},
    {TextField::kHloCategory, "hlo_category", "HLO category"},
    {TextField::kSource, "source", "source line"},
    {TextField::kAllocator, "allocator", "allocator"},
    {TextField::kRegion, "region", "region"},
    {TextField::kShape, "shape", "shape"},
});

void AddField(std::vector<EventField>& fields, std::string_view key, std::string_view title,
              Cell value, Unit unit = Unit::kNone) {
  fields.push_back({std::string(key), std::string(title), std::move(value), unit});
}

void AddConfig(const LaunchConfig& config, std::vector<EventField>& fields) {
  const auto extent = [](const std::array<int32_t, 3>& a) {
    return fmt::format("{} x {} x {}", a[0], a[1], a[2]);
  };
  if (config.grid[0] >= 0) AddField(fields, "grid", "grid", extent(config.grid));
  if (config.block[0] >= 0) AddField(fields, "block", "block", extent(config.block));
  if (config.registers >= 0) {
    AddField(fields, "registers", "registers per thread", int64_t{config.registers}, Unit::kCount);
  }
  if (config.shared_memory >= 0) {
    AddField(fields, "shared_memory", "shared memory per block", int64_t{config.shared_memory},
             Unit::kBytes);
  }
  if (config.blocks_per_sm >= 0) {
    AddField(fields, "blocks_per_sm", "blocks per SM", double{config.blocks_per_sm}, Unit::kCount);
  }
  if (config.occupancy >= 0) {
    AddField(fields, "occupancy", "occupancy (estimated)", double{config.occupancy}, Unit::kRatio);
  }
}

}  // namespace

std::vector<EventField> FieldsOf(const Timeline::State& state, const RecordedEvents& recording,
                                 uint32_t source) {
  std::vector<EventField> fields;
  const auto config = recording.Ints(IntField::kLaunchConfig).Find(source);
  if (config && *config >= 0 && static_cast<size_t>(*config) < recording.configs()) {
    AddConfig(recording.Config(static_cast<size_t>(*config)), fields);
  }
  for (const TextTitle& text : kTexts) {
    const auto id = recording.Texts(text.field).Find(source);
    if (!id) continue;
    const StringId shared = recording.Shared(*id);
    AddField(fields, text.key, text.title, std::string(state.names[shared]));
  }
  for (const IntTitle& number : kInts) {
    const auto value = recording.Ints(number.field).Find(source);
    if (value) AddField(fields, number.key, number.title, *value, number.unit);
  }
  if (const auto rate = recording.Reals(RealField::kBandwidth).Find(source))
    AddField(fields, "bandwidth", "bandwidth", *rate * 1e9, Unit::kBytesPerSecond);
  if (const auto share = recording.Reals(RealField::kFragmentation).Find(source))
    AddField(fields, "fragmentation", "fragmentation", *share, Unit::kRatio);
  return fields;
}

}  // namespace stepscope
