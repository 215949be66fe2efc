// Steps of recordings that mark none: the executions of the compiled program that takes most time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/string_table.h"
#include "trace/trace.h"

namespace stepscope {

// A step that the reader found, numbered from 0 in order of time.
struct FoundStep {
  int64_t start = 0;  // ns
  int64_t end = 0;    // where the next one starts; of the last, where its own work ends
};

// What ran of compiled programs, piece by piece: device work, or the host's where it is the device.
class ModuleRuns {
 public:
  // A piece of `module`'s execution `run` (-1: the recording does not say), made for `op`.
  void Add(StringId module, StringId op, int64_t run, int64_t start, int64_t end) {
    if (module != kNoString) pieces_.push_back({module, op, run, start, end});
  }
  bool empty() const { return pieces_.empty(); }

  // The steps, and whose executions they are; none where no program ran twice.
  struct Found {
    StringId module = kNoString;
    std::vector<FoundStep> steps;
  };
  Found Find();  // to be called once, after all pieces

 private:
  struct Piece {
    StringId module;
    StringId op;
    int64_t run;
    int64_t start, end;  // ns
  };
  static std::vector<int64_t> Starts(std::span<const Piece> pieces);

  std::vector<Piece> pieces_;
};

}  // namespace stepscope
