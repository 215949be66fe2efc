// Defines a user's groups of kernels by patterns of their names, such as AllToAll and AllReduce, or
// custom fused kernels and those of a library.
//
//   [groups]
//   all_to_all = ["*AllToAll*", "*alltoall*"]
//   all_reduce = "*AllReduce*"
//
// In a pattern `*` stands for any text and `?` for one character; a pattern must match a kernel's
// whole name. The first group that has a matching pattern gets the kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

struct KernelGroup {
  std::string name;
  std::vector<std::string> patterns;
};

// Reads TOML as above; the groups in the order of the file. At most 32 groups.
Result<std::vector<KernelGroup>> ParseKernelGroups(std::string_view toml);

// The same from a file.
Result<std::vector<KernelGroup>> ReadKernelGroups(const std::string& path);

}  // namespace stepscope
