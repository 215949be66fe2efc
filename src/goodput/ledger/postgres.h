// PostgreSQL with owners: a connection, and statements that are run once.
//
// Every statement is part of a transaction, and all tables are in the schema `stepscope`, so what
// else is in the database, and a pool of connections in between, do not matter. After the first
// failure a connection says no more but that: its transaction is undone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goodput/ledger/database.h"

struct pg_conn;
struct pg_result;

namespace stepscope::goodput {

// Segments are kept in pieces of so many bytes, but for the zeros at their ends.
inline constexpr uint64_t kPieceBytes = uint64_t{64} << 10;

// postgresql://... or postgres://...
bool IsPostgres(std::string_view address);

// The address without its password. What cannot be understood is left out: it may be a password.
std::string NameOfPostgres(const std::string& address);

class Postgres : public Database {
 public:
  static Result<std::unique_ptr<Postgres>> Open(const std::string& address);

  Result<void> Begin(Access access) const override;
  Result<void> Commit() const override;
  Result<bool> HasTable(const char* name) const override;
  const char* BytesType() const override { return "BYTEA"; }

  // The first thing that failed.
  const std::optional<Error>& failed() const { return failed_; }

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  struct Clear {
    void operator()(pg_result* result) const;
  };
  using Answer = std::unique_ptr<pg_result, Clear>;

  Postgres(pg_conn* connection, std::string name)
      : connection_(connection), name_(std::move(name)) {}
  Result<void> Execute(const char* sql, const std::vector<Bound>& values,
                       const EachRow& each) const override;
  Answer Send(const char* sql, const std::vector<Bound>& values) const;
  Result<void> Lock(Access access) const;
  Result<void> MakeSchema() const;
  Error ErrorOf(const pg_result* answer) const;

  std::unique_ptr<pg_conn, Close> connection_;
  std::string name_;
  mutable std::optional<Error> failed_;
};

}  // namespace stepscope::goodput
