// Reads which rank left a file, from its name and from a dump's content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/flight/rank_dump.h"

namespace stepscope {

// The number behind "rank" in a file's name, else its last one that is part of no date: 12 of
// "nccl_trace_rank_12.pkl", of "rank-12.node-07.json", of "_dump_12" and of "12_2026-11-30".
std::optional<int64_t> RankOfName(std::string_view path);

// The only rank that is in all groups of the dump, or the one at its own end of a message in the
// default group, whose ranks are global.
std::optional<int64_t> RankOfContent(const RankDump& dump);

// By the content, where the name has that number too; else by the name, else by the content; -1:
// neither tells.
int64_t RankOfDump(std::string_view path, std::optional<int64_t> of_content);

// "_dump_#" of "/dumps/_dump_12": alike for the files of all ranks in all directories.
std::string FormOfName(std::string_view path);

}  // namespace stepscope
