// Asks a ClickHouse server over its HTTP interface.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/client.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Where a database is, and whose rights count. A password is in the address, or in the variable
// CLICKHOUSE_PASSWORD of the environment; a user likewise (CLICKHOUSE_USER).
struct ClickHouseAddress {
  http::Address server;
  std::string user, password, database = "goodput";

  // clickhouse://USER:PASSWORD@HOST:PORT/DATABASE; %40 is a @ and %2F a / of a name or password.
  // clickhouses:// is by TLS. Without a port: 8123, by TLS 8443. Fails on anything else.
  static Result<ClickHouseAddress> Parse(const std::string& address);

  std::string name() const;  // without the password
};

class ClickHouse {
 public:
  explicit ClickHouse(ClickHouseAddress address);

  const std::string& name() const { return name_; }
  const std::string& database() const { return address_.database; }

  // Runs a statement; `data` are the rows of an INSERT. Returns what it answers.
  Result<std::string> Run(const std::string& sql, const std::string& data = {});

  // The rows of an answer, as they were before they became tab-separated.
  Result<std::vector<std::vector<std::string>>> Rows(const std::string& sql);

  // Of every statement from now on: "name=value".
  void Set(const std::string& setting) { settings_ += setting + "&"; }

 private:
  Error ErrorOf(const http::Answer& answer) const;

  ClickHouseAddress address_;
  std::string name_, settings_;
  http::Poster poster_;
};

}  // namespace stepscope::goodput
