// Finds what a rank without an accelerator computes more of: the operator behind most of the time
// that it computes longer than the others, or than it did before a step.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "facts/facts.h"

namespace stepscope {

// An operator that no other is around. Rates are per step, of those since `since` where that is
// known; without steps per recording.
struct ExcessWork {
  StringId name = kNoString;
  double time = 0;          // ns per step beyond what it is compared with; positive
  double calls = 0;         // per step
  double calls_beyond = 0;  // per step; what it is compared with has `calls - calls_beyond`
  // Elements of the inputs of a call, those of the operators within included, over those of what it
  // is compared with: of the inputs whose size differs, as a batch does and weights do not. 0:
  // unknown.
  double size_ratio = 0;
  // Operators within a call, over those of what it is compared with. 0: unknown.
  double within_ratio = 0;
  // The element type of most elements of these inputs, and of those of what it is compared with:
  // "double" and "float". Empty: unknown.
  std::string type, type_beside;
  StringId module = kNoString;   // where half of its time is or more, as its frames name it
  std::optional<int64_t> since;  // number of the step since which the rank spends more on it

  bool HasOtherType() const { return !type.empty() && !type_beside.empty() && type != type_beside; }
};

// What explains the most, or the operator of this name; nothing where it takes no longer, or there
// is an accelerator. Of operators that take about as much more, one that runs more often or on
// larger inputs comes first: others may be slower by whatever else runs there.
// Against the median of the other ranks, or of a device against that of the other devices, of which
// `participant` is an index into CollectiveFacts::ranks; `steps`: in these, null: in all.
std::optional<ExcessWork> ExcessOverOthers(const Facts& facts, uint32_t participant,
                                           const std::set<int64_t>* steps = nullptr,
                                           StringId name = kNoString);
// Against the rank's own steps before the one of this number.
std::optional<ExcessWork> ExcessSince(const Facts& facts, int64_t rank, int64_t since,
                                      StringId name = kNoString);

}  // namespace stepscope
