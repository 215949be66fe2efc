// Makes errors of what DuckDB says.
#pragma once

#include <string_view>

#include "stepscope/result.h"

namespace stepscope::query {

// What it says, without the kind in front; where in the statement; and its advice, if it has any.
Error ErrorOf(std::string_view message);

}  // namespace stepscope::query
