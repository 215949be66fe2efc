// Declares the arguments of Kineto events that are kept, in every spelling of past versions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// Where an argument's value goes: a field of the event, or one of the uses below.
struct ArgUse {
  // kId: as kInt, but 0 is none.
  enum class Type : uint8_t { kNone, kInt, kId, kText, kReal, kLaunch, kDevice, kStream, kName };
  Type type = Type::kNone;
  uint8_t field = 0;  // an IntField, TextField, RealField or LaunchArg
};

// What a kernel says about its launch.
enum class LaunchArg : uint8_t {
  kGrid,
  kBlock,
  kRegisters,
  kSharedMemory,
  kBlocksPerSm,
  kOccupancy,
  kCount
};

// What to do with the argument of this name; Type::kNone for all that nothing reads.
ArgUse UseOfArg(std::string_view key);

// The arguments of one event, collected before it is known what the event is.
struct Args {
  uint64_t ints_set = 0;
  uint32_t texts_set = 0, reals_set = 0, launch_set = 0;
  std::array<int64_t, Index(IntField::kCount)> ints;
  std::array<std::string_view, Index(TextField::kCount)> texts;  // JSON tokens
  std::array<double, Index(RealField::kCount)> reals;
  std::array<std::string_view, static_cast<size_t>(LaunchArg::kCount)> launch;  // if launch_set
  std::string_view device, stream, name;  // JSON tokens; empty if absent
  // Arguments without a use, of events whose arguments are all values: name and number.
  std::vector<std::pair<std::string_view, double>> counters;
  int64_t out_of_range = 0;  // numbers that could not be held

  bool Has(TextField field) const { return texts_set >> Index(field) & 1; }
  // They name a collective or a group.
  bool OfGroup() const {
    return Has(TextField::kCollective) || Has(TextField::kGroupName) || Has(TextField::kGroupRanks);
  }
  void Clear() {
    if (launch_set != 0) launch.fill({});
    ints_set = 0;
    texts_set = reals_set = launch_set = 0;
    for (std::string_view* token : {&device, &stream, &name}) *token = {};
    counters.clear();
    out_of_range = 0;
  }
};

}  // namespace stepscope
