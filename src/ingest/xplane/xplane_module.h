// A compiled program (HLO module): its computations, and the lines of code that it came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/xplane/xplane_instruction.h"

namespace stepscope {

// Numbers that a file gives to things, and where these stand. Whatever numbers a file has, one is
// found in logarithmic time.
class HloIds {
 public:
  void Add(int64_t id) { sorted_.emplace_back(id, static_cast<uint32_t>(sorted_.size())); }
  // To be called once, when all are there. Of those with one number the first is found.
  void Sort();
  // -1: there is none.
  int64_t Find(int64_t id) const;

 private:
  std::vector<std::pair<int64_t, uint32_t>> sorted_;
};

struct HloComputation {
  int64_t id = 0;
  int64_t root = -1;  // the instruction whose result is that of all
  std::vector<HloInstruction> instructions;
  HloIds ids;  // of the instructions

  // The instruction of that operand; null where there is none.
  const HloInstruction* Operand(const HloInstruction& of, size_t operand) const;
};

// StackFrameIndexProto: where a program's frames are. Numbers count from 1.
struct HloFrames {
  struct Location {
    int64_t file = 0, line = 0;
  };
  std::vector<std::string_view> files;
  std::vector<Location> locations;
  std::vector<int64_t> frames;  // the location of each

  void Read(std::string_view message);
};

class HloModule {
 public:
  // Reads an HloModuleProto; views are into `message`.
  explicit HloModule(std::string_view message);

  bool ok() const { return ok_; }  // whether it is a message as a whole
  // In the order of the file: what is called stands before what calls it.
  const std::vector<HloComputation>& computations() const { return computations_; }
  // Index of a computation; -1: there is none.
  int64_t Find(int64_t computation) const { return ids_.Find(computation); }
  // The computation that runs; null where none is named.
  const HloComputation* Entry() const;

  // The innermost line of code that an instruction came from, "train.py:12"; empty: not recorded.
  std::string SourceOf(const HloInstruction& in) const;

 private:
  void AddComputation(std::string_view message);

  std::vector<HloComputation> computations_;
  HloIds ids_;
  HloFrames frames_;
  int64_t entry_ = 0;
  bool ok_ = false;
};

}  // namespace stepscope
