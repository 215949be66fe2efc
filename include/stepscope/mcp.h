// Serves assistants over the Model Context Protocol: JSON-RPC 2.0, one message a line.
//
//   stepscope::ServeMcp({.roots = {"/data/traces"}}, ReadFromStdin, WriteToStdout);
//
// It speaks revision 2026-07-28, which is stateless and has server/discover, and 2025-11-25 and
// 2025-06-18, which begin with initialize. Tools: open, brief, table, show, compare, explain,
// goodput; all only read, and only below the roots, links resolved. docs/agents.md describes them.
// Whatever comes in, what goes out is valid messages of the protocol.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

struct McpOptions {
  std::vector<std::string> roots;  // directories; nothing outside them is read
  int threads = 0;                 // to read traces with; 0: one per processor
  size_t keep = 4;                 // so many runs stay in memory, the latest asked
  Settings settings;               // of every run
  int64_t max_input = 0;           // as in OpenOptions, of every run
  // Private names are replaced in what assistants read; ids need one key. Nothing: they stay.
  std::optional<RedactOptions> redact = {};
  // Calls that have not ended so long after the end of the input are given up.
  std::chrono::milliseconds patience{1500};
};

// Fills the span from its start and returns how many bytes it has read; 0: the end. May wait.
using McpRead = std::function<size_t(std::span<char>)>;

// Takes a line with its end; false: nobody reads any more. From several threads, one at a time.
using McpWrite = std::function<bool(std::string_view)>;

// Returns at the end of the input. Fails before it reads any where a root is no directory or a
// setting is wrong.
Result<void> ServeMcp(const McpOptions& options, McpRead read, McpWrite write);

}  // namespace stepscope
