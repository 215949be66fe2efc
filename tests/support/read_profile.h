// Reads a profile from memory, for tests of what its events become.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "ingest/trace_reader.h"

namespace stepscope {

// An empty trace, and a failure, where it cannot be read.
inline Trace ReadProfile(const std::string& bytes, const ReadOptions& options = {}) {
  auto trace = ReadTrace(ByteSource::FromMemory(bytes), options);
  EXPECT_TRUE(trace) << trace.error().what;
  return trace ? std::move(*trace) : Trace{};
}

inline std::string_view NameOf(const Trace& trace, EventId event) {
  return trace.strings[trace.names()[event]];
}

}  // namespace stepscope
