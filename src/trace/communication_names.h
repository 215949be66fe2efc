// Recognizes kernels that communicate by their names.
//
// A library that nobody listed is recognized by the structure of the name: the namespaces around
// the function
// ("anything::internode::dispatch") and the words of the function's own name ("moeAllToAllKernel"
// has the words moe, all, to, all, kernel). Names are C++ as a demangler prints them, or mangled,
// or plain. Template arguments and parameters never decide: "reduce_kernel<AllGatherOp>(...)"
// computes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace stepscope {

// True when a kernel of this name moves data between accelerators, whatever library it belongs to.
bool IsCommunicationName(std::string_view name);

// Which names of one table these are. Each is looked at once.
class CommunicationNames {
 public:
  bool Has(StringId name, const StringTable& names);

 private:
  std::vector<int8_t> known_;  // by name; -1: not looked at yet
};

// True when a range on the host has the name of a collective's call: "nccl:all_reduce" and
// "nccl:send 0->1" of PyTorch's process groups, "ncclAllReduce" and "ncclGroupEnd" of NCCL and the
// libraries after its pattern. What users name ("all_reduce gradients", "tp:all_reduce") is none.
bool IsCollectiveCall(std::string_view range);

// Where a function is declared and what it is called, without return type, template arguments and
// parameters: "void a::b::c<int>(float)" and "_ZN1a1b1cIiEEvf" are {"a", "b", "c"}. Namespaces
// without a name are left out. The last one is the function's own name; there is always one, and it
// may be empty.
std::vector<std::string_view> PathOfFunction(std::string_view name);

// The words of an identifier in lower case, with a space on both sides of each; underscores and
// capitals divide: "oneShotAllReduce_v2" is " one shot all reduce v2 ", "NCCLSend" is " nccl send
// ".
std::string WordsOf(std::string_view identifier);

}  // namespace stepscope
