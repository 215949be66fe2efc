// Makes rows of operations of columns, and counts those that cannot be used.
#include "ingest/parquet/operations_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/byte_source.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "base/time_units.h"
#include "ingest/parquet/job_layout.h"
#include "ingest/parquet/parquet_reader.h"

namespace stepscope {
namespace {

constexpr auto kNeeded = std::to_array<std::string_view>(
    {"step", "dp_rank", "stage", "optype", "seq_id", "start_ts", "duration"});
constexpr auto kAsked = std::to_array<std::string_view>(
    {"step", "dp_rank", "stage", "optype", "seq_id", "start_ts", "duration", "rank", "mc", "gmc"});

std::unexpected<Error> NoOperations(std::string what) {
  return std::unexpected(
      Error{"cannot read operations: " + std::move(what), "",
            "see docs/formats/operations.md; the columns are those of StragglerAnalysis"});
}

// Of each of the file's distinct texts; absent: of no kind.
std::vector<std::optional<OperationKind>> KindsOf(const std::vector<std::string>& names) {
  std::vector<std::optional<OperationKind>> kinds;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(kOperationNames, name) - kOperationNames.begin();
    kinds.push_back(at == static_cast<std::ptrdiff_t>(kOperationNames.size())
                        ? std::nullopt
                        : std::optional(static_cast<OperationKind>(at)));
  }
  return kinds;
}

// Seconds to ns; absent for what is not a number.
std::optional<int64_t> TimeAt(const ParquetColumn& column, size_t row) {
  const double seconds = column.reals[row];
  if (!column.present[row] || !std::isfinite(seconds)) return std::nullopt;
  return RoundToInt64(seconds * static_cast<double>(kSecond));
}

class RowReader {
 public:
  explicit RowReader(const ParquetTable& table)
      : table_(table),
        step_(*table.Find("step")),
        dp_(*table.Find("dp_rank")),
        stage_(*table.Find("stage")),
        kind_(*table.Find("optype")),
        sequence_(*table.Find("seq_id")),
        start_(*table.Find("start_ts")),
        duration_(*table.Find("duration")),
        kinds_(KindsOf(kind_.names)) {}

  OperationsFile Read() {
    OperationsFile file;
    StopChecks checks;
    for (size_t row = 0; row < static_cast<size_t>(table_.rows); ++row) {
      checks.Turn();
      const std::optional<OperationKind> kind = kinds_[kind_.texts[row]];
      if (!kind) {
        ++unknown_;
        if (example_.empty()) example_ = kind_.names[kind_.texts[row]].substr(0, 60);
      } else if (auto operation = OperationAt(row, *kind)) {
        file.operations.rows.push_back(*operation);
      } else {
        ++incomplete_;
      }
    }
    AddNotes(file);
    return file;
  }

 private:
  std::optional<Operation> OperationAt(size_t row, OperationKind kind) const {
    const auto start = TimeAt(start_, row), duration = TimeAt(duration_, row);
    for (const ParquetColumn* column : {&step_, &dp_, &stage_, &sequence_})
      if (!column->present[row]) return std::nullopt;
    if (!start || !duration || *duration < 0 || dp_.ints[row] < 0 || stage_.ints[row] < 0)
      return std::nullopt;
    return Operation{.step = step_.ints[row],
                     .dp = dp_.ints[row],
                     .stage = stage_.ints[row],
                     .rank = Other("rank", row, -1),
                     .kind = kind,
                     .sequence = sequence_.ints[row],
                     .chunk = Other("mc", row, 0),
                     .place = Other("gmc", row, stage_.ints[row]),
                     .start = *start,
                     .duration = *duration};
  }

  int64_t Other(std::string_view name, size_t row, int64_t missing) const {
    const ParquetColumn* column = table_.Find(name);
    return column == nullptr || column->ints.empty() || !column->present[row] ? missing
                                                                              : column->ints[row];
  }

  void AddNotes(OperationsFile& file) const {
    if (unknown_ > 0) {
      const Phrase left_out = "operations were left out: unknown type";
      file.notes.push_back({"unknown_operations", unknown_, left_out + ": " + example_, ""});
    }
    if (incomplete_ > 0) {
      file.notes.push_back({"incomplete_operations", incomplete_,
                            "operations were left out: no step, place or valid time", ""});
    }
  }

  const ParquetTable& table_;
  const ParquetColumn &step_, &dp_, &stage_, &kind_, &sequence_, &start_, &duration_;
  std::vector<std::optional<OperationKind>> kinds_;
  int64_t unknown_ = 0, incomplete_ = 0;
  std::string example_;
};

// Fails where a column that is needed is missing or of another type.
Result<void> CheckColumns(const ParquetTable& table) {
  for (const std::string_view name : kNeeded) {
    const ParquetColumn* column = table.Find(name);
    if (column == nullptr) return NoOperations(fmt::format("column '{}' is missing", name));
    const auto rows = static_cast<size_t>(table.rows);
    const bool text = name == "optype", time = name == "start_ts" || name == "duration";
    if (text && column->texts.size() != rows) return NoOperations("'optype' is not text");
    if (time && column->reals.size() != rows)
      return NoOperations(fmt::format("'{}' is not FLOAT or DOUBLE (seconds)", name));
    if (!text && !time && column->ints.size() != rows)
      return NoOperations(fmt::format("'{}' is not an integer", name));
  }
  return {};
}

int64_t Distinct(const std::vector<Operation>& rows, int64_t Operation::* field) {
  std::set<int64_t> values;
  for (const Operation& row : rows) values.insert(row.*field);
  return static_cast<int64_t>(values.size());
}

void AddLayout(OperationsFile& file, const std::string& path) {
  const auto& rows = file.operations.rows;
  const int64_t dp = Distinct(rows, &Operation::dp), pp = Distinct(rows, &Operation::stage);
  const auto layout = LayoutBeside(path);
  if (!layout) {
    file.notes.push_back({"layout_inferred", 1,
                          Say("the layout was inferred from the columns: dp {dp}, pp {pp} (no "
                              "meta-*.yaml beside the file; other dimensions are unknown)",
                              dp, pp),
                          path});
    return;
  }
  file.layout = layout->path;
  file.operations.devices = layout->devices;
  if (layout->dp.value_or(dp) != dp || layout->pp.value_or(pp) != pp) {
    file.notes.push_back(
        {"layout_differs", 1,
         Say("the layout has dp {layout_dp}, pp {layout_pp}, the operations dp {dp}, pp {pp} "
             "(these count)",
             layout->dp.value_or(dp), layout->pp.value_or(pp), dp, pp),
         layout->path});
  }
}

}  // namespace

bool IsParquet(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;  // a pipe is read once
  auto source = ByteSource::Open(path);
  return source && source->Peek(kParquetMagic.size()) == kParquetMagic;
}

Result<OperationsFile> ReadOperations(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) return std::unexpected(source.error());
  const auto failed = [&](Error error) {
    error.where = path;
    return std::unexpected(std::move(error));
  };
  const auto table = ReadParquet(*std::move(source), kAsked);
  if (!table) return failed(table.error());
  if (const auto checked = CheckColumns(*table); !checked) return failed(checked.error());
  OperationsFile file = RowReader(*table).Read();
  for (Note& note : file.notes) note.where = path;
  AddLayout(file, path);
  return file;
}

}  // namespace stepscope
