// Reads stacks as text: of `py-spy dump`, and of Python's faulthandler, as PyTorch's debug server
// sends them.
#pragma once

#include <string_view>

#include "ingest/stacks/rank_stack.h"
#include "stepscope/result.h"

namespace stepscope {

// Whether a file that begins with these bytes holds stacks. Takes a few KB.
bool LooksLikeStacks(std::string_view bytes);

// The main thread of the first process in the text: named so by py-spy; the last one of
// faulthandler, which lists the newest first. Sets no rank and no path. Fails on what holds no
// thread.
Result<RankStack> ReadStackText(std::string_view text);

// Reads lines of at most 4 KB, 100,000 of them: what is behind is passed over.
inline constexpr size_t kMostStackBytes = size_t{16} << 20;

}  // namespace stepscope
