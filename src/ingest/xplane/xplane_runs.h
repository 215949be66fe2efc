// Derives steps of traces without marked steps: executions of the program that takes the most time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/growing_array.h"
#include "base/narrow_rows.h"
#include "base/string_table.h"

namespace stepscope {

// A step that the reader found, numbered from 0 in order of time.
struct FoundStep {
  int64_t start = 0;  // ns
  int64_t end = 0;    // where the next one starts; of the last, where its own work ends
};

// What ran of compiled programs, piece by piece: device work, or the host's where it is the device.
// Of pieces that come by the million only what Find() needs is kept: little, where they say whose
// execution they are.
class ModuleRuns {
 public:
  // A piece of `module`'s execution `run` (-1: the recording does not say), made for `op`.
  void Add(StringId module, StringId op, int64_t run, int64_t start, int64_t end);

  // The steps, and whose executions they are; none where no program ran twice.
  struct Found {
    StringId module = kNoString;
    std::vector<FoundStep> steps;
  };
  Found Find() const;

 private:
  struct Run {
    int64_t number;
    int64_t start;  // of pieces that followed one another, the earliest
  };
  struct Module {
    uint64_t total = 0;  // ns of all pieces; wraps, as only a damaged file's can
    int64_t end = 0;     // of the last piece
    GrowingArray<Run> runs;
    enum Column : size_t { kOp, kStart, kColumns };
    NarrowRows<kColumns> unnumbered;  // of pieces that do not say their run; while none says it
  };
  static std::vector<int64_t> Starts(const Module& module);
  static std::vector<int64_t> StartsOfRarest(const Module& module);

  std::map<StringId, Module> modules_;
  StringId last_name_ = kNoString;  // what the last piece was of: often the next one is too
  Module* last_ = nullptr;
};

}  // namespace stepscope
