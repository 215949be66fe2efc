// Holds what DuckDB hands out: a database in memory, its statements and their rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/duckdb_library.h"
#include "stepscope/result.h"

namespace stepscope::query {

// A handle that `destroy` of DuckDb takes back.
template <class T, auto destroy>
class Handle {
 public:
  explicit Handle(const DuckDb& db) : db_(&db) {}
  Handle(Handle&& other) noexcept : db_(other.db_), it_(std::exchange(other.it_, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (it_ != nullptr) (db_->*destroy)(&it_);
  }
  T get() const { return it_; }
  T* out() { return &it_; }

 private:
  const DuckDb* db_;
  T it_ = nullptr;
};

using DatabaseHandle = Handle<abi::Database, &DuckDb::close>;
using ConnectionHandle = Handle<abi::Connection, &DuckDb::disconnect>;
using StatementsHandle = Handle<abi::Statements, &DuckDb::destroy_extracted>;
using PreparedHandle = Handle<abi::Prepared, &DuckDb::destroy_prepare>;
using PendingHandle = Handle<abi::Pending, &DuckDb::destroy_pending>;
using ValueHandle = Handle<abi::Value, &DuckDb::destroy_value>;
using ChunkHandle = Handle<abi::Chunk, &DuckDb::destroy_data_chunk>;
using TypeHandle = Handle<abi::LogicalType, &DuckDb::destroy_logical_type>;
using FunctionHandle = Handle<abi::TableFunction, &DuckDb::destroy_table_function>;

class ResultHandle {
 public:
  explicit ResultHandle(const DuckDb& db) : db_(&db) {}
  ResultHandle(ResultHandle&& other) noexcept
      : db_(other.db_), it_(std::exchange(other.it_, abi::Result())) {}
  ResultHandle& operator=(ResultHandle&&) = delete;
  ~ResultHandle() { db_->destroy_result(&it_); }
  abi::Result& get() { return it_; }

 private:
  const DuckDb* db_;
  abi::Result it_;
};

// What statements may reach.
enum class Reach : uint8_t {
  kTables,  // nothing but the tables there are: no file, no extension, no setting
  kFiles,   // files too, for statements of ours
};

struct Limits {
  int64_t memory = 0;  // bytes; 0: as DuckDB has it, 80% of the machine's
  int threads = 0;     // 0: one per processor
};

// A database in memory, and one connection to it. Fails where DuckDB is missing.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> Open(Reach reach, const Limits& limits);

  const DuckDb& db() const { return *db_; }
  abi::Connection get() const { return connection_.get(); }

  // Runs a statement of ours that has no rows of interest.
  Result<void> Run(const std::string& sql);

 private:
  explicit Connection(const DuckDb& db) : db_(&db), database_(db), connection_(db) {}
  Result<void> Start(Reach reach, const Limits& limits);

  const DuckDb* db_;
  DatabaseHandle database_;
  ConnectionHandle connection_;
};

struct ResultColumn {
  std::string name;
  abi::Type type;
};

// One statement that asks and changes nothing: SELECT, DESCRIBE, SUMMARIZE, EXPLAIN and so on.
class Question {
 public:
  // Reads the text. Fails where it is not one statement, and for most that write.
  static Result<Question> Read(Connection& connection, const std::string& sql);

  // The tables that it names, as "events" or "kernels.top", and names that a WITH gives; none where
  // they are only known once it is bound.
  std::optional<std::vector<std::string>> TableNames() const;

  // Binds it to tables. Fails for unknown names, for what writes, and for parameters.
  Result<void> Bind();

  // What its rows have. REQUIRES: Bind() did not fail.
  std::vector<ResultColumn> Columns() const;

  const std::string& sql() const { return sql_; }

  // Starts it. Rows are made as they are fetched. REQUIRES: Bind() did not fail.
  Result<ResultHandle> Start();

 private:
  Question(Connection& connection, std::string sql)
      : connection_(&connection),
        sql_(std::move(sql)),
        statements_(connection.db()),
        prepared_(connection.db()) {}
  std::optional<std::string> OneText(const std::string& sql) const;
  std::optional<std::vector<std::string>> NamesOnceBound() const;

  Connection* connection_;
  std::string sql_;
  StatementsHandle statements_;
  PreparedHandle prepared_;
};

// 'text' as SQL writes it, and "name".
std::string Quoted(std::string_view text, char quote = '\'');

}  // namespace stepscope::query
