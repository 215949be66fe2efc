// What a ledger asks of a database: statements in the words that SQLite and PostgreSQL share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::goodput {

// A value on its way into a statement; bytes are stored as they are.
struct Blob {
  std::string_view bytes;
};
using Bound = std::variant<std::monostate, int64_t, double, std::string_view, Blob>;

// What a transaction is for.
enum class Access : uint8_t {
  kRead,         // to see the database as it is at one moment
  kWrite,        // to be the only one that writes, once those before are done
  kWriteIfFree,  // the same, but not to wait for others
  kAppend,       // to add what is nobody else's, beside those who write
};

class Database {
 public:
  // The columns of one row of an answer; those that are null read as 0 and "".
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

  // Runs one statement with its values for $1, $2, ..., whose first uses are in this order.
  Result<void> Run(const char* sql, const std::vector<Bound>& values = {},
                   const EachRow& each = {}) const {
    return Execute(sql, values, each);
  }

  virtual Result<void> Begin(Access access) const = 0;
  virtual Result<void> Commit() const = 0;

  virtual Result<bool> HasTable(const char* name) const = 0;

  // The type of columns for texts of strangers, which need not be UTF-8, and for other bytes.
  virtual const char* BytesType() const = 0;

 private:
  virtual Result<void> Execute(const char* sql, const std::vector<Bound>& values,
                               const EachRow& each) const = 0;
};

// A transaction, undone unless it is committed. The database stays where it is meanwhile.
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
