// Describes a rank's host in a step as trees of nested calls, read from an indented text.
//
// One line is one call. Lines indented under it are calls inside it:
//
//   op aten::mm | bf16[8192,2048] bf16[2048,6144]   an operator; after the bar, its inputs
//   fwd aten::mm | ...                              an operator that autograd goes back through
//   bwd MmBackward0                                 goes back through the latest `fwd` left
//   note Optimizer.step#AdamW.step                  a user annotation
//   py model.py(88): forward                        a Python function; % stands for an address
//   mod Linear                                      a module's call: three Python functions
//   rt cudaStreamIsCapturing                        a runtime call that launches nothing
//   launch gemm                                     the launch of a kernel of kernels.cc
//   alloc 4096 / free 2                             device memory: bytes; number of blocks
//   layers                                          its lines run once per layer
//   first_stage, last_stage                         its lines run only there
//   def NAME ... use NAME A B                       a part with a name; $1, $2 stand for A, B;
//                                                   lines under `use` come last in the part
//
// The words without a comment in Act below have no arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "demo/kernels.h"

namespace stepscope::demo {

enum class Act : uint8_t {
  kGroup,  // nothing of its own
  kOperator,
  kAnnotation,
  kPython,
  kModule,  // the outermost of the three functions
  kCall,
  kLaunch,
  kAllocate,
  kFree,
  kLayers,
  kBackward,      // "engine": the autograd thread does what the part "backward" says
  kFetch,         // "fetch": waits for the next batch
  kSynchronize,   // "synchronize": waits until the compute stream is drained
  kCommWaits,     // "comm_waits": the communication stream waits for the compute stream
  kComputeWaits,  // "compute_waits": and the other way round
  kFirstStage,
  kLastStage,
  kReduceTensor,     // "reduce_tensor": ranks that share a layer add up what they have of it
  kExchangeExperts,  // "exchange_experts": tokens go to their experts, or back
};

enum class Link : uint8_t {
  kNone,
  kForward,   // opens a sequence number
  kEvaluate,  // takes back the latest one that is open
  kBackward,  // inside kEvaluate, does what it asks for
};

struct Node {
  Act act = Act::kGroup;
  Link link = Link::kNone;
  std::string name = {};
  std::string inputs = {};  // of an operator: its inputs as JSON members, or empty
  const Kernel* kernel = nullptr;
  const ApiCall* call = nullptr;
  int64_t amount = 0;      // bytes to allocate, or blocks to free
  size_t module = 0;       // which class of modules, counting from 0
  bool addressed = false;  // an address belongs where the name has "%"
  std::vector<Node> children = {};
};

struct Script {
  Node opening;             // up to the point where every rank has launched its collectives
  Node backward;            // on the autograd thread, as part of the opening
  Node all_reduce;          // one collective, as part of the backward pass
  Node unknown_all_reduce;  // the same by a library that nobody knows
  Node closing;             // the rest of the step
  // Of a job whose replicas span several ranks, instead of opening, backward and closing.
  Node stage_opening;   // of the step
  Node stage_forward;   // of a microbatch
  Node stage_backward;  // of a microbatch, on the autograd thread
  Node stage_norm;      // of the stage's gradients
  Node stage_closing;   // the rest of the step
  Node all_to_all, send, receive;
  size_t modules = 0;    // how many classes of modules there are
  size_t bad_lines = 0;  // that made no sense: 0, as a test makes sure
};

// The training step of the demo.
const Script& TrainingStep();

// Reads a text like the one above. A line it cannot make sense of is left out and counted.
struct ParsedScript {
  Node root;
  size_t modules = 0;
  size_t bad_lines = 0;
};
ParsedScript ParseScript(std::string_view text);

// The nominal compute time of all that `node` launches in a model of so many layers, but for what
// only the first or the last stage does.
int64_t NominalCompute(const Node& node, int64_t layers);

}  // namespace stepscope::demo
