// Reads the stats of events, metadata and planes of an XPlane file. Tables of the file name them;
// those below are used.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/xplane/id_table.h"

namespace stepscope {

enum class StatKey : uint8_t {
  // Steps, and what joins events of different threads.
  kRoot,  // "_r": the event is a root, of this level
  kStepNumber,
  kIteration,  // "iter_num"
  kId,         // of a step, a function or a pipeline's stage
  kProducerType,
  kProducer,
  kConsumerType,
  kConsumer,
  kAsync,  // "_a": the event does not nest
  kIsFunction,
  kRunId,
  // Device work.
  kCorrelation,
  kKernelDetails,
  kMemcpyDetails,
  kMemsetDetails,
  kOccupancy,
  kTfOp,
  kName,  // of JAX: the operation as the program names it
  kHloOp,
  kHloModule,
  kHloCategory,
  kHloProto,
  kNvtxRange,  // around the launch
  kProgramId,
  kFlops,
  kBytesAccessed,
  kSource,  // the line of the program, "train.py:12"
  // Memory events.
  kAllocator,
  kDeviceOrdinal,
  kBytesReserved,
  kBytesAllocated,
  kBytesAvailable,
  kFragmentation,
  kPeakBytes,
  kRequestedBytes,
  kAllocationBytes,
  kAddress,
  kRegion,
  kDataType,
  kShape,
  // Input pipelines.
  kParentId,
  // Planes.
  kDeviceName,
  kDeviceVendor,
  kDeviceType,
  kClockRate,
  kCoreCount,
  kMemoryBandwidth,
  kMemorySize,
  kPeakTeraflops,
  kPeakMemoryBandwidth,
  kComputeMajor,
  kComputeMinor,
  kProfileStart,
  kCount
};

// The stats of one thing. Each may hold a number, a fraction or a text; what it does not hold is 0
// or empty.
class XStats {
 public:
  void Clear() { set_ = 0; }
  bool Has(StatKey key) const { return set_ >> At(key) & 1; }
  int64_t Int(StatKey key, int64_t otherwise = -1) const {
    return Has(key) ? values_[At(key)].number : otherwise;
  }
  // A stat that is a whole number in some files is a fraction in others.
  double Real(StatKey key, double otherwise = -1) const {
    return Has(key) ? values_[At(key)].real : otherwise;
  }
  std::string_view Text(StatKey key) const {
    return Has(key) ? values_[At(key)].text : std::string_view();
  }

  // The place of a text in the plane's table, from 1; 0: it is in no table.
  uint32_t Entry(StatKey key) const { return Has(key) ? values_[At(key)].entry : 0; }

  struct Value {
    int64_t number = 0;
    double real = 0;
    std::string_view text;
    uint32_t entry = 0;  // of the plane's table, from 1, where the text lies; 0: in the event
  };
  void Set(StatKey key, const Value& value) {
    set_ |= uint64_t{1} << At(key);
    values_[At(key)] = value;
  }

 private:
  static constexpr size_t At(StatKey key) { return static_cast<size_t>(key); }
  static constexpr auto kKeys = static_cast<size_t>(StatKey::kCount);
  static_assert(kKeys <= 64);  // bits of set_

  uint64_t set_ = 0;
  std::array<Value, kKeys> values_;
};

// One of them.
struct XStat {
  StatKey key = StatKey::kCount;  // kCount: of no use
  XStats::Value value;
};

// A plane's table of stat names.
class StatNames {
 public:
  // Takes an entry of the table: `id` stands for `name`.
  void Add(int64_t id, std::string_view name);

  // Reads one XStat message; texts it holds stay where they are, in `message` or in this table.
  // False if it is no message or refers to a name that the table does not have. What nothing has a
  // use for is true, under the key kCount.
  bool Read(std::string_view message, XStat& stat) const;
  // The same into `stats`.
  bool Read(std::string_view message, XStats& stats) const {
    XStat stat;
    if (!Read(message, stat)) return false;
    if (stat.key != StatKey::kCount) stats.Set(stat.key, stat.value);
    return true;
  }

 private:
  struct Entry {
    std::string name;
    StatKey key = StatKey::kCount;  // kCount: of no use
    uint32_t number = 0;            // from 1, in order of arrival
  };
  IdTable<Entry> entries_;
  uint32_t count_ = 0;
};

}  // namespace stepscope
