// Derives steps of traces without marked steps: executions of the program that trains, or of the
// one that takes the most time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/growing_array.h"
#include "base/narrow_rows.h"
#include "base/string_table.h"
#include "ingest/xplane/xplane_programs.h"
#include "ingest/xplane/xplane_turns.h"

namespace stepscope {

// A step that the reader found, numbered from 0 in order of time.
struct FoundStep {
  int64_t start = 0;  // ns
  // Where the next one starts; its own work ends there if it is the last or an evaluation follows.
  int64_t end = 0;
};

// What ran of compiled programs, piece by piece: device work, or the host's where it is the device.
// Of pieces that come by the million only what Find() needs is kept: little, where they say whose
// execution they are.
class ModuleRuns {
 public:
  // A piece of `module`'s execution `run` (-1: the recording does not say), made for `op` by the
  // call `launch` (-1: unknown). Of a graph of CUDA all pieces have one operation and one launch.
  void Add(StringId module, StringId op, int64_t run, int64_t launch, int64_t start, int64_t end);

  // The steps, and whose executions they are; none where no program ran twice. A program that
  // computes gradients goes before all others, one that is named a training step before the rest.
  struct Found {
    StringId module = kNoString;
    std::vector<FoundStep> steps;
    // Programs that compute no gradients, multiply matrices, and run behind fewer than half of the
    // steps.
    std::vector<Evaluation> evaluations;
  };
  Found Find(const StringTable& names, const Programs& programs) const;

 private:
  struct Run {
    int64_t number;
    int64_t start, end;  // of pieces that followed one another
    int64_t pieces;
  };
  struct Stretch {
    int64_t start;
    int64_t end;  // of its last piece
    int64_t pieces = 0;
  };
  struct Module {
    uint64_t total = 0;  // ns of all pieces; wraps, as only a damaged file's can
    int64_t end = 0;     // of the last piece
    GrowingArray<Run> runs;
    enum Column : size_t { kOp, kLaunch, kStart, kTime, kColumns };
    NarrowRows<kColumns> unnumbered;  // of pieces that do not say their run; while none says it
  };
  static std::vector<Stretch> Numbered(const Module& module);
  static std::vector<Stretch> Unnumbered(const Module& module);
  static bool LacksItsEnd(std::span<const Stretch> executions);
  static std::vector<Stretch> Executions(const Module& module);
  struct Piece {
    StringId op;
    int64_t launch, start, end;
  };
  static Piece PieceOf(const Module& module, size_t i);
  static std::vector<int64_t> StartsOf(const Module& module, StringId op);
  static std::unordered_map<StringId, int64_t> PausesBefore(const Module& module,
                                                            std::vector<int64_t> starts);
  static StringId FirstOperation(const Module& module);
  std::vector<Evaluation> EvaluationsBetween(const std::vector<Stretch>& steps,
                                             const Programs& programs,
                                             const StringTable& names) const;

  std::map<StringId, Module> modules_;
  StringId last_name_ = kNoString;  // what the last piece was of: often the next one is too
  Module* last_ = nullptr;
};

}  // namespace stepscope
