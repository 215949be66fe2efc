// Packs numbers as Parquet does: runs and groups of eight (levels, indices of a dictionary), and
// differences (DELTA_BINARY_PACKED).
//
// https://github.com/apache/parquet-format/blob/master/Encodings.md
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace stepscope {

// The hybrid of runs and bit-packed groups. REQUIRES: every value has at most `width` bits, which
// are at most 32.
void AppendRuns(std::string& out, std::span<const uint32_t> values, int width);

// Differences of consecutive values in blocks of 128, each with as many bits as it needs.
void AppendDeltas(std::string& out, std::span<const int64_t> values);

}  // namespace stepscope
