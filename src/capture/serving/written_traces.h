// Finds the traces that a server's workers write to their folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::capture {

struct WrittenTrace {
  std::string path;
  std::string suffix;  // ".pt.trace.json.gz"
  int64_t rank = -1;   // -1: its name does not say
  int64_t bytes = 0;
};

// Sizes and times of the files in a folder, by name.
using FolderState = std::map<std::string, std::pair<int64_t, int64_t>>;
// Traces alone; empty where the folder cannot be read.
FolderState StateOf(const std::string& folder);

// What is new or has changed since `before`, by rank, then by name.
std::vector<WrittenTrace> NewTraces(const std::string& folder, const FolderState& before,
                                    const FolderState& now);

// Waits until `wanted` traces are there (0: any) and no file has grown for a second, for at most
// `patience` ns or until `cancelled`.
std::vector<WrittenTrace> AwaitTraces(const std::string& folder, const FolderState& before,
                                      int64_t wanted, int64_t patience,
                                      const std::function<bool()>& cancelled);

// "dp0_pp0_tp1_rank3.1700.pt.trace.json.gz" and "1700.5-TP-3.trace.json.gz": 3. -1 for another.
int64_t RankOfName(std::string_view name);

}  // namespace stepscope::capture
