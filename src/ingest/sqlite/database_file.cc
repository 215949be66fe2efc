// Wraps SQLite, with every switch against hostile files set.
#include "ingest/sqlite/database_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ingest/sqlite/seekable_vfs.h"

namespace stepscope {
namespace {

// A row takes so many bytes of a file at least: two where its page lists it, and four of its own.
constexpr uint64_t kLeastRow = 6;
constexpr size_t kMostTables = 4096;

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// Statements read tables, and do nothing else.
int Authorize(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

void Limit(sqlite3* db) {
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  for (const char* pragma : {"PRAGMA cell_size_check=ON", "PRAGMA temp_store=MEMORY",
                             "PRAGMA cache_size=-8192", "PRAGMA mmap_size=0"})
    sqlite3_exec(db, pragma, nullptr, nullptr, nullptr);
}

}  // namespace

bool LooksLikeSqlite(std::string_view beginning) {
  return beginning.starts_with(std::string_view("SQLite format 3\0", 16));
}

void Rows::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

bool Rows::Next() {
  if (!statement_) return false;
  checks_.Turn();
  const int got = left_ > 0 ? sqlite3_step(statement_.get()) : SQLITE_CORRUPT;
  vfs_->Rethrow();
  if (got == SQLITE_ROW) {
    --left_;
    return true;
  }
  damaged_ = got != SQLITE_DONE;
  statement_.reset();
  return false;
}

std::optional<int64_t> Rows::Int(size_t column) const {
  const auto c = static_cast<int>(column);
  switch (sqlite3_column_type(statement_.get(), c)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement_.get(), c);
    case SQLITE_FLOAT: {
      constexpr double kExact = 9007199254740992.0;  // 2^53
      const double value = sqlite3_column_double(statement_.get(), c);
      if (std::trunc(value) != value || std::abs(value) > kExact) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> Rows::Real(size_t column) const {
  const auto c = static_cast<int>(column);
  const int type = sqlite3_column_type(statement_.get(), c);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
  const double value = sqlite3_column_double(statement_.get(), c);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string_view Rows::Text(size_t column) const {
  const auto c = static_cast<int>(column);
  const int type = sqlite3_column_type(statement_.get(), c);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) return {};
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), c));
  const int size = sqlite3_column_bytes(statement_.get(), c);
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<size_t>(size));
}

void DatabaseFile::Close::operator()(sqlite3* db) const { sqlite3_close(db); }

DatabaseFile::DatabaseFile(SeekableBytes bytes)
    : vfs_(std::make_unique<SeekableVfs>(std::move(bytes))) {}
DatabaseFile::DatabaseFile(DatabaseFile&&) noexcept = default;
DatabaseFile::~DatabaseFile() = default;

Result<DatabaseFile> DatabaseFile::Open(SeekableBytes bytes) {
  DatabaseFile file(std::move(bytes));
  if (auto connected = file.Connect(); !connected) return std::unexpected(connected.error());
  if (auto listed = file.ListTables(); !listed) return std::unexpected(listed.error());
  return file;
}

Result<void> DatabaseFile::Connect() {
  sqlite3* db = nullptr;
  const int opened = sqlite3_open_v2("input", &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                                     vfs_->name().c_str());
  db_.reset(db);
  if (opened != SQLITE_OK) return std::unexpected(Error{"cannot read the database", "", ""});
  Limit(db);
  return {};
}

Result<void> DatabaseFile::ListTables() {
  std::vector<std::string> names;
  Rows rows = Prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
  while (rows.Next() && names.size() < kMostTables) names.emplace_back(rows.Text(0));
  if (rows.damaged() || names.empty()) {
    return std::unexpected(Error{"the database is damaged: its list of tables cannot be read", "",
                                 "export or copy the file again"});
  }
  for (const std::string& name : names) {
    if (auto table = Describe(name)) tables_.emplace(name, std::move(*table));
  }
  sqlite3_set_authorizer(db_.get(), &Authorize, nullptr);
  return {};
}

std::optional<DatabaseFile::Table> DatabaseFile::Describe(const std::string& name) const {
  Table table;
  Rows rows = Prepare("PRAGMA table_xinfo(" + Quoted(name) + ")");
  int64_t keys = 0;
  while (rows.Next()) {
    if (rows.Int(6).value_or(1) != 0) continue;  // hidden or computed
    table.columns.emplace_back(rows.Text(1));
    if (rows.Int(5).value_or(0) == 0) continue;
    ++keys;
    if (rows.Text(2) == "INTEGER") table.key = table.columns.back();
  }
  if (keys != 1) table.key.clear();
  return table.columns.empty() ? std::nullopt : std::optional(std::move(table));
}

bool DatabaseFile::Has(std::string_view table, std::string_view column) const {
  const auto at = tables_.find(table);
  if (at == tables_.end()) return false;
  const auto& columns = at->second.columns;
  return std::ranges::find(columns, column) != columns.end();
}

std::vector<std::string> DatabaseFile::TablesWith(std::string_view beginning) const {
  std::vector<std::string> found;
  for (auto at = tables_.lower_bound(beginning); at != tables_.end(); ++at) {
    if (!at->first.starts_with(beginning)) break;
    found.push_back(at->first);
  }
  return found;
}

bool DatabaseFile::IsKey(std::string_view table, std::string_view column) const {
  const auto at = tables_.find(table);
  return at != tables_.end() && !column.empty() && at->second.key == column;
}

Rows DatabaseFile::Prepare(const std::string& sql) const {
  Rows rows;
  sqlite3_stmt* statement = nullptr;
  const int prepared = sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr);
  rows.statement_.reset(statement);
  vfs_->Rethrow();
  rows.damaged_ = prepared != SQLITE_OK;
  rows.vfs_ = vfs_.get();
  rows.left_ = vfs_->size() / kLeastRow;
  return rows;
}

Rows DatabaseFile::Read(std::string_view table, std::span<const std::string_view> columns) const {
  if (!Has(table)) return {};
  std::string sql = "SELECT ";
  for (size_t c = 0; c < columns.size(); ++c) {
    sql += c == 0 ? "" : ", ";
    sql += Has(table, columns[c]) ? Quoted(columns[c]) : "NULL";
  }
  return Prepare(sql + " FROM " + Quoted(table));
}

DatabaseFile::Finder DatabaseFile::TextsByKey(std::string_view table, std::string_view key,
                                              std::string_view text) const {
  Finder finder;
  if (Has(table, key) && Has(table, text))
    finder.rows_ = Prepare("SELECT " + Quoted(text) + " FROM " + Quoted(table) + " WHERE " +
                           Quoted(key) + " = ?1");
  return finder;
}

std::string_view DatabaseFile::Finder::Find(int64_t key) {
  sqlite3_stmt* statement = rows_.statement_.get();
  if (statement == nullptr) return {};
  sqlite3_reset(statement);
  sqlite3_bind_int64(statement, 1, key);
  const int got = sqlite3_step(statement);
  rows_.vfs_->Rethrow();
  return got == SQLITE_ROW ? rows_.Text(0) : std::string_view();
}

bool DatabaseFile::truncated() const { return vfs_->truncated(); }
InputEnd DatabaseFile::end() const { return vfs_->end(); }

}  // namespace stepscope
