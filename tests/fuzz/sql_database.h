// Makes databases of SQL that a fuzzer writes: damaged pages rarely hold rows of all tables.
#pragma once

#include <sqlite3.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace stepscope {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};

// A statement may run for so many steps, or a recursive one would never end.
inline int StopSql(void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; }

// The bytes of the database that `tables` and then `sql` make; empty: none.
inline std::string DatabaseOf(std::initializer_list<const char*> tables, std::string_view sql) {
  sqlite3* opened = nullptr;
  if (sqlite3_open(":memory:", &opened) != SQLITE_OK) return "";
  const std::unique_ptr<sqlite3, CloseDatabase> db(opened);
  int left = 100;
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_progress_handler(opened, 1000, &StopSql, &left);
  for (const char* text : tables) sqlite3_exec(opened, text, nullptr, nullptr, nullptr);
  sqlite3_exec(opened, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(opened, "main", &size, 0);
  if (bytes == nullptr) return "";
  std::string database(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  return database;
}

}  // namespace stepscope
