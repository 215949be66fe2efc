// Wraps the calls of SQLite that a ledger needs.
#include "goodput/ledger/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/system_error.h"

namespace stepscope::goodput {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

constexpr int kPatience = 10'000;  // ms
constexpr std::string_view kRestore =
    "restore it from a backup, or move it away and run 'stepscope goodput repair'";

// Does not copy: the caller's bytes outlive the statement.
int BindOne(sqlite3_stmt* statement, int at, const Bound& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    return sqlite3_bind_int64(statement, at, *integer);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return sqlite3_bind_double(statement, at, *real);
  }
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    const char* data = text->empty() ? "" : text->data();
    return sqlite3_bind_text64(statement, at, data, text->size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  if (const auto* blob = std::get_if<Blob>(&value)) {
    return sqlite3_bind_blob64(statement, at, blob->bytes.data(), blob->bytes.size(),
                               SQLITE_STATIC);
  }
  return sqlite3_bind_null(statement, at);
}

class SqliteRow : public Database::Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  int64_t Integer(int column) const override { return sqlite3_column_int64(statement_, column); }
  double Real(int column) const override { return sqlite3_column_double(statement_, column); }
  bool IsNull(int column) const override {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
  }
  std::string Text(int column) const override {
    const void* const bytes = sqlite3_column_blob(statement_, column);
    if (bytes == nullptr) return {};
    return {static_cast<const char*>(bytes),
            static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_;
};

}  // namespace

bool IsDamage(const Error& error) { return error.hint == kRestore; }

bool IsLackOfResources(const Error& error) {
  return std::ranges::any_of(std::array{EMFILE, ENFILE, ENOMEM, EIO}, [&](int number) {
    return error.hint == SystemError("", number, "").hint;
  });
}

void Sqlite::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Error Sqlite::LastError(const char* what) const {
  const int code = sqlite3_errcode(db_.get());
  const bool of_system = code == SQLITE_CANTOPEN || code == SQLITE_IOERR;
  const bool busy = code == SQLITE_BUSY || code == SQLITE_LOCKED;
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  const std::string said = std::string(what) + ": " + sqlite3_errmsg(db_.get());
  if (damaged) return {said, path_, std::string(kRestore)};
  if (code == SQLITE_NOMEM) return SystemError(what, ENOMEM, path_);
  if (const int number = sqlite3_system_errno(db_.get()); number != 0 && of_system) {
    return SystemError(said, number, path_);
  }
  return {said, path_,
          code == SQLITE_FULL ? "free space on this disk"
          : busy              ? "another process is writing to the ledger; try again later"
                              : ""};
}

Result<std::unique_ptr<Sqlite>> Sqlite::Open(const std::string& path, bool write) {
  sqlite3* opened = nullptr;
  const int flags = (write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE) |
                    SQLITE_OPEN_NOMUTEX;
  const int failed = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  std::unique_ptr<Sqlite> db(new Sqlite(opened, path));
  if (failed != SQLITE_OK) return std::unexpected(db->LastError("cannot open the database"));
  sqlite3_busy_timeout(opened, kPatience);
  // FULL: commits survive power loss, since raw events are removed after them.
  for (const char* sql : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL"}) {
    if (auto set = db->Run(sql); !set) return std::unexpected(set.error());
  }
  return db;
}

Result<void> Sqlite::Execute(const char* sql, const std::vector<Bound>& values,
                             const EachRow& each) const {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql, -1, &prepared, nullptr) != SQLITE_OK) {
    return std::unexpected(LastError("cannot prepare a statement"));
  }
  const Statement statement(prepared);
  for (size_t k = 0; k < values.size(); ++k) {
    if (BindOne(prepared, static_cast<int>(k + 1), values[k]) != SQLITE_OK) {
      return std::unexpected(LastError("cannot store in the database"));
    }
  }
  int state = SQLITE_ROW;
  while ((state = sqlite3_step(prepared)) == SQLITE_ROW) {
    if (each) each(SqliteRow(prepared));
  }
  if (state != SQLITE_DONE) return std::unexpected(LastError("cannot run a statement"));
  return {};
}

Result<void> Sqlite::Begin(Access access) const {
  return Run(access == Access::kRead ? "BEGIN" : "BEGIN IMMEDIATE");
}

Result<bool> Sqlite::HasTable(const char* name) const {
  bool has = false;
  auto asked = Run("SELECT 1 FROM sqlite_master WHERE name = $1", {std::string_view(name)},
                   [&](const Row&) { has = true; });
  if (!asked) return std::unexpected(asked.error());
  return has;
}

}  // namespace stepscope::goodput
