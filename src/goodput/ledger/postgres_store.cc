// Stores a ledger in PostgreSQL for teams: the tables of a directory's database, and segments as
// pieces of bytes. One transaction covers everything, so readers see a snapshot and a killed writer
// leaves nothing.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "goodput/ledger/ledger_store.h"
#include "goodput/ledger/postgres.h"
#include "goodput/recorder/segment_name.h"

namespace stepscope::goodput {
namespace {

// Reads the bytes of a segment; caches the last piece, since readers go forward.
class Pieces {
 public:
  Pieces(const Postgres& db, std::string segment) : db_(&db), segment_(std::move(segment)) {}

  // A failure reads as the end; ReadStatus() has it.
  Result<size_t> operator()(char* out, size_t size, uint64_t offset) {
    size_t got = 0;
    while (got < size) {
      const uint64_t piece = (offset + got) / kPieceBytes, at = (offset + got) % kPieceBytes;
      if (piece != piece_ && !Load(piece)) break;
      if (at >= bytes_.size()) break;
      const size_t part = std::min(size - got, bytes_.size() - at);
      std::memcpy(out + got, bytes_.data() + at, part);
      got += part;
    }
    return got;
  }

 private:
  // The database remembers the failure.
  bool Load(uint64_t piece) {
    bytes_.clear();
    piece_ = piece;
    return db_
        ->Run("SELECT bytes FROM pieces WHERE segment = $1 AND number = $2",
              {std::string_view(segment_), static_cast<int64_t>(piece)},
              [this](const Database::Row& row) { bytes_ = row.Text(0); })
        .has_value();
  }

  const Postgres* db_;
  std::string segment_;
  uint64_t piece_ = UINT64_MAX;
  std::string bytes_;
};

class PostgresStore : public LedgerStore {
 public:
  explicit PostgresStore(std::string address)
      : address_(std::move(address)), name_(NameOfPostgres(address_)) {}

  const std::string& name() const override { return name_; }

  Result<void> Connect(Access) override {
    auto db = Postgres::Open(address_);
    if (!db) return std::unexpected(db.error());
    db_ = std::move(*db);
    return {};
  }

  // No compression: checksums and times do not compress.
  Result<void> MakeTables() override {
    for (const char* sql :
         {"CREATE TABLE segments (name BYTEA PRIMARY KEY, job BYTEA NOT NULL,"
          " size BIGINT NOT NULL, changed BIGINT NOT NULL, made BIGINT NOT NULL)",
          "CREATE TABLE pieces (segment BYTEA, number BIGINT, bytes BYTEA NOT NULL,"
          " PRIMARY KEY (segment, number))",
          "ALTER TABLE pieces ALTER COLUMN bytes SET STORAGE EXTERNAL"}) {
      if (auto made = db_->Run(sql); !made) return made;
    }
    return {};
  }

  const Database* database() const override { return db_.get(); }
  bool ReadsWithoutDatabase() const override { return false; }
  void LeaveDatabase() override { db_.reset(); }
  bool SegmentsAreInTransaction() const override { return true; }

  Result<Listing> List(Notes&) const override {
    std::vector<Segment> segments;
    const auto listed =
        db_->Run("SELECT job, name, size, changed, made FROM segments ORDER BY name", {},
                 [&](const Database::Row& row) {
                   segments.push_back({row.Text(0),
                                       {.name = row.Text(1),
                                        .bytes = row.Integer(2),
                                        .changed = row.Integer(3),
                                        .made = row.Integer(4)}});
                 });
    if (!listed) return std::unexpected(listed.error());
    return Listing{
        .logs = JoinSegments(std::move(segments)), .manifest = {}, .faults = {}, .unreadable = {}};
  }

  Result<SegmentReader> Open(const std::string& segment) const override {
    return SegmentReader::Open(Pieces(*db_, segment), segment);
  }

  Result<SegmentReader::Source> OpenBytes(const std::string& segment) const override {
    return Pieces(*db_, segment);
  }

  Result<void> Add(const std::string& segment, const SegmentHeader& header,
                   std::string_view bytes) override {
    const std::string_view name = segment;
    const int64_t now = WallClock();
    auto added = db_->Run(
        "INSERT INTO segments VALUES ($1, $2, $3, $4, $5)",
        {name, std::string_view(header.job), static_cast<int64_t>(bytes.size()), now, header.time});
    for (uint64_t k = 0; added && k * kPieceBytes < bytes.size(); ++k) {
      added = db_->Run(
          "INSERT INTO pieces VALUES ($1, $2, $3)",
          {name, static_cast<int64_t>(k), Blob{bytes.substr(k * kPieceBytes, kPieceBytes)}});
    }
    return added;
  }

  Result<void> Replace(const std::string& segment, const SegmentHeader& header) override {
    const std::string_view name = segment;
    std::string first;
    auto done = db_->Run("SELECT bytes FROM pieces WHERE segment = $1 AND number = 0", {name},
                         [&](const Database::Row& row) { first = row.Text(0); });
    if (!done) return done;
    if (first.size() < kSlotsBegin) {
      return std::unexpected(Error{"cannot read a segment: it has no header", segment, ""});
    }
    ReplaceHeader(header, std::span<char, kSlotsBegin>(first.data(), kSlotsBegin));
    done = db_->Run("UPDATE pieces SET bytes = $1 WHERE segment = $2 AND number = 0",
                    {Blob{first}, name});
    if (!done) return done;
    return db_->Run("UPDATE segments SET job = $1 WHERE name = $2",
                    {std::string_view(header.job), name});
  }

  Result<void> Sync(const std::vector<ManifestEntry>&) override { return {}; }

  Result<bool> Remove(const std::string& segment) override {
    const std::string_view name = segment;
    for (const char* rows :
         {"DELETE FROM pieces WHERE segment = $1", "DELETE FROM segments WHERE name = $1"}) {
      if (auto done = db_->Run(rows, {name}); !done) return std::unexpected(done.error());
    }
    return true;
  }

  Result<void> ReadStatus() const override {
    const std::optional<Error>& failed = db_->failed();
    if (failed.has_value()) return std::unexpected(failed.value());
    return {};
  }

 private:
  std::string address_, name_;
  std::unique_ptr<Postgres> db_;
};

}  // namespace

std::unique_ptr<LedgerStore> PostgresStoreAt(const std::string& address) {
  return std::make_unique<PostgresStore>(address);
}

std::unique_ptr<LedgerStore> StoreAt(const std::string& address, Sharing sharing) {
  return IsPostgres(address) ? PostgresStoreAt(address) : FolderStoreAt(address, sharing);
}

}  // namespace stepscope::goodput
