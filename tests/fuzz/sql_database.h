// Makes databases of what a fuzzer writes: damaged pages rarely hold rows of all tables.
#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/sqlite/database_file.h"
#include "tests/fuzz/recordings.h"

namespace stepscope {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// A statement may run for so many steps, or a recursive one would never end.
inline int StopSql(void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; }

// Takes values from the front of an input; zeros behind its end.
class Values {
 public:
  explicit Values(std::string_view bytes) : left_(bytes) {}
  bool empty() const { return left_.empty(); }
  uint8_t Byte() { return static_cast<uint8_t>(Take(1).empty() ? 0 : last_.front()); }
  std::string_view Take(size_t most) {
    last_ = left_.substr(0, most);
    left_.remove_prefix(last_.size());
    return last_;
  }
  template <class T>
  T Number() {
    T number = 0;
    const std::string_view bytes = Take(sizeof number);
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }

 private:
  std::string_view left_, last_;
};

// Tables in memory, filled anew for each input: from SQL, or from rows of typed values.
class FuzzedTables {
 public:
  // `keep`: which tables there are, by their place; null: all.
  using Keep = bool (*)(size_t table, size_t group);
  explicit FuzzedTables(std::initializer_list<const char*> tables, Keep keep = nullptr,
                        size_t group = 0) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);  // refused, where SQLite is in use already
    sqlite3* opened = nullptr;
    if (sqlite3_open(":memory:", &opened) != SQLITE_OK) std::abort();
    db_.reset(opened);
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 20);
    Run("PRAGMA page_size=512");
    for (const char* text : tables) Run(text);
    std::vector<std::string> names = Names();
    for (size_t k = 0; k < names.size(); ++k) {
      if (keep != nullptr && !keep(k, group)) Run(("DROP TABLE " + names[k]).c_str());
    }
    Run("VACUUM");
    empty_ = Bytes();
    for (const std::string& name : Names()) AddTable(name);
  }

  // The bytes of the database with these rows; a row is the number of a table and its values.
  std::string WithRows(std::string_view bytes) {
    Run("BEGIN");
    Values values(bytes);
    for (int rows = 0; !values.empty() && rows < 64; ++rows) {
      sqlite3_stmt* const insert = inserts_[values.Byte() % inserts_.size()].get();
      const int columns = sqlite3_bind_parameter_count(insert);
      for (int k = 1; k <= columns; ++k) Bind(insert, k, values);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    std::string database = Bytes();
    Run("ROLLBACK");
    return database;
  }

  // The same of any SQL, which may change the tables too; empty: there is no database then.
  std::string WithSql(std::string_view sql) const {
    sqlite3* opened = nullptr;
    if (sqlite3_open(":memory:", &opened) != SQLITE_OK) return "";
    const std::unique_ptr<sqlite3, CloseDatabase> db(opened);
    auto* const copy = static_cast<unsigned char*>(sqlite3_malloc64(empty_.size()));
    std::memcpy(copy, empty_.data(), empty_.size());
    const auto size = static_cast<sqlite3_int64>(empty_.size());
    sqlite3_deserialize(opened, "main", copy, size, size,
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    int left = 100;
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(opened, 1000, &StopSql, &left);
    sqlite3_exec(opened, std::string(sql).c_str(), nullptr, nullptr, nullptr);
    return BytesOf(opened);
  }

 private:
  void Run(const char* sql) { sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    const auto add = [](void* to, int, char** row, char**) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(row[0]);
      return 0;
    };
    sqlite3_exec(db_.get(), "SELECT name FROM sqlite_master WHERE type='table'", add, &names,
                 nullptr);
    return names;
  }

  void AddTable(const std::string& name) {
    sqlite3_stmt* all = nullptr;
    sqlite3_prepare_v2(db_.get(), ("SELECT * FROM " + name).c_str(), -1, &all, nullptr);
    const std::unique_ptr<sqlite3_stmt, FinalizeStatement> kept(all);
    std::string sql = "INSERT OR REPLACE INTO " + name + " VALUES (?";
    for (int k = 1; k < sqlite3_column_count(all); ++k) sql += ",?";
    sqlite3_stmt* insert = nullptr;
    if (sqlite3_prepare_v2(db_.get(), (sql + ")").c_str(), -1, &insert, nullptr) != SQLITE_OK)
      std::abort();
    inserts_.emplace_back(insert);
  }

  // Numbers that name processes, threads and things in other tables, and texts that are read on.
  static void Bind(sqlite3_stmt* insert, int at, Values& values) {
    constexpr std::array<int64_t, 8> kIds = {
        281477392629760, 281477392629904, 4294967303,    4294967295,
        INT64_MAX,       INT64_MIN,       1'000'000'000, -1};
    constexpr std::array<const char*, 8> kTexts = {"ncclDevKernel_AllReduce(a)",
                                                   "cudaLaunchKernel_v7000",
                                                   "ProfilerStep#7",
                                                   "aten::mm",
                                                   "{\"a\":[1,2]}",
                                                   "4,3;3,5",
                                                   "GPU",
                                                   ""};
    const uint8_t type = values.Byte();
    if (type % 8 == 0) sqlite3_bind_null(insert, at);
    if (type % 8 == 1 || type % 8 == 2) sqlite3_bind_int64(insert, at, values.Byte());
    if (type % 8 == 3) sqlite3_bind_int64(insert, at, values.Number<int64_t>());
    if (type % 8 == 4) sqlite3_bind_int64(insert, at, kIds[values.Byte() % kIds.size()]);
    if (type % 8 == 5) sqlite3_bind_double(insert, at, values.Number<double>());
    if (type % 8 == 6) {
      const std::string_view text = values.Take(type / 8);
      sqlite3_bind_text64(insert, at, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    if (type % 8 == 7)
      sqlite3_bind_text(insert, at, kTexts[values.Byte() % kTexts.size()], -1, SQLITE_STATIC);
  }

  static std::string BytesOf(sqlite3* db) {
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(db, "main", &size, 0);
    if (bytes == nullptr) return "";
    std::string database(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    sqlite3_free(bytes);
    return database;
  }
  std::string Bytes() const { return BytesOf(db_.get()); }

  std::unique_ptr<sqlite3, CloseDatabase> db_;
  std::vector<std::unique_ptr<sqlite3_stmt, FinalizeStatement>>
      inserts_;  // end before the database
  std::string empty_;
};

// All tables, and groups of some of them: most of the time goes to what each table costs, with rows
// or without.
class FuzzedDatabases {
 public:
  // `Always`: whether the table is in each group, since nothing is read without it.
  template <class Always>
  FuzzedDatabases(std::initializer_list<const char*> tables, Always) {
    const FuzzedTables::Keep keep = [](size_t table, size_t group) {
      return Always()(table) || table % kGroups == group || (table + 3) % kGroups == group;
    };
    databases_.emplace_back(tables);
    for (size_t group = 0; group < kGroups; ++group) databases_.emplace_back(tables, keep, group);
  }

  // What an input says: SQL, or behind a byte that begins no SQL, rows; of a group of tables where
  // that is 2 or more.
  std::string Of(std::string_view bytes) {
    const size_t first = bytes.empty() ? '\t' : static_cast<uint8_t>(bytes.front());
    if (first >= '\t') return databases_.front().WithSql(bytes);
    return databases_[first < 2 ? 0 : first - 1].WithRows(bytes.substr(1));
  }

 private:
  static constexpr size_t kGroups = 7;
  std::vector<FuzzedTables> databases_;
};

// The recordings of a database, or of one that other bytes fill.
inline void CheckDatabase(std::string_view bytes, FuzzedDatabases& databases) {
  if (LooksLikeSqlite(bytes)) return CheckRecordings(bytes);
  const std::string database = databases.Of(bytes);
  if (!database.empty()) CheckRecordings(database);
}

}  // namespace stepscope
