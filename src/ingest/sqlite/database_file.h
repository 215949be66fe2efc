// Reads the tables of an SQLite database that somebody else wrote.
//
// The database is never written to. It may be damaged or hostile: statements read plain tables and
// call no function, views and columns that are computed are not there, and no table has more rows
// than its file has room for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "ingest/common/seekable_bytes.h"
#include "stepscope/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope {

// Whether a file that begins like this is an SQLite database.
bool LooksLikeSqlite(std::string_view beginning);
inline constexpr size_t kSqliteSniff = 16;

class SeekableVfs;

// The rows of a statement, one at a time. Views are valid until the next row.
class Rows {
 public:
  Rows() = default;  // none

  // Goes on to the next row; false at the end, and where the table is damaged.
  bool Next();
  bool damaged() const { return damaged_; }

  // Of whole numbers, also such that are written as fractions ("3.0"); nothing for all else.
  std::optional<int64_t> Int(size_t column) const;
  std::optional<double> Real(size_t column) const;
  // Of texts and bytes; empty for all else.
  std::string_view Text(size_t column) const;

 private:
  friend class DatabaseFile;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  SeekableVfs* vfs_ = nullptr;
  uint64_t left_ = 0;  // rows there may be
  bool damaged_ = false;
  StopChecks checks_;
};

class DatabaseFile {
 public:
  // Fails where the list of tables cannot be read.
  static Result<DatabaseFile> Open(SeekableBytes bytes);
  DatabaseFile(DatabaseFile&&) noexcept;
  ~DatabaseFile();

  bool Has(std::string_view table) const { return tables_.contains(table); }
  bool Has(std::string_view table, std::string_view column) const;
  // Names of tables that begin so, ascending.
  std::vector<std::string> TablesWith(std::string_view beginning) const;
  // Whether the column names each row by a number, so that Find() costs one look.
  bool IsKey(std::string_view table, std::string_view column) const;

  // All rows, in the order of the file. Columns that are not there have no value.
  Rows Read(std::string_view table, std::span<const std::string_view> columns) const;

  // A statement that is asked again and again: the text of a row by its key.
  class Finder {
   public:
    // Valid until the next call; empty where there is no such row.
    std::string_view Find(int64_t key);

   private:
    friend class DatabaseFile;
    Rows rows_;
  };
  Finder TextsByKey(std::string_view table, std::string_view key, std::string_view text) const;

  bool truncated() const;
  InputEnd end() const;  // of compressed data

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  struct Table {
    std::vector<std::string> columns;
    std::string key;
  };
  explicit DatabaseFile(SeekableBytes bytes);
  Result<void> Connect();
  Result<void> ListTables();
  std::optional<Table> Describe(const std::string& table) const;
  Rows Prepare(const std::string& sql) const;

  std::unique_ptr<SeekableVfs> vfs_;
  std::unique_ptr<sqlite3, Close> db_;
  std::map<std::string, Table, std::less<>> tables_;
};

}  // namespace stepscope
