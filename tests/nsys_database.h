// Makes small databases as Nsight Systems exports them, by SQL.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/nsys_tables.h"

namespace stepscope::testing {

class Database {
 public:
  explicit Database(const std::string& path) {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    db_.reset(db);
    Run("PRAGMA synchronous = OFF");
  }

  void Run(const std::string& sql) {
    char* problem = nullptr;
    EXPECT_EQ(sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, &problem), SQLITE_OK)
        << (problem == nullptr ? "" : problem) << "\n"
        << sql;
    sqlite3_free(problem);
  }

  // The numbers of all rows, one after another.
  std::vector<int64_t> Ask(const std::string& sql) {
    std::vector<int64_t> numbers;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db_.get());
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int c = 0; c < sqlite3_column_count(statement); ++c)
        numbers.push_back(sqlite3_column_int64(statement, c));
    }
    sqlite3_finalize(statement);
    return numbers;
  }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };
  std::unique_ptr<sqlite3, Close> db_;
};

}  // namespace stepscope::testing
