// Recognizes by their names what jobs on processors run: operators that communicate, operators that
// only processors or only accelerators have, and threads of compiled programs.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

enum class ProcessorRole : uint8_t {
  kOther,
  kCollective,  // a collective or message of a library on the host: "gloo:all_reduce"
  kDispatch,    // PyTorch's operator that starts one: "c10d::allreduce_"
  kFunctional,  // one for which another operator waits: "_c10d_functional::all_reduce"
};
ProcessorRole ProcessorRoleOf(std::string_view operator_name);

// True for operators that run on accelerators alone, such as "aten::cudnn_convolution" or a
// collective of NCCL, and for those that run on processors alone.
bool IsOfAccelerator(std::string_view operator_name);
bool IsOfProcessor(std::string_view operator_name);

// True for operators of PyTorch that sort, search, count, decompose or measure distances: hardly
// any model spends much of its steps in one.
bool IsSeldomNeeded(std::string_view operator_name);

// True for threads on which XLA's client for processors runs compiled programs.
bool IsXlaThread(std::string_view thread);

// The collective that an operation of a compiled program is by its name alone: "all-reduce" of
// JAX's "psum.5", after whose primitives XLA names operations; empty for others.
std::string_view CollectiveOfCompiled(std::string_view operation);

// Whether it communicates by its name alone: "psum.5", "all-reduce.3".
bool CommunicatesCompiled(std::string_view operation);

// True for ranges in which a thread waits until a program has run: of that client, or Python.
bool IsXlaWait(std::string_view name);

}  // namespace stepscope
