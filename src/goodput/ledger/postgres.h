// Wraps a PostgreSQL connection that runs each statement once.
//
// Every statement is in a transaction and all tables are in the schema `stepscope`, so other
// contents of the database and connection pools do not interfere. After the first failure a
// connection only repeats it; its transaction is rolled back.
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

// Size of a segment's pieces in bytes; trailing zeros are not stored.
inline constexpr uint64_t kPieceBytes = uint64_t{64} << 10;

// The error where others hold what a statement waits for.
inline constexpr std::string_view kLedgerIsBusy =
    "cannot write to the ledger: another process is writing";

// postgresql://... or postgres://...
bool IsPostgres(std::string_view address);

// The address without password. Omits parts it cannot parse, which may be a password.
std::string NameOfPostgres(const std::string& address);

class Postgres : public Database {
 public:
  static Result<std::unique_ptr<Postgres>> Open(const std::string& address);

  Result<void> Begin(Access access) const override;
  Result<void> Commit() const override;
  Result<bool> HasTable(const char* name) const override;
  const char* BytesType() const override { return "BYTEA"; }

  // Adds rows by "COPY table FROM STDIN", which the text holds in COPY's text format.
  Result<void> CopyIn(const char* sql, std::string_view rows) const;

  // The first failure.
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
