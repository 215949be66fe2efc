// Why a rank is late, and the words and advice for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::stragglers {

enum class Reason : uint8_t { kCompute, kMoreCompute, kHost, kInput, kCopies, kLink, kUnknown };

// "slower compute kernels"; where threads of the host are the device, "slower operators".
std::string_view ReasonName(Reason reason, const Facts& facts);

CauseKind CauseOf(Reason reason);

std::string Hint(Reason reason, const Facts& facts);

}  // namespace stepscope::stragglers
