// Defines what a ledger needs of a database, in the SQL that SQLite and PostgreSQL share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::goodput {

// A parameter of a statement; bytes are stored unchanged.
struct Blob {
  std::string_view bytes;
};
using Bound = std::variant<std::monostate, int64_t, double, std::string_view, Blob>;

// The purpose of a transaction.
enum class Access : uint8_t {
  kRead,         // read a consistent snapshot
  kWrite,        // write exclusively, after other writers
  kWriteIfFree,  // the same, without waiting
  kAppend,       // add rows that no one else writes, concurrently with writers
};

class Database {
 public:
  // The columns of one result row; nulls read as 0 and "".
  class Row {
   public:
    virtual ~Row() = default;
    virtual int64_t Integer(int column) const = 0;
    virtual std::string Text(int column) const = 0;
    virtual bool IsNull(int column) const = 0;
    virtual double Real(int column) const = 0;
  };
  using EachRow = std::function<void(const Row&)>;

  virtual ~Database() = default;

  // Runs one statement with values for $1, $2, ...; first uses must be in this order.
  Result<void> Run(const char* sql, const std::vector<Bound>& values = {},
                   const EachRow& each = {}) const {
    return Execute(sql, values, each);
  }

  virtual Result<void> Begin(Access access) const = 0;
  virtual Result<void> Commit() const = 0;

  virtual Result<bool> HasTable(const char* name) const = 0;

  // The column type for bytes and for untrusted texts, which may be invalid UTF-8.
  virtual const char* BytesType() const = 0;

 private:
  virtual Result<void> Execute(const char* sql, const std::vector<Bound>& values,
                               const EachRow& each) const = 0;
};

// A transaction; rolled back unless committed. The database must outlive it and must not move.
class Transaction {
 public:
  static Result<Transaction> Begin(const Database& db, Access access);
  Result<void> Commit();
  ~Transaction();
  Transaction(Transaction&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;

 private:
  explicit Transaction(const Database& db) : db_(&db) {}
  const Database* db_;
};

}  // namespace stepscope::goodput
