// Sends statements in the address and rows in the body of a request.
#include "goodput/publish/clickhouse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kPatience = 120 * kSecond;
constexpr size_t kMostAnswer = size_t{256} << 20;  // bytes: a line for each job
constexpr std::string_view kPlain = "clickhouse://", kByTls = "clickhouses://";

std::string Encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", byte);
    }
  }
  return out;
}

std::optional<std::string> Decoded(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    const std::string_view digits = text.substr(at + 1, 2);
    int byte = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() < 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(byte);
    at += 2;
  }
  return out;
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8 | (at + k < bytes.size() ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    for (size_t k = 0; k < 4; ++k)
      out += at + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A name that needs no quotes.
bool IsPlainName(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

Error BadAddress() {
  return {"cannot parse the address of ClickHouse", "",
          "clickhouse://USER@HOST:PORT/DATABASE, where %40 is a @ and %2F a / of a name or "
          "password; the password is read from CLICKHOUSE_PASSWORD too"};
}

// Cells of one line.
std::vector<std::string> CellsOf(std::string_view line) {
  std::vector<std::string> cells(1);
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\t') {
      cells.emplace_back();
    } else if (line[at] == '\\' && at + 1 < line.size()) {
      const char c = line[++at];
      cells.back() += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
    } else {
      cells.back() += line[at];
    }
  }
  return cells;
}

}  // namespace

Result<ClickHouseAddress> ClickHouseAddress::Parse(const std::string& address) {
  const bool tls = address.starts_with(kByTls);
  if (!tls && !address.starts_with(kPlain)) return std::unexpected(BadAddress());
  std::string_view rest = std::string_view(address).substr(tls ? kByTls.size() : kPlain.size());
  ClickHouseAddress parsed{.user = FromEnvironment("CLICKHOUSE_USER"),
                           .password = FromEnvironment("CLICKHOUSE_PASSWORD")};
  if (const size_t at = rest.find('@'); at != rest.npos) {
    const std::string_view who = rest.substr(0, at);
    const size_t colon = who.find(':');
    const auto user = Decoded(who.substr(0, colon));
    const auto password =
        colon == who.npos ? std::optional(parsed.password) : Decoded(who.substr(colon + 1));
    if (!user || !password) return std::unexpected(BadAddress());
    parsed.user = *user;
    parsed.password = *password;
    rest.remove_prefix(at + 1);
  }
  const size_t slash = rest.find('/');
  const std::string_view host = rest.substr(0, slash);
  if (slash != rest.npos && slash + 1 < rest.size()) parsed.database = rest.substr(slash + 1);
  const bool port = host.rfind(':') != host.npos && !host.ends_with(']');
  auto server = http::ParseAddress(fmt::format("{}://{}{}", tls ? "https" : "http", host,
                                               port  ? ""
                                               : tls ? ":8443"
                                                     : ":8123"));
  if (!server || !IsPlainName(parsed.database)) return std::unexpected(BadAddress());
  parsed.server = std::move(*server);
  return parsed;
}

std::string ClickHouseAddress::name() const {
  return fmt::format("{}{}{}/{}", server.tls ? kByTls : kPlain,
                     user.empty() ? "" : Encoded(user) + "@", server.Authority(), database);
}

ClickHouse::ClickHouse(ClickHouseAddress address)
    : address_(std::move(address)), name_(address_.name()), poster_(address_.server, "") {}

Result<std::string> ClickHouse::Run(const std::string& sql, const std::string& data) {
  const bool rows = !data.empty();
  http::Question question{.path = "/?" + settings_ + (rows ? "query=" + Encoded(sql) : ""),
                          .body = rows ? data : sql,
                          .type = "text/plain",
                          .most_answer = kMostAnswer,
                          .patience = kPatience};
  if (!address_.user.empty() || !address_.password.empty()) {
    const std::string user = address_.user.empty() ? "default" : address_.user;
    question.authorization = "Basic " + Base64(user + ":" + address_.password);
  }
  http::Answer answer = poster_.Ask(question);
  if (answer.status == 200) return std::move(answer.body);
  return std::unexpected(ErrorOf(answer));
}

Error ClickHouse::ErrorOf(const http::Answer& answer) const {
  if (answer.status == 0)
    return {"cannot reach the database: " + answer.body, name_,
            "check the address and the server, and run the command again: nothing counts twice"};
  std::string said = answer.body.substr(0, std::min(answer.body.find('\n'), size_t{300}));
  if (answer.status == 401 || answer.status == 403 || said.contains("AUTHENTICATION_FAILED"))
    return {"the database refused the user", name_,
            "give the user in the address and the password in CLICKHOUSE_PASSWORD"};
  return {fmt::format("the database failed: {} {}", answer.status, said), name_, ""};
}

Result<std::vector<std::vector<std::string>>> ClickHouse::Rows(const std::string& sql) {
  const auto answer = Run(sql + " FORMAT TabSeparated");
  if (!answer) return std::unexpected(answer.error());
  std::vector<std::vector<std::string>> rows;
  for (size_t at = 0; at < answer->size();) {
    const size_t end = std::min(answer->find('\n', at), answer->size());
    rows.push_back(CellsOf(std::string_view(*answer).substr(at, end - at)));
    at = end + 1;
  }
  return rows;
}

}  // namespace stepscope::goodput
