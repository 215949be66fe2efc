// Words what a rank computes more of.
#pragma once

#include <string>
#include <string_view>

#include "facts/facts.h"
#include "report/kernel_name.h"

namespace stepscope {

struct ExcessWork;

// Why an operator takes longer.
enum class Growth : uint8_t { kCalls, kSize, kTime };
// More calls of it per step by a twentieth; else inputs that are larger by a fifth; else neither.
Growth GrowthOf(const ExcessWork& excess);

// "; most of it in aten::layer_norm in Net_0 (200 more calls per step)".
std::string SayExcess(const Facts& facts, const ExcessWork& excess);

}  // namespace stepscope
