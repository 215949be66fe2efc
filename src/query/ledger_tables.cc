// Makes columns of the rows of some jobs at a time.
#include "query/ledger_tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "report/column_builder.h"

namespace stepscope::query {
namespace {

// Jobs whose rows are one part.
constexpr size_t kJobsAtOnce = 100;

using IntBuilder = NumberBuilder<int64_t, ColumnType::kInt64>;
using RealBuilder = NumberBuilder<double, ColumnType::kDouble>;
using Builder = std::variant<TextBuilder, IntBuilder, RealBuilder>;
using Ledgers = std::shared_ptr<const std::vector<GoodputRows>>;

ColumnType RowTypeOf(GoodputRowType type) {
  return type == GoodputRowType::kText   ? ColumnType::kText
         : type == GoodputRowType::kReal ? ColumnType::kDouble
                                         : ColumnType::kInt64;
}

Builder BuilderOf(GoodputRowType type) {
  if (type == GoodputRowType::kText) return TextBuilder();
  if (type == GoodputRowType::kReal) return RealBuilder();
  return IntBuilder();
}

// REQUIRES: the cell is of the builder's type, or empty.
void Append(const Cell& cell, Builder& builder) {
  std::visit(
      [&](auto& of) {
        using Of = std::remove_cvref_t<decltype(of)>;
        using Value =
            std::conditional_t<std::is_same_v<Of, TextBuilder>, std::string,
                               std::conditional_t<std::is_same_v<Of, IntBuilder>, int64_t, double>>;
        const auto* value = std::get_if<Value>(&cell);
        value == nullptr ? of.AppendNull() : of.Append(*value);
      },
      builder);
}

std::vector<TableColumn> RowColumnsOf(const GoodputRowTableInfo& info) {
  std::vector<TableColumn> columns;
  for (const GoodputRowColumn& column : info.columns)
    columns.push_back({.name = std::string(column.name),
                       .type = RowTypeOf(column.type),
                       .unit = std::string(column.unit),
                       .title = std::string(column.title),
                       .date = column.type == GoodputRowType::kDate});
  return columns;
}

class LedgerReader : public PartReader {
 public:
  LedgerReader(const GoodputRowTableInfo& info, Ledgers ledgers, std::vector<size_t> columns)
      : info_(&info), ledgers_(std::move(ledgers)), columns_(std::move(columns)) {}

  Result<std::shared_ptr<const Columns>> Next() override {
    while (ledger_ < ledgers_->size()) {
      const GoodputRows& rows = (*ledgers_)[ledger_];
      const size_t from = std::exchange(next_, next_ + kJobsAtOnce);
      auto part = Part(rows, from);
      if (next_ >= rows.jobs()) NextLedger();
      if (part->rows > 0) return part;
    }
    return nullptr;
  }

 private:
  // Limits are of no ledger, and come once.
  void NextLedger() {
    next_ = 0;
    ledger_ = info_->table == GoodputRowTable::kLimits ? ledgers_->size() : ledger_ + 1;
  }

  std::shared_ptr<const Columns> Part(const GoodputRows& rows, size_t from) const {
    std::vector<Builder> builders;
    for (const size_t c : columns_) builders.push_back(BuilderOf(info_->columns[c].type));
    auto part = std::make_shared<Columns>();
    rows.Each(info_->table, from, from + kJobsAtOnce, [&](std::span<const Cell> row) {
      for (size_t c = 0; c < columns_.size(); ++c) Append(row[columns_[c]], builders[c]);
      ++part->rows;
    });
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string name(info_->columns[columns_[c]].name);
      part->columns.push_back(
          std::visit([&](auto& builder) { return builder.Finish(name); }, builders[c]));
    }
    return part;
  }

  const GoodputRowTableInfo* info_;
  Ledgers ledgers_;
  std::vector<size_t> columns_;
  size_t ledger_ = 0, next_ = 0;
};

class LedgerTable : public SqlTable {
 public:
  LedgerTable(const GoodputRowTableInfo& info, Ledgers ledgers)
      : SqlTable(RowColumnsOf(info)), info_(&info), ledgers_(std::move(ledgers)) {}
  std::unique_ptr<PartReader> Read(std::vector<size_t> columns) const override {
    return std::make_unique<LedgerReader>(*info_, ledgers_, std::move(columns));
  }

 private:
  const GoodputRowTableInfo* info_;
  Ledgers ledgers_;
};

using NameAndStart = std::pair<std::string, int64_t>;

// The jobs, each once.
std::set<NameAndStart> JobsOf(const GoodputRows& rows) {
  const auto table = GoodputRowTable::kJobs;
  const auto& columns = GoodputRowTables()[static_cast<size_t>(table)].columns;
  const auto place = [&](std::string_view name) {
    return std::ranges::find(columns, name, &GoodputRowColumn::name) - columns.begin();
  };
  const auto job = static_cast<size_t>(place("job")),
             started = static_cast<size_t>(place("started"));
  std::set<NameAndStart> jobs;
  rows.Each(table, 0, rows.jobs(), [&](std::span<const Cell> row) {
    jobs.emplace(std::get<std::string>(row[job]), std::get<int64_t>(row[started]));
  });
  return jobs;
}

// Copies of a ledger, since two jobs of a name that begin at the same ns are one.
int64_t CountInSeveral(const std::vector<GoodputRows>& ledgers) {
  if (ledgers.size() < 2) return 0;
  std::map<NameAndStart, int> ledgers_of;
  for (const GoodputRows& rows : ledgers)
    for (const NameAndStart& job : JobsOf(rows)) ++ledgers_of[job];
  return std::ranges::count_if(ledgers_of, [](const auto& job) { return job.second > 1; });
}

}  // namespace

std::vector<Note> NotesOfLedgers(const OpenLedgers& ledgers) {
  std::vector<Note> notes;
  if (!ledgers.rows) return notes;
  for (const GoodputRows& rows : *ledgers.rows)
    notes.insert(notes.end(), rows.notes().begin(), rows.notes().end());
  if (const int64_t count = CountInSeveral(*ledgers.rows); count > 0)
    notes.push_back({"jobs_in_several_ledgers", count,
                     Say("{n} jobs are in several of the ledgers, with the same name and start: "
                         "they count once for each",
                         count),
                     ""});
  return notes;
}

bool IsLedgerTable(std::string_view name) {
  return std::ranges::find(GoodputRowTables(), name, &GoodputRowTableInfo::name) !=
         GoodputRowTables().end();
}

Result<void> ReadLedgers(OpenLedgers& ledgers, const std::stop_token& stop) {
  std::set<std::string> names;
  ledgers.rows = std::make_shared<std::vector<GoodputRows>>();
  for (const std::string& path : ledgers.paths) {
    auto rows = GoodputRows::Read({.store = path, .stop = stop});
    if (!rows) return std::unexpected(rows.error());
    if (!names.insert(rows->ledger()).second)
      return std::unexpected(Error{"cannot read a ledger twice", rows->ledger(), "name it once"});
    ledgers.rows->push_back(std::move(*rows));
  }
  return {};
}

std::vector<NamedTable> LedgerTables(const OpenLedgers& ledgers) {
  std::vector<NamedTable> tables;
  if (ledgers.paths.empty()) return tables;
  const Ledgers rows =
      ledgers.rows ? Ledgers(ledgers.rows) : std::make_shared<const std::vector<GoodputRows>>();
  for (const GoodputRowTableInfo& info : GoodputRowTables()) {
    tables.push_back({.schema = {},
                      .name = std::string(info.name),
                      .title = std::string(info.title),
                      .table = std::make_shared<LedgerTable>(info, rows)});
  }
  return tables;
}

}  // namespace stepscope::query
