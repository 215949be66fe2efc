// Says of which traces a file of partials was made, so that it is made once.
#pragma once

#include <span>
#include <string>

#include "ingest/places.h"

namespace stepscope {

// The traces as JSON: path, size, time, and a hash of their first and last 64 KB; and the version
// that reads them. Equal where they are what they were.
std::string SourcesOf(std::span<const std::string> files, const Places& places);

// ["a.json","b.json"].
std::string PathsAsJson(std::span<const std::string> paths);

// Whether the file is one of partials, as it was written.
bool ArePartials(const std::string& path);

// What a file of partials says of its sources; empty where it says nothing or is none.
std::string SourcesIn(const std::string& partials);

}  // namespace stepscope
