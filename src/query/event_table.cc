// Reads events rank by rank.
#include "query/event_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "report/column_builder.h"
#include "stepscope/events.h"

namespace stepscope::query {
namespace {

constexpr std::string_view kTimes[] = {"start", "duration", "end"};
constexpr std::string_view kBytes[] = {"bytes", "total_allocated", "total_reserved",
                                       "bytes_accessed", "requested_bytes"};
// Whole numbers that are narrower than 64 bits in every recording.
constexpr std::string_view kNarrow[] = {"index",    "rank",   "step", "launch",
                                        "operator", "parent", "depth"};
constexpr std::string_view kTexts[] = {
    "name",         "kind",        "process",           "thread",       "thread_name",
    "input_shapes", "input_types", "input_strides",     "input_values", "collective",
    "data_type",    "group_name",  "group_description", "group_ranks",  "framework_op",
    "hlo_op",       "hlo_module",  "hlo_category",      "source"};

bool IsOneOf(const auto& item, const auto& items) {
  return std::ranges::find(items, item) != std::end(items);
}

TableColumn ColumnNamed(const std::string& name) {
  TableColumn column{.name = name, .type = ColumnType::kInt64};
  if (IsOneOf(name, kTexts)) column.type = ColumnType::kText;
  if (IsOneOf(name, kNarrow)) column.type = ColumnType::kInt32;
  if (name == "device") column.type = ColumnType::kInt16;
  if (name == "bandwidth" || name == "counter_value") column.type = ColumnType::kDouble;
  if (IsOneOf(name, kTimes)) column.unit = "ns";
  if (IsOneOf(name, kBytes)) column.unit = "bytes";
  if (name == "bandwidth") column.unit = "GB/s";
  if (name == "flops") column.unit = "FLOP";
  return column;
}

// The name of a run in every row.
ColumnData RunColumn(const std::string& run, int64_t rows) {
  ColumnData column{.name = "run", .type = ColumnType::kInt8, .rows = rows};
  column.values = BufferOf(std::vector<int8_t>(static_cast<size_t>(rows)));
  TextBuilder once;
  once.Append(run);
  column.dictionary = std::make_shared<const ColumnData>(once.Finish("run"));
  return column;
}

class EventReader : public PartReader {
 public:
  EventReader(const EventScope& scope, const std::vector<std::string>& kinds,
              const std::vector<TableColumn>& all, const std::vector<size_t>& columns)
      : scope_(&scope), kinds_(&kinds) {
    for (const size_t c : columns) {
      is_run_.push_back(c == 0);
      if (c != 0) names_.push_back(all[c].name);
    }
    if (names_.empty()) names_.emplace_back("kind");  // the narrowest, to count rows
  }

  Result<std::shared_ptr<const Columns>> Next() override {
    if (!OnRank()) return nullptr;
    const QueriedRun& run = scope_->runs[run_];
    const auto events = run.session->ReadEvents(ranks_[rank_++], scope_->threads, scope_->stop);
    if (!events) return std::unexpected(events.error());
    auto columns = events->Get(names_, {.kinds = *kinds_}, scope_->stop);
    if (!columns) return std::unexpected(columns.error());
    auto part = std::make_shared<Columns>();
    part->rows = columns->rows;
    size_t next = 0;
    for (const bool is_run : is_run_)
      part->columns.push_back(is_run ? RunColumn(run.name, columns->rows)
                                     : std::move(columns->columns[next++]));
    return part;
  }

 private:
  // Goes to the next run once the ranks of one are read; false at the end.
  bool OnRank() {
    for (; run_ < scope_->runs.size(); ++run_) {
      if (!listed_) {
        ranks_ = RanksOf(scope_->runs[run_], *scope_);
        rank_ = 0;
        listed_ = true;
      }
      if (rank_ < ranks_.size()) return true;
      listed_ = false;
    }
    return false;
  }

  const EventScope* scope_;
  const std::vector<std::string>* kinds_;
  std::vector<bool> is_run_;
  std::vector<std::string> names_;
  std::vector<int64_t> ranks_;
  size_t run_ = 0, rank_ = 0;
  bool listed_ = false;
};

class EventSqlTable : public SqlTable {
 public:
  EventSqlTable(EventScope scope, std::vector<std::string> kinds)
      : SqlTable(EventColumns()), scope_(std::move(scope)), kinds_(std::move(kinds)) {}

  std::unique_ptr<PartReader> Read(std::vector<size_t> columns) const override {
    return std::make_unique<EventReader>(scope_, kinds_, this->columns(), columns);
  }

 private:
  EventScope scope_;
  std::vector<std::string> kinds_;
};

}  // namespace

const std::vector<EventTableName>& EventTables() {
  static const std::vector<EventTableName> tables = {
      {"events", {}},
      {"kernels", {"kernel"}},
      {"operators", {"operator"}},
      {"collectives", {"communication"}},
  };
  return tables;
}

std::vector<int64_t> RanksOf(const QueriedRun& run, const EventScope& scope) {
  std::vector<int64_t> ranks = run.session->RecordedRanks();
  if (!scope.ranks.empty())
    std::erase_if(ranks, [&](int64_t rank) { return !IsOneOf(rank, scope.ranks); });
  return ranks;
}

std::vector<TableColumn> EventColumns() {
  std::vector<TableColumn> columns = {{.name = "run", .type = ColumnType::kText}};
  for (const std::string& name : EventTable::ColumnNames()) columns.push_back(ColumnNamed(name));
  return columns;
}

std::shared_ptr<const SqlTable> MakeEventTable(const EventTableName& which, EventScope scope) {
  return std::make_shared<EventSqlTable>(std::move(scope), which.kinds);
}

}  // namespace stepscope::query
