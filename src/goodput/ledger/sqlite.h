// Wraps an SQLite database that runs each statement once.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "goodput/ledger/database.h"

struct sqlite3;

namespace stepscope::goodput {

// Whether the error tells of damaged bytes, rather than of a file that the system cannot open, read
// or write now.
bool IsDamage(const Error& error);

// Whether the system lacked descriptors or memory, or its disk failed: another time it may work.
bool IsLackOfResources(const Error& error);

class Sqlite : public Database {
 public:
  // Opens in WAL mode; waits up to 10 s for others. Without `write` the file must exist.
  static Result<std::unique_ptr<Sqlite>> Open(const std::string& path, bool write);

  Result<void> Begin(Access access) const override;
  Result<void> Commit() const override { return Run("COMMIT"); }
  Result<bool> HasTable(const char* name) const override;
  const char* BytesType() const override { return "BLOB"; }

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  Result<void> Execute(const char* sql, const std::vector<Bound>& values,
                       const EachRow& each) const override;
  Sqlite(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}
  Error LastError(const char* what) const;

  std::unique_ptr<sqlite3, Close> db_;
  std::string path_;
};

}  // namespace stepscope::goodput
