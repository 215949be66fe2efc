// Says of which traces a file of partials was made, so that it is made once.
#pragma once

#include <span>
#include <string>

#include "ingest/places.h"
#include "stepscope/rank_trace.h"

namespace stepscope {

// The trace as it is now: path, size, time, and a hash of its first and last 64 KB.
RankTrace SourceAt(const std::string& path, const Places& places);

// As JSON, with the version that reads them. Equal where the traces are what they were.
std::string SourcesAsJson(std::span<const RankTrace> sources);

// ["a.json","b.json"].
std::string PathsAsJson(std::span<const std::string> paths);

// Whether the file is one of partials, as it was written.
bool ArePartials(const std::string& path);

// What a file of partials says of its sources; empty where it says nothing or is none.
std::string SourcesIn(const std::string& partials);

}  // namespace stepscope
