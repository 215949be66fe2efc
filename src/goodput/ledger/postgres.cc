// Wraps the calls of libpq that a ledger needs. Values are passed in binary, big endian.
#include "goodput/ledger/postgres.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "goodput/ledger/ledger_store.h"
#include "goodput/ledger/libpq.h"

namespace stepscope::goodput {
namespace {

// REQUIRES: LoadLibPq() has found it.
const LibPq& Pq() { return *LoadLibPq(); }

// Type numbers of the server's catalog, which are fixed.
constexpr Oid kBytea = 17, kInt8 = 20, kFloat8 = 701;

// "stepscop": writers of a ledger hold this advisory lock.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(8319385945306787696)";
constexpr const char* kTryLock = "SELECT pg_try_advisory_xact_lock(8319385945306787696)";

constexpr std::string_view kLost = "the connection to the database was lost";

template <class Number>
Number BigEndian(Number value) {
  return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { Pq().conninfoFree(options); }
};

using Parts = std::map<std::string, std::string>;

// The parts of an address. Absent if it cannot be parsed, or if a part might contain a piece of the
// password ('@' and '/' in a password are written %40 and %2F).
std::optional<Parts> PartsOf(const std::string& address) {
  if (LoadLibPq() == nullptr) return std::nullopt;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      Pq().conninfoParse(address.c_str(), nullptr));
  if (options == nullptr) return std::nullopt;
  Parts parts;
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) parts[option->keyword] = option->val;
  }
  const bool odd = parts["host"].contains('@') || parts["dbname"].contains('@') ||
                   !std::ranges::all_of(parts["port"], [](unsigned char c) {
                     return std::isdigit(c) != 0 || c == ',';  // of several hosts
                   });
  if (odd) return std::nullopt;
  return parts;
}

// One line without the password.
std::string Plain(std::string text, const std::string& password) {
  for (size_t at = 0; !password.empty() && (at = text.find(password, at)) != text.npos;) {
    text.replace(at, password.size(), "***");
    at += 3;
  }
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

class PostgresRow : public Database::Row {
 public:
  PostgresRow(const PGresult* answer, int row) : answer_(answer), row_(row) {}

  int64_t Integer(int column) const override {
    switch (Pq().getlength(answer_, row_, column)) {
      case 1:  // boolean
        return *Bytes(column);
      case 4:
        return static_cast<int32_t>(Unsigned<uint32_t>(column));
      case 8:
        return static_cast<int64_t>(Unsigned<uint64_t>(column));
      default:
        return 0;
    }
  }
  double Real(int column) const override {
    return Pq().getlength(answer_, row_, column) == 8
               ? std::bit_cast<double>(Unsigned<uint64_t>(column))
               : 0;
  }
  std::string Text(int column) const override {
    return {Bytes(column), static_cast<size_t>(Pq().getlength(answer_, row_, column))};
  }
  bool IsNull(int column) const override { return Pq().getisnull(answer_, row_, column) != 0; }

 private:
  const char* Bytes(int column) const { return Pq().getvalue(answer_, row_, column); }
  template <class Number>
  Number Unsigned(int column) const {
    Number number = 0;
    std::memcpy(&number, Bytes(column), sizeof number);
    return BigEndian(number);
  }

  const PGresult* answer_;
  int row_;
};

// The values of a statement in libpq's form.
struct Values {
  explicit Values(const std::vector<Bound>& bound) : numbers(bound.size()) {
    for (size_t k = 0; k < bound.size(); ++k) Take(bound[k], numbers[k]);
  }

  void Take(const Bound& value, uint64_t& number) {
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      number = BigEndian(static_cast<uint64_t>(*integer));
      Put(kInt8, {reinterpret_cast<const char*>(&number), sizeof number});
    } else if (const auto* real = std::get_if<double>(&value)) {
      number = BigEndian(std::bit_cast<uint64_t>(*real));
      Put(kFloat8, {reinterpret_cast<const char*>(&number), sizeof number});
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      Put(kBytea, *text);
    } else if (const auto* blob = std::get_if<Blob>(&value)) {
      Put(kBytea, blob->bytes);
    } else {
      Put(0, {});
      data.back() = nullptr;
    }
  }

  void Put(Oid type, std::string_view bytes) {
    types.push_back(type);
    data.push_back(bytes.data() == nullptr ? "" : bytes.data());
    lengths.push_back(static_cast<int>(bytes.size()));
    formats.push_back(1);
  }

  std::vector<uint64_t> numbers;
  std::vector<Oid> types;
  std::vector<const char*> data;
  std::vector<int> lengths, formats;
};

}  // namespace

bool IsPostgres(std::string_view address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

bool WasLost(const Error& error) { return error.what.starts_with(kLost); }

std::string NameOfPostgres(const std::string& address) {
  auto parts = PartsOf(address);
  if (!parts) return "postgresql://...";
  const auto part = [&](const char* name) -> std::string& { return (*parts)[name]; };
  std::string name = "postgresql://";
  if (!part("user").empty()) name += part("user") + "@";
  name += part("host");
  if (!part("port").empty()) name += ":" + part("port");
  return name + "/" + part("dbname");
}

void Postgres::Close::operator()(pg_conn* connection) const { Pq().finish(connection); }
void Postgres::Clear::operator()(pg_result* result) const { Pq().clear(result); }

Result<std::unique_ptr<Postgres>> Postgres::Open(const std::string& address) {
  if (LoadLibPq() == nullptr) {
    return std::unexpected(
        Error{"cannot load PostgreSQL's client library: libpq.so.5 is not installed", "",
              "install it: apt-get install libpq5"});
  }
  if (!PartsOf(address)) {
    return std::unexpected(Error{"cannot parse the database address", NameOfPostgres(address),
                                 "postgresql://USER@HOST:PORT/DATABASE, where %40 is a @ and %2F a "
                                 "/ of a name or password"});
  }
  // The address overrides these defaults. Lost peers are detected within a minute.
  constexpr const char* kNames[] = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
                                    "keepalives_count", "tcp_user_timeout", "application_name",
                                    "client_encoding",  "dbname",           nullptr};
  const char* const values[] = {
      "10", "30", "10", "3", "60000", "stepscope", "UTF8", address.c_str(), nullptr};
  static_assert(std::size(kNames) == std::size(values));
  std::unique_ptr<Postgres> db(
      new Postgres(Pq().connectdbParams(kNames, values, 1), NameOfPostgres(address)));
  PGconn* const connection = db->connection_.get();
  if (Pq().status(connection) == CONNECTION_OK) {
    Pq().setNoticeProcessor(connection, [](void*, const char*) {}, nullptr);
    return db;
  }
  const char* const password = connection == nullptr ? nullptr : Pq().pass(connection);
  return std::unexpected(
      Error{"cannot connect to the database: " +
                Plain(Pq().errorMessage(connection), password == nullptr ? "" : password),
            db->name_,
            "check the server and the user's rights; the password is read from PGPASSWORD, "
            "~/.pgpass or the address"});
}

Error Postgres::ErrorOf(const pg_result* answer) const {
  const char* const code =
      answer == nullptr ? nullptr : Pq().resultErrorField(answer, PG_DIAG_SQLSTATE);
  const std::string state = code == nullptr ? "" : code;
  const char* reported =
      answer == nullptr ? nullptr : Pq().resultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
  if (reported == nullptr) reported = Pq().errorMessage(connection_.get());
  const char* const password = Pq().pass(connection_.get());
  const std::string message = ": " + Plain(reported, password == nullptr ? "" : password);
  // Class 57P: server shutdown; 08: broken connection.
  const bool lost = Pq().status(connection_.get()) != CONNECTION_OK || state.starts_with("57P") ||
                    state.starts_with("08");
  if (lost)
    return {std::string(kLost) + message, name_, "run the command again; nothing was changed"};
  if (state == "55P03") {
    return {std::string(kLedgerIsBusy), name_, "try again later"};
  }
  const char* const hint =
      state == "53100"   ? "free space on the server's disk"
      : state == "42P01" ? "grant this user USAGE on schema stepscope"
      : state == "42501"
          ? "let the owner of the database GRANT this user the needed rights, or run this"
      : state == "25006" ? "this server is read-only: give the address of the primary"
                         : "";
  return {"the database failed" + message, name_, hint};
}

Postgres::Answer Postgres::Send(const char* sql, const std::vector<Bound>& values) const {
  const Values v(values);
  return Answer(Pq().execParams(connection_.get(), sql, static_cast<int>(values.size()),
                                v.types.data(), v.data.data(), v.lengths.data(), v.formats.data(),
                                1));
}

Result<void> Postgres::Execute(const char* sql, const std::vector<Bound>& values,
                               const EachRow& each) const {
  if (failed_) return std::unexpected(*failed_);
  const Answer answer = Send(sql, values);
  const ExecStatusType status = Pq().resultStatus(answer.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    failed_ = ErrorOf(answer.get());
    return std::unexpected(*failed_);
  }
  for (int row = 0; each && row < Pq().ntuples(answer.get()); ++row)
    each(PostgresRow(answer.get(), row));
  return {};
}

// libpq takes an int of bytes at once, and buffers what the server has not read.
constexpr size_t kCopyPiece = size_t{1} << 20;

Result<void> Postgres::CopyIn(const char* sql, std::string_view rows) const {
  if (failed_) return std::unexpected(*failed_);
  Answer answer = Send(sql, {});
  if (Pq().resultStatus(answer.get()) == PGRES_COPY_IN) {
    PGconn* const to = connection_.get();
    bool sent = true;
    for (size_t at = 0; sent && at < rows.size(); at += kCopyPiece) {
      const std::string_view piece = rows.substr(at, kCopyPiece);
      sent = Pq().putCopyData(to, piece.data(), static_cast<int>(piece.size())) == 1;
    }
    if (sent) Pq().putCopyEnd(to, nullptr);
    // One result of the statement, and null behind it.
    answer.reset(Pq().getResult(to));
    while (answer && Pq().resultStatus(answer.get()) == PGRES_COMMAND_OK) {
      Answer next(Pq().getResult(to));
      if (!next) return {};
      answer = std::move(next);
    }
  }
  failed_ = ErrorOf(answer.get());
  return std::unexpected(*failed_);
}

// Waits for other writers at most a minute.
Result<void> Postgres::Lock(Access access) const {
  if (access == Access::kWrite) return Run(kLock);
  bool free = false;
  auto tried = Run(kTryLock, {}, [&](const Row& row) { free = row.Integer(0) != 0; });
  if (tried && !free) {
    tried = std::unexpected(Error{std::string(kLedgerIsBusy), name_, ""});
  }
  return tried;
}

// Settings of the transaction. Committed data survives a crash of the server's host. A kill of this
// process ends the transaction at once; a lost host is detected by keepalives.
constexpr const char* kSettings =
    "SELECT set_config('search_path', 'stepscope', true),"
    " set_config('synchronous_commit', 'on', true),"
    " set_config('lock_timeout', '60s', true),"
    " set_config('idle_in_transaction_session_timeout', '0', true),"
    " set_config('tcp_keepalives_idle', '30', true),"
    " set_config('tcp_keepalives_interval', '10', true),"
    " set_config('tcp_keepalives_count', '3', true)";

Result<void> Postgres::Begin(Access access) const {
  const bool read = access == Access::kRead;
  auto begun = Run(read ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN");
  if (begun) begun = Run(kSettings);
  if (begun && !read && access != Access::kAppend) begun = Lock(access);
  if (!begun) return begun;
  const auto there = HasTable("segments");
  if (!there) return std::unexpected(there.error());
  if (*there) return {};
  if (!read) return MakeSchema();
  return std::unexpected(
      Error{"cannot open the ledger: this database has none", name_, "import events first"});
}

// A user may have rights in an existing schema but not to create one.
Result<void> Postgres::MakeSchema() const {
  bool there = false;
  auto asked = Run("SELECT 1 FROM pg_namespace WHERE nspname = 'stepscope'", {},
                   [&](const Row&) { there = true; });
  return asked && !there ? Run("CREATE SCHEMA stepscope") : asked;
}

// After an error, COMMIT rolls back and still succeeds.
Result<void> Postgres::Commit() const {
  if (failed_) return std::unexpected(*failed_);
  const Answer answer = Send("COMMIT", {});
  if (std::string_view(Pq().cmdStatus(answer.get())) == "COMMIT") return {};
  failed_ = ErrorOf(answer.get());
  return std::unexpected(*failed_);
}

Result<bool> Postgres::HasTable(const char* name) const {
  bool has = false;
  const auto asked =
      Run("SELECT 1 FROM pg_tables WHERE schemaname = 'stepscope'"
          " AND tablename = convert_from($1, 'UTF8')",
          {std::string_view(name)}, [&](const Row&) { has = true; });
  if (!asked) return std::unexpected(asked.error());
  return has;
}

}  // namespace stepscope::goodput
