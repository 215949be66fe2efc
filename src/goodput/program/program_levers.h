// Estimates the largest gain of changes of the program: low-precision training, fused attention,
// offload.
//
// Each is an upper bound from the model's FLOPs, the chip and, where there is one, a trace. A share
// s of step time that goes makes steps 1 / (1 - s) times as fast.
#pragma once

#include <string>
#include <vector>

#include "goodput/program/flops.h"
#include "stepscope/program_goodput.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

struct ProgramLever {
  std::string name;        // "fp8 training"
  double saves = 0;        // share of step time, at most
  std::string assumption;  // a sentence
};

// Those that apply, by what they save. `hfu` is that of the program now, with recomputation.
std::vector<ProgramLever> ProgramLevers(const ProgramOptions& options, const TokenFlops& flops,
                                        double hfu);

// Table `levers`: lever, saves (share of step time), speedup, mfu (after it), assumption.
Table LeversTable(const std::vector<ProgramLever>& levers, double mfu);

}  // namespace stepscope::goodput
