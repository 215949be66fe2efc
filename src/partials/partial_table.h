// Says what columns partials have, and collects the rows of one recording.
//
// A row is of one kind, and has what that kind has (docs/formats/partials.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "partials/parquet_writer.h"

namespace stepscope {

// Of a file, in its metadata: tells partials from other Parquet.
inline constexpr std::string_view kPartialVersionKey = "stepscope.partials";
inline constexpr std::string_view kPartialVersion = "4";
inline constexpr std::string_view kPartialSourcesKey = "stepscope.sources";
inline constexpr std::string_view kPartialUnreadKey = "stepscope.unread";  // JSON: paths

enum class PartialColumn : uint8_t {
  kKind,  // "recording", "step", "work", "kernel", "stretch", "part", "role", "before", "effort",
          // "stream", "gap" or "wait"
  kRank,
  kCategory,  // of work and kernels: "compute", "communication", "memory"
  kDevice,
  kStream,
  kStep,      // number; of work, the step that launched it
  kStart,     // ns
  kDuration,  // ns; of a kernel the sum
  kName,
  kOperation,
  kGroupName,
  kGroupDescription,
  kGroupRanks,
  kDataType,
  kInElements,
  kOutElements,
  kGroupSize,
  kSequence,
  kMessageFrom,
  kMessageTo,
  kDispatch,    // 1: it only starts a collective, or waits for it
  kIncomplete,  // of a step, 1: recording ended before its work
  kCount,       // of a kernel: how often it ran
  kShortest,    // ns
  kLongest,     // ns
  kMean,        // ns
  kSquares,     // ns^2, sum of squared deviations from the mean
  kLate,        // ns that a device waited for launches
  kPauses,      // ns between kernels, for less than 20 us each time
  kInput,       // ns in ranges of a data loader
  kOperator,    // of a wait, around the longest
  kAnnotation,  // the same
  kAfter,       // of work: ns since what it waited for on another stream had ended
  kAfterSome,   // the same, where not all waits between streams of the recording are told
  kAbout,       // of a recording: the rest, as JSON
  kColumns
};
inline constexpr size_t kPartialColumns = static_cast<size_t>(PartialColumn::kColumns);

// By number of PartialColumn.
extern const std::array<FlatColumnInfo, kPartialColumns> kPartialInfos;

// Collects rows: begin one, then set what it has.
class PartialTable {
 public:
  PartialTable() : columns_(kPartialColumns) {}

  void BeginRow(std::string_view kind, int64_t rank);
  // REQUIRES: once for each column of the row.
  void Set(PartialColumn column, int64_t value);
  void Set(PartialColumn column, double value);
  void Set(PartialColumn column, std::string_view text);

  // All columns as long as there are rows.
  const std::vector<FlatColumn>& Finish();

 private:
  FlatColumn& At(PartialColumn column);

  size_t rows_ = 0;
  std::vector<FlatColumn> columns_;
  std::array<std::map<std::string, uint32_t, std::less<>>, kPartialColumns> ids_;
};

}  // namespace stepscope
