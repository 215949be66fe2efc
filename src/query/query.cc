// Answers a statement.
#include "stepscope/query.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "query/answer.h"
#include "query/catalog.h"
#include "query/read_vector.h"
#include "query/watch.h"

namespace stepscope {
namespace query {
namespace {

// What opens the runs once it is known what is wanted of them.
using Opens = std::function<Result<OpenRuns>(const Wanted&, const std::stop_token&)>;

std::vector<std::string> NamesOf(const std::vector<NamedTable>& tables) {
  std::vector<std::string> names;
  for (const NamedTable& table : tables) names.push_back(FullName(table));
  return names;
}

// "steps" stands for "steps.steps".
std::string AnalysisOf(const std::string& name) {
  const auto* alias = std::ranges::find(kAliases, std::string_view(name), &Alias::name);
  if (alias != std::end(kAliases)) return std::string(alias->schema);
  const size_t dot = name.find('.');
  return dot == name.npos ? "" : name.substr(0, dot);
}

// Why an analysis whose table is missing has none; nothing where it has.
std::optional<Error> Unavailable(const OpenRuns& open, const std::vector<std::string>& names) {
  for (const RunAnswer& answer : open.answers) {
    for (const Report& report : answer.answer.reports) {
      const bool named = std::ranges::any_of(
          names, [&](const std::string& name) { return AnalysisOf(name) == report.analysis; });
      if (named && report.status == Status::kUnavailable)
        return Error{report.analysis + " has no tables here: " + report.why.str(), answer.run,
                     "other traces, or another table of those that `query_schema` lists"};
    }
  }
  return std::nullopt;
}

// What DuckDB says of a name, with what we know of tables that are not there.
Error Explained(Error error, const std::vector<std::string>& names, const OpenRuns& open,
                const std::vector<NamedTable>& tables) {
  if (!error.what.contains("Table with name") && !error.what.contains("schema")) return error;
  if (auto why = Unavailable(open, names)) return *why;
  const std::string near = NearestTable(names, NamesOf(tables));
  error.hint = near.empty() ? "`query_schema` lists all tables"
                            : "did you mean '" + near + "'? `query_schema` lists all tables";
  return error;
}

Result<QueryRows> Ask(const std::string& sql, const QueryOptions& options, const Opens& opens) {
  auto state = std::make_unique<QueryRows::State>();
  auto connection =
      Connection::Open(Reach::kTables, {.memory = options.memory, .threads = options.open.threads});
  if (!connection) return std::unexpected(connection.error());
  state->connection = std::move(*connection);
  state->watch.emplace(*state->connection, options.timeout, options.stop);
  state->text_left = options.most_text > 0 ? options.most_text : -1;
  auto question = Question::Read(*state->connection, sql);
  if (!question) return std::unexpected(question.error());
  const auto names = question->TableNames();
  auto open = opens(WantedFor(names), state->watch->token());
  if (!open) return std::unexpected(state->watch->Ended().value_or(open.error()));
  state->open = std::move(*open);
  const std::vector<NamedTable> tables = TablesOf(state->open, {.runs = state->open.runs,
                                                                .ranks = options.analyze.ranks,
                                                                .threads = options.open.threads,
                                                                .stop = state->watch->token()});
  if (const auto added = AddTables(*state->connection, tables, state->scan_error); !added)
    return std::unexpected(added.error());
  if (const auto bound = question->Bind(); !bound) {
    if (auto ended = state->watch->Ended()) return std::unexpected(*std::move(ended));
    return std::unexpected(
        Explained(bound.error(), names.value_or(std::vector<std::string>()), state->open, tables));
  }
  if (const auto started = state->Start(std::move(*question)); !started)
    return std::unexpected(started.error());
  return QueryRows(std::move(state));
}

}  // namespace
}  // namespace query

Result<QueryRows> Query(std::span<const std::string> paths, const std::string& sql,
                        const QueryOptions& options) {
  return query::Ask(sql, options, [&](const query::Wanted& wanted, const std::stop_token& stop) {
    return query::OpenPaths(paths, wanted, options, stop);
  });
}

Result<QueryRows> Query(std::vector<QueriedRun> runs, const std::string& sql,
                        const QueryOptions& options) {
  return query::Ask(sql, options, [&](const query::Wanted& wanted, const std::stop_token& stop) {
    return query::AskRuns(runs, wanted, options, stop);
  });
}

}  // namespace stepscope
