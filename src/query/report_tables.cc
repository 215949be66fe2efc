// Joins the tables of runs, and makes tables of what is no table in a report.
#include "query/report_tables.h"

#include <algorithm>
#include <map>
#include <utility>

#include "report/findings.h"
#include "report/ids.h"
#include "report/metrics_table.h"
#include "report/table_columns.h"

namespace stepscope::query {
namespace {

class ColumnsReader : public PartReader {
 public:
  ColumnsReader(const Columns& all, const std::vector<size_t>& columns)
      : part_(std::make_shared<Columns>()) {
    part_->rows = all.rows;
    for (const size_t c : columns) part_->columns.push_back(all.columns[c]);
  }
  Result<std::shared_ptr<const Columns>> Next() override { return std::exchange(part_, nullptr); }

 private:
  std::shared_ptr<Columns> part_;
};

class ColumnsTable : public SqlTable {
 public:
  ColumnsTable(std::vector<TableColumn> columns, Columns all)
      : SqlTable(std::move(columns)), all_(std::move(all)) {}
  std::unique_ptr<PartReader> Read(std::vector<size_t> columns) const override {
    return std::make_unique<ColumnsReader>(all_, columns);
  }
  int64_t rows() const override { return all_.rows; }

 private:
  Columns all_;
};

std::shared_ptr<const SqlTable> TableOf(const Table& table) {
  Columns all = ColumnsOf(table);
  std::vector<TableColumn> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    columns.push_back({.name = column.key,
                       .type = all.columns[c].type,
                       .unit = std::string(UnitName(column.unit)),
                       .title = column.title});
  }
  return std::make_shared<ColumnsTable>(std::move(columns), std::move(all));
}

Column Named(std::string key, Unit unit = Unit::kNone) {
  return {.key = std::move(key), .title = {}, .unit = unit};
}

// Tables of one name, one run behind the other.
class Joined {
 public:
  explicit Joined(std::string title) : title_(std::move(title)) {
    all_.columns.push_back(Named("run"));
  }

  void Add(const std::string& run, const Table& table) {
    std::vector<size_t> places;
    for (const Column& column : table.columns) places.push_back(PlaceOf(column));
    for (const auto& row : table.rows) {
      std::vector<Cell>& to = all_.rows.emplace_back(all_.columns.size());
      to[0] = run;
      for (size_t c = 0; c < row.size(); ++c) to[places[c]] = row[c];
    }
  }

  NamedTable Finish(std::string schema, std::string name) {
    for (auto& row : all_.rows) row.resize(all_.columns.size());
    return {.schema = std::move(schema),
            .name = std::move(name),
            .title = title_,
            .table = TableOf(all_)};
  }

 private:
  size_t PlaceOf(const Column& column) {
    const auto at = std::ranges::find(all_.columns, column.key, &Column::key);
    if (at != all_.columns.end()) return static_cast<size_t>(at - all_.columns.begin());
    all_.columns.push_back(column);
    return all_.columns.size() - 1;
  }

  std::string title_;
  Table all_;
};

Cell Known(const std::optional<int64_t>& number) { return number ? Cell(*number) : Cell(); }
Cell Known(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }
Cell Counted(int64_t number) { return number > 0 ? Cell(number) : Cell(); }

Table FindingsOf(const ReportSet& answer) {
  Table table{.columns = {Named("id"), Named("place"), Named("analysis"), Named("severity"),
                          Named("message"), Named("because"), Named("try"),
                          Named("impact", Unit::kNanoseconds), Named("share", Unit::kRatio),
                          Named("per_step", Unit::kNanoseconds), Named("cause"), Named("rank"),
                          Named("step"), Named("since"), Named("table_name")}};
  for (const Finding* f : FindingsInOrder(answer)) {
    const Report& report = ReportOf(answer, *f);
    table.rows.push_back({IdOf(report, *f), Counted(f->place), report.analysis,
                          std::string(SeverityName(f->severity)), f->message.str(),
                          Known(f->because.str()), Known(f->hint.str()), Counted(f->impact),
                          f->impact > 0 ? Cell(f->share) : Cell(), Counted(f->per_step),
                          Known(CauseName(f->cause.kind)), Known(f->cause.rank),
                          Known(f->cause.step), Known(f->since), Known(f->table)});
  }
  return table;
}

Table NotesOf(const ReportSet& answer) {
  Table table{.columns = {Named("analysis"), Named("name"), Named("count", Unit::kCount),
                          Named("message"), Named("file")}};
  const auto add = [&](std::string_view analysis, const std::vector<Note>& notes) {
    for (const Note& note : notes)
      table.rows.push_back(
          {Known(analysis), note.name, note.count, note.message.str(), Known(note.where)});
  };
  add("", answer.run.notes);
  for (const Report& report : answer.reports) add(report.analysis, report.notes);
  return table;
}

Table FilesOf(const ReportSet& answer) {
  Table table{.columns = {Named("path"), Named("rank"), Named("window"),
                          Named("events", Unit::kCount), Named("device_events", Unit::kCount),
                          Named("bytes", Unit::kBytes), Named("problem")}};
  for (const InputFile& file : answer.run.files)
    table.rows.push_back({file.path, file.rank < 0 ? Cell() : Cell(file.rank), file.window,
                          file.events, file.gpu_events, file.bytes, Known(file.problem)});
  return table;
}

// Where the trace of a rank is: of partials, the one that they were made of.
Table TracesOf(std::span<const RankTrace> traces) {
  Table table{.columns = {Named("rank"), Named("path"), Named("bytes", Unit::kBytes)}};
  for (const RankTrace& trace : traces)
    table.rows.push_back({trace.rank, trace.path, trace.bytes < 0 ? Cell() : Cell(trace.bytes)});
  return table;
}

Table RunsOf(const ReportSet& answer) {
  int64_t events = 0, bytes = 0;
  for (const InputFile& file : answer.run.files) {
    events += file.events;
    bytes += file.bytes;
  }
  return {
      .columns = {Named("ranks", Unit::kCount), Named("files", Unit::kCount),
                  Named("events", Unit::kCount), Named("bytes", Unit::kBytes), Named("verdict")},
      .rows = {{answer.run.ranks, static_cast<int64_t>(answer.run.files.size()), events, bytes,
                Known(answer.verdict.str())}}};
}

}  // namespace

std::vector<NamedTable> ReportTables(const std::vector<RunAnswer>& answers) {
  std::map<std::pair<std::string, std::string>, Joined> tables;
  const auto add = [&](const std::string& run, const std::string& schema, const std::string& name,
                       const Table& table) {
    tables.try_emplace({schema, name}, table.title).first->second.Add(run, table);
  };
  for (const auto& [run, answer, traces] : answers) {
    for (const Report& report : answer.reports) {
      for (const Table& table : report.tables) add(run, report.analysis, table.key, table);
      if (!report.metrics.empty())
        add(run, report.analysis, std::string(kMetricsTable), MetricsTable(report));
    }
    add(run, "", "findings", FindingsOf(answer));
    add(run, "", "notes", NotesOf(answer));
    add(run, "", "files", FilesOf(answer));
    add(run, "", "traces", TracesOf(traces));
    add(run, "", "runs", RunsOf(answer));
  }
  std::vector<NamedTable> named;
  for (auto& [name, joined] : tables) named.push_back(joined.Finish(name.first, name.second));
  return named;
}

}  // namespace stepscope::query
