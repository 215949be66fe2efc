// Tells what a task on a stream of an Ascend device is, by its name.
#pragma once

#include <string_view>

#include "trace/vocabulary.h"

namespace stepscope {

// Streams of groups of HCCL, which have no number of their own, are numbered from here.
inline constexpr int64_t kFirstAscendGroup = 10'000;

// `groups_told`: communication is recorded by group beside the tasks that it is made of, which then
// are of no kind.
Kind KindOfAscendTask(std::string_view name, bool groups_told);

}  // namespace stepscope
