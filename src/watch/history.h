// Keeps the windows of a watch: a line of JSON each, appended to a file.
#pragma once

#include <string>
#include <vector>

#include "stepscope/result.h"
#include "stepscope/watch.h"

namespace stepscope {

std::string HistoryPath(const std::string& folder);

// Appends its line. A file beyond `most` bytes becomes history.1.jsonl first, in place of an older
// one.
Result<void> AppendWindow(const std::string& folder, const WatchedWindow& window, int64_t most);

// The windows of history.1.jsonl and history.jsonl. A line that is none, such as one that a crash
// cut, is left out. Without a file there are none.
Result<std::vector<WatchedWindow>> ReadWindows(const std::string& folder);

// The window as one object of JSON in at most `most` bytes, for an event: without the times of its
// parts, and with the costliest finding alone, cut as needed.
std::string RecordOf(const WatchedWindow& window, size_t most);

}  // namespace stepscope
