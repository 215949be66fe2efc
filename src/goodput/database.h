// SQLite with owners: a database, and statements that are run once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stepscope/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope::goodput {

// A value on its way into a statement; bytes are stored as they are.
struct Blob {
  std::string_view bytes;
};
using Bound = std::variant<std::monostate, int64_t, double, std::string_view, Blob>;

class Database {
 public:
  // In WAL mode, waiting up to 10 s for others. Without `write` the file must exist.
  static Result<Database> Open(const std::string& path, bool write);

  // The columns of one row of an answer; those that are null read as 0 and "".
  class Row {
   public:
    explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
    int64_t Integer(int column) const;
    std::string Text(int column) const;
    bool IsNull(int column) const;
    double Real(int column) const;

   private:
    sqlite3_stmt* statement_;
  };

  // Runs one statement with its values for ?1, ?2, ...
  Result<void> Run(const char* sql, const std::vector<Bound>& values = {},
                   const std::function<void(const Row&)>& each = {}) const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  explicit Database(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}
  Error LastError(const char* what) const;

  std::unique_ptr<sqlite3, Close> db_;
  std::string path_;
};

// A transaction, undone unless it is committed: one that takes the write lock at once, or one that
// only sees the database as it is at its first statement. The database stays where it is meanwhile.
class Transaction {
 public:
  static Result<Transaction> Begin(const Database& db, bool write);
  Result<void> Commit();
  ~Transaction();
  Transaction(Transaction&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;

 private:
  explicit Transaction(const Database& db) : db_(&db) {}
  const Database* db_;
};

}  // namespace stepscope::goodput
