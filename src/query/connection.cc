// Opens databases and asks them.
#include "query/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "query/sql_error.h"

namespace stepscope::query {
namespace {

using nlohmann::json;

struct Setting {
  const char *name, *value;
};

// Nothing is written beside the answer, and no statement reaches more than the tables.
constexpr auto kEverywhere = std::to_array<Setting>({
    {"temp_directory", ""},
    {"autoload_known_extensions", "false"},
    {"autoinstall_known_extensions", "false"},
});
constexpr auto kOnlyTables = std::to_array<Setting>({
    {"enable_external_access", "false"},
    {"lock_configuration", "true"},
});

// The names below a value of `json_serialize_sql`.
void AddTableNames(const json& at, std::vector<std::string>& names) {
  if (at.is_object() && at.value("type", json()) == "BASE_TABLE") {
    const std::string schema = at.value("schema_name", "");
    const std::string table = at.value("table_name", "");
    names.push_back(schema.empty() ? table : schema + "." + table);
  }
  if (!at.is_structured()) return;
  for (const json& below : at) AddTableNames(below, names);
}

Error NoQuestion(std::string what) {
  return {std::move(what), "", "ask one SELECT; tables cannot be changed"};
}

// What DuckDB would find other faults with before it is known to write.
bool Writes(const std::string& sql) {
  constexpr std::string_view kWriting[] = {"insert", "update", "delete", "merge",
                                           "create", "drop",   "alter",  "copy",
                                           "export", "import", "load",   "install"};
  const std::string lower = Lower(sql);
  const size_t begin = std::min(lower.find_first_not_of(" \t\r\n("), lower.size());
  return std::ranges::any_of(
      kWriting, [&](std::string_view word) { return lower.substr(begin).starts_with(word); });
}

// DuckDB makes two statements of a PIVOT whose columns it has to find out.
Error TooMany(abi::Index count, const std::string& sql) {
  Error error = NoQuestion(fmt::format("these are {} statements, not one", count));
  if (Lower(sql).contains("pivot"))
    error.hint = "name the columns of PIVOT: ON kind IN ('compute')";
  return error;
}

}  // namespace

std::string Quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out.append(c == quote ? 2 : 1, c);
  return out += quote;
}

Result<std::unique_ptr<Connection>> Connection::Open(Reach reach, const Limits& limits) {
  const auto db = LoadDuckDb();
  if (!db) return std::unexpected(db.error());
  std::unique_ptr<Connection> connection(new Connection(**db));
  if (const auto started = connection->Start(reach, limits); !started)
    return std::unexpected(started.error());
  return connection;
}

Result<void> Connection::Start(Reach reach, const Limits& limits) {
  Handle<abi::Config, &DuckDb::destroy_config> config(*db_);
  bool fine = db_->create_config(config.out()) == abi::kSuccess;
  const auto set = [&](const char* name, const std::string& value) {
    fine = fine && db_->set_config(config.get(), name, value.c_str()) == abi::kSuccess;
  };
  for (const Setting& setting : kEverywhere) set(setting.name, setting.value);
  if (limits.memory > 0) set("memory_limit", fmt::format("{}B", limits.memory));
  if (limits.threads > 0) set("threads", fmt::to_string(limits.threads));
  if (reach == Reach::kTables) {
    for (const Setting& setting : kOnlyTables) set(setting.name, setting.value);
  }
  if (!fine) return std::unexpected(Error{"DuckDB takes none of our settings", "", ""});
  char* why = nullptr;
  if (db_->open_ext(nullptr, database_.out(), config.get(), &why) != abi::kSuccess) {
    Error error = ErrorOf(why != nullptr ? why : "");
    if (why != nullptr) db_->free(why);
    return std::unexpected(std::move(error));
  }
  if (db_->connect(database_.get(), connection_.out()) != abi::kSuccess)
    return std::unexpected(Error{"DuckDB cannot be connected to", "", ""});
  return {};
}

Result<void> Connection::Run(const std::string& sql) {
  ResultHandle result(*db_);
  if (db_->query(get(), sql.c_str(), &result.get()) == abi::kSuccess) return {};
  const char* why = db_->result_error(&result.get());
  return std::unexpected(ErrorOf(why != nullptr ? why : "unknown"));
}

Result<Question> Question::Read(Connection& connection, const std::string& sql) {
  if (sql.contains('\0')) return std::unexpected(NoQuestion("the query has a byte that is zero"));
  const DuckDb& db = connection.db();
  Question question(connection, sql);
  const abi::Index count =
      db.extract_statements(connection.get(), sql.c_str(), question.statements_.out());
  const char* why = db.extract_statements_error(question.statements_.get());
  if (why != nullptr) return std::unexpected(ErrorOf(why));
  if (count == 0) return std::unexpected(NoQuestion("there is no query"));
  if (count > 1) return std::unexpected(TooMany(count, sql));
  if (Writes(sql)) return std::unexpected(NoQuestion("this statement does not only ask"));
  return question;
}

std::optional<std::vector<std::string>> Question::TableNames() const {
  const auto text = OneText("SELECT json_serialize_sql(" + Quoted(sql_) + "::VARCHAR)");
  const json tree = json::parse(text.value_or("{}"), nullptr, false);
  if (tree.is_discarded() || tree.value("error", true)) return NamesOnceBound();
  // The text of another statement, or a name that is made of text.
  if (text->contains("\"function_name\":\"query")) return std::nullopt;
  std::vector<std::string> names;
  AddTableNames(tree, names);
  return names;
}

std::optional<std::string> Question::OneText(const std::string& sql) const {
  const DuckDb& db = connection_->db();
  ResultHandle result(db);
  if (db.query(connection_->get(), sql.c_str(), &result.get()) != abi::kSuccess)
    return std::nullopt;
  ChunkHandle chunk(db);
  *chunk.out() = db.fetch_chunk(result.get());
  if (chunk.get() == nullptr || db.data_chunk_get_size(chunk.get()) == 0) return std::nullopt;
  const auto* text =
      static_cast<const abi::String*>(db.vector_get_data(db.data_chunk_get_vector(chunk.get(), 0)));
  return std::string(text->data(), text->length);
}

std::optional<std::vector<std::string>> Question::NamesOnceBound() const {
  const DuckDb& db = connection_->db();
  ValueHandle list(db);
  *list.out() = db.get_table_names(connection_->get(), sql_.c_str(), true);
  if (list.get() == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (abi::Index i = 0; i < db.get_list_size(list.get()); ++i) {
    ValueHandle one(db);
    *one.out() = db.get_list_child(list.get(), i);
    char* text = db.get_varchar(one.get());
    names.emplace_back(text);
    db.free(text);
  }
  return names;
}

Result<void> Question::Bind() {
  const DuckDb& db = connection_->db();
  if (db.prepare_extracted_statement(connection_->get(), statements_.get(), 0, prepared_.out()) !=
      abi::kSuccess) {
    const char* why = db.prepare_error(prepared_.get());
    return std::unexpected(ErrorOf(why != nullptr ? why : "it cannot be prepared"));
  }
  const abi::StatementType type = db.prepared_statement_type(prepared_.get());
  if (type != abi::kSelect && type != abi::kExplain)
    return std::unexpected(NoQuestion("this statement does not only ask"));
  if (db.nparams(prepared_.get()) > 0)
    return std::unexpected(NoQuestion("the query has parameters, which nothing sets"));
  return {};
}

std::vector<ResultColumn> Question::Columns() const {
  const DuckDb& db = connection_->db();
  std::vector<ResultColumn> columns;
  for (abi::Index c = 0; c < db.prepared_statement_column_count(prepared_.get()); ++c) {
    // The library gives the name away.
    auto* name = const_cast<char*>(db.prepared_statement_column_name(prepared_.get(), c));
    columns.push_back({name, db.prepared_statement_column_type(prepared_.get(), c)});
    db.free(name);
  }
  return columns;
}

Result<ResultHandle> Question::Start() {
  const DuckDb& db = connection_->db();
  PendingHandle pending(db);
  ResultHandle result(db);
  if (db.pending_prepared_streaming(prepared_.get(), pending.out()) != abi::kSuccess) {
    const char* why = db.pending_error(pending.get());
    return std::unexpected(ErrorOf(why != nullptr ? why : "it cannot be started"));
  }
  if (db.execute_pending(pending.get(), &result.get()) != abi::kSuccess) {
    const char* why = db.result_error(&result.get());
    return std::unexpected(ErrorOf(why != nullptr ? why : "it failed"));
  }
  return result;
}

}  // namespace stepscope::query
