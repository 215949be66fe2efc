// Names sequences of kernels in tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "facts/facts.h"

namespace stepscope {

// Of `first` and the names behind it.
uint64_t HashOfNames(StringId first, std::span<const StringId> names);

// "a | b | c". A long sequence is cut and identified by a hash.
std::string SayKernels(const Facts& facts, std::span<const StringId> kernels);

}  // namespace stepscope
