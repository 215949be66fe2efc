// Measures operators by the shapes, types and strides of their inputs.
//
// An activity belongs to the innermost operator around its launch whose shapes were recorded. Where
// the operations of one around it can be counted, it belongs to that one, as in recording_flops.h:
// counts and times of both are the same. Where threads of the host compute, the time of
// operators is theirs: without that of others within.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/derived/operators/roofs.h"
#include "facts/facts.h"

namespace stepscope {

// Calls of one operator with inputs of the same shapes, types and strides.
struct ShapeUse {
  std::string id = {};  // as IdOfCall()
  StringId op = 0;
  RangeDetail inputs = {};  // of the longest call
  int64_t calls = 0;        // that launched activities
  int64_t host_time = 0;    // ns of these calls on their threads
  int64_t device_time = 0;  // ns of activities
  int64_t longest = 0;      // likewise, of one call
  int64_t longest_rank = 0;
  int64_t longest_step = -1;        // number of the step it is in; -1: in none
  std::string longest_device = {};  // the name of that rank's device; empty: not known
  bool communicates = false;        // any activity does
  bool between_memories = false;    // any copies between host and device, or between devices
  FlopsSum counted =
      {};  // `time` is that of compute kernels; all 0 where its operations do not count
  std::string module = {};  // that has half of device_time or more, or else the class; may be empty
};

struct Shapes {
  std::vector<ShapeUse> shapes;  // the longest device time first, then by id
  int64_t device_time = 0;       // ns of all activities
  int64_t with_shapes = 0;       // of which in operators with shapes
};

// `given_peak` as of Roofs. Modules are known where Python frames are kept.
Shapes MeasureShapes(const Facts& facts, double given_peak);

}  // namespace stepscope
