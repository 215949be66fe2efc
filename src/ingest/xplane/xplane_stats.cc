// Lists the stats that are used, under every name of past versions.
#include "ingest/xplane/xplane_stats.h"

#include <algorithm>

#include "base/proto.h"

namespace stepscope {
namespace {

struct NamedKey {
  std::string_view name;
  StatKey key;
};

constexpr auto kNames = std::to_array<NamedKey>({
    {"_r", StatKey::kRoot},
    {"step_num", StatKey::kStepNumber},
    {"iter_num", StatKey::kIteration},
    {"id", StatKey::kId},
    {"_pt", StatKey::kProducerType},
    {"_p", StatKey::kProducer},
    {"_ct", StatKey::kConsumerType},
    {"_c", StatKey::kConsumer},
    {"_a", StatKey::kAsync},
    {"is_func", StatKey::kIsFunction},
    {"run_id", StatKey::kRunId},
    {"correlation_id", StatKey::kCorrelation},
    {"kernel_details", StatKey::kKernelDetails},
    {"memcpy_details", StatKey::kMemcpyDetails},
    {"memset_details", StatKey::kMemsetDetails},
    {"theoretical_occupancy_pct", StatKey::kOccupancy},
    {"tf_op", StatKey::kTfOp},
    {"name", StatKey::kName},
    {"hlo_op", StatKey::kHloOp},
    {"hlo_module", StatKey::kHloModule},
    {"hlo_category", StatKey::kHloCategory},
    {"nvtx_range", StatKey::kNvtxRange},
    {"Hlo Proto", StatKey::kHloProto},
    {"hlo_proto", StatKey::kHloProto},
    {"program_id", StatKey::kProgramId},
    {"flops", StatKey::kFlops},
    {"bytes_accessed", StatKey::kBytesAccessed},
    {"source", StatKey::kSource},
    {"allocator_name", StatKey::kAllocator},
    {"device_ordinal", StatKey::kDeviceOrdinal},
    {"bytes_reserved", StatKey::kBytesReserved},
    {"bytes_allocated", StatKey::kBytesAllocated},
    {"bytes_available", StatKey::kBytesAvailable},
    {"fragmentation", StatKey::kFragmentation},
    {"peak_bytes_in_use", StatKey::kPeakBytes},
    {"requested_bytes", StatKey::kRequestedBytes},
    {"allocation_bytes", StatKey::kAllocationBytes},
    {"addr", StatKey::kAddress},
    {"region_type", StatKey::kRegion},
    {"data_type", StatKey::kDataType},
    {"shape", StatKey::kShape},
    {"tensor_shapes", StatKey::kShape},
    {"parent_id", StatKey::kParentId},
    {"gpu_device_name", StatKey::kDeviceName},
    {"device_vendor", StatKey::kDeviceVendor},
    {"device_type_string", StatKey::kDeviceType},
    {"clock_rate", StatKey::kClockRate},
    {"core_count", StatKey::kCoreCount},
    {"memory_bandwidth", StatKey::kMemoryBandwidth},
    {"peak_teraflops_per_second", StatKey::kPeakTeraflops},
    {"peak_hbm_bw_gigabytes_per_second", StatKey::kPeakMemoryBandwidth},
    {"memory_size", StatKey::kMemorySize},
    {"compute_cap_major", StatKey::kComputeMajor},
    {"compute_cap_minor", StatKey::kComputeMinor},
    {"profile_start_time", StatKey::kProfileStart},
});

}  // namespace

void StatNames::Add(int64_t id, std::string_view name) {
  const auto* known = std::ranges::find(kNames, name, &NamedKey::name);
  entries_[id] = {std::string(name), known == kNames.end() ? StatKey::kCount : known->key,
                  ++count_};
}

// XStat: 1 metadata_id, then one of 2 double, 3 uint64, 4 int64, 5 string, 6 bytes, 7 reference to
// the name of a stat.
bool StatNames::Read(std::string_view message, XStat& stat) const {
  constexpr double kLargest = 9.2e18;  // that a double can turn into an int64
  int64_t id = 0;
  XStats::Value& value = stat.value;
  bool understood = true;
  const bool ok = ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(1):
        id = field.get_int64();
        break;
      case DoubleField(2):
        value.real = field.get_double();
        if (value.real > -kLargest && value.real < kLargest)
          value.number = static_cast<int64_t>(value.real);
        break;
      case VarintField(3): {
        const uint64_t number = field.get_uint64();
        value.number = static_cast<int64_t>(number);
        value.real = static_cast<double>(number);
        break;
      }
      case VarintField(4):
        value.number = field.get_int64();
        value.real = static_cast<double>(value.number);
        break;
      case BytesField(5):
      case BytesField(6):
        value.text = field.get_view();
        break;
      case VarintField(7): {
        const Entry* text = entries_.Find(field.get_int64());
        understood = text != nullptr;
        if (understood) value.text = text->name;
        if (understood) value.entry = text->number;
        break;
      }
      default:
        field.skip();
    }
  });
  const Entry* entry = entries_.Find(id);
  if (!ok || !understood || entry == nullptr) return false;
  stat.key = entry->key;
  return true;
}

}  // namespace stepscope
