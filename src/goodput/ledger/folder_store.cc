// Stores a ledger in a directory: segments, into which recorders write directly, and an SQLite
// database.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/byte_source.h"
#include "base/crc32.h"
#include "base/file_batch.h"
#include "base/file_writer.h"
#include "base/read_file.h"
#include "base/sync_folder.h"
#include "goodput/ledger/ledger_found.h"
#include "goodput/ledger/ledger_store.h"
#include "goodput/ledger/sqlite.h"
#include "goodput/recorder/segment_file.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope::goodput {
namespace {

class FolderStore : public LedgerStore {
 public:
  FolderStore(std::string folder, Sharing sharing)
      : folder_(std::move(folder)), sharing_(sharing) {}

  const std::string& name() const override { return folder_; }

  Result<void> Connect(Access access) override {
    const bool write = access != Access::kRead;
    std::error_code failed;
    const std::string path = folder_ + "/ledger.db";
    if (write) {
      if (IsGroupReadable()) sharing_ = Sharing::kGroup;
      if (auto made = MakeFolder(folder_, sharing_); !made) return made;
      if (const int file = OpenCreating(path, O_RDWR, sharing_); file >= 0) close(file);
    }
    if (!write && !std::filesystem::exists(path, failed)) return {};
    auto db = Sqlite::Open(path, write);
    if (!db) return std::unexpected(db.error());
    db_ = std::move(*db);
    return {};
  }

  Result<void> MakeTables() override { return {}; }
  const Database* database() const override { return db_.get(); }
  bool ReadsWithoutDatabase() const override { return true; }
  void LeaveDatabase() override { db_.reset(); }
  bool SegmentsAreInTransaction() const override { return false; }

  Result<Listing> List(Notes& note_counts) const override { return ListLogs(folder_, note_counts); }

  Result<SegmentReader> Open(const std::string& segment) const override {
    auto source = OpenBytes(segment);
    if (!source) return std::unexpected(source.error());
    return SegmentReader::Open(std::move(*source), PathOf(segment));
  }

  Result<SegmentReader::Source> OpenBytes(const std::string& segment) const override {
    auto source = OpenSegmentFile(PathOf(segment));
    if (source) return Noting(std::move(*source));
    if (source.error().kind == SegmentError::Kind::kSystem) failure_.Set(source.error());
    return std::unexpected(Error(source.error()));
  }

  Result<void> Add(const std::string& segment, const SegmentHeader& header,
                   std::string_view bytes) override {
    struct stat state{};
    if (stat(PathOf(segment).c_str(), &state) == 0) {
      return std::unexpected(Error{"cannot store a segment: there is one of this name",
                                   PathOf(segment), "try again: names are chosen at random"});
    }
    return Put(segment, header, bytes);
  }

  Result<void> Replace(const std::string& segment, const SegmentHeader& header) override {
    auto read = ReadFileIfThere(PathOf(segment));
    if (!read) return std::unexpected(read.error());
    std::string bytes = std::move(*read).value_or("");
    if (bytes.size() < kSlotsBegin) {
      return std::unexpected(Error{"cannot read a segment: it has no header", PathOf(segment), ""});
    }
    ReplaceHeader(header, std::span<char, kSlotsBegin>(bytes.data(), kSlotsBegin));
    return Put(segment, header, bytes);
  }

  // The manifest follows what it lists.
  Result<void> Sync(const std::vector<ManifestEntry>& entries) override {
    if (batch_ != nullptr) {
      if (auto named = batch_->Commit(); !named) return named;
    }
    std::set<std::string> folders;
    for (const ManifestEntry& entry : added_) {
      folders.insert(std::filesystem::path(PathOf(entry.name)).parent_path());
    }
    for (const std::string& folder : folders) {
      if (auto synced = SyncFolder(folder); !synced) return synced;
    }
    std::vector<ManifestEntry> news = entries;
    std::ranges::move(std::exchange(added_, {}), std::back_inserter(news));
    return news.empty() ? Result<void>() : AddToManifest(news);
  }

  // Commands append to the manifest and then commit, so it may have more.
  Result<bool> IsManifestWhole() const override {
    const auto remembered = Remembered();
    if (!remembered) return std::unexpected(remembered.error());
    const auto bytes = ReadFileIfThere(PathOf(std::string(kLedgerManifest)));
    if (!bytes) return std::unexpected(bytes.error());
    return BeginsAs(bytes->value_or(""), *remembered);
  }

  Result<void> AcceptManifest() override {
    const auto made = db_->HasTable("manifest");
    if (!made) return std::unexpected(made.error());
    return *made ? db_->Run("DELETE FROM manifest") : Result<void>();
  }

  Result<bool> Remove(const std::string& segment) override {
    std::error_code failed;
    const bool removed = std::filesystem::remove(PathOf(segment), failed);
    if (!failed) return removed;
    return std::unexpected(Error{"cannot remove a segment: " + failed.message(), PathOf(segment),
                                 "check the permissions of its directory"});
  }

  Result<void> ReadStatus() const override {
    const std::optional<Error> failed = failure_.Get();
    return failed ? std::unexpected(*failed) : Result<void>();
  }

 private:
  // A beginning of the manifest.
  struct Beginning {
    int64_t bytes = 0, checksum = 0;
  };

  static bool BeginsAs(std::string_view manifest, const Beginning& beginning) {
    const auto size = static_cast<size_t>(beginning.bytes);
    return manifest.size() >= size && Crc32(manifest.data(), size) == beginning.checksum;
  }

  // What the database remembers of the manifest; nothing of ledgers of earlier versions.
  Result<Beginning> Remembered() const {
    Beginning beginning;
    const auto made = db_->HasTable("manifest");
    if (!made) return std::unexpected(made.error());
    if (!*made) return beginning;
    const auto read =
        db_->Run("SELECT bytes, checksum FROM manifest", {}, [&](const Database::Row& row) {
          beginning = {.bytes = row.Integer(0), .checksum = row.Integer(1)};
        });
    return read ? Result<Beginning>(beginning) : std::unexpected(read.error());
  }

  Result<void> Remember(std::string_view manifest) const {
    auto kept = db_->Run("CREATE TABLE IF NOT EXISTS manifest (bytes BIGINT, checksum BIGINT)");
    if (kept) kept = db_->Run("DELETE FROM manifest");
    if (!kept) return kept;
    return db_->Run("INSERT INTO manifest VALUES ($1, $2)",
                    {std::ssize(manifest), int64_t{Crc32(manifest.data(), manifest.size())}});
  }

  // The source, whose errors ReadStatus() tells.
  SegmentReader::Source Noting(SegmentReader::Source source) const {
    return [this, source = std::move(source)](char* out, size_t size, uint64_t offset) mutable {
      auto got = source(out, size, offset);
      if (!got) failure_.Set(got.error());
      return got;
    };
  }

  Result<void> Put(const std::string& segment, const SegmentHeader& header,
                   std::string_view bytes) {
    // Exceeding this limit raises a signal that ends the process.
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes.size()) {
      return std::unexpected(Error{"cannot store a segment: it exceeds the file size limit",
                                   PathOf(segment), "raise ulimit -f"});
    }
    if (batch_ == nullptr) batch_ = std::make_unique<FileBatch>(folder_, sharing_);
    if (auto added = batch_->Add(PathOf(segment), bytes); !added) return added;
    added_.push_back(EntryOf(bytes, segment, header));
    added_.back().contents = ContentsOf(bytes);
    return {};
  }

  Result<void> AddToManifest(const std::vector<ManifestEntry>& news) const {
    const std::string path = PathOf(std::string(kLedgerManifest));
    const auto bytes = ReadFileIfThere(path);
    if (!bytes) return std::unexpected(bytes.error());
    const auto remembered = Remembered();
    if (!remembered) return std::unexpected(remembered.error());
    const bool whole = BeginsAs(bytes->value_or(""), *remembered);
    const std::string all = bytes->value_or("") + EncodeEntries(news);
    FileWriter file(path, sharing_);
    auto written = file.Create();
    if (written) written = file.Append(all);
    if (written) written = file.Finish();
    if (written) written = file.Commit();
    if (written) written = SyncFolder(folder_);
    // Until a repair, what is missing of it stays missing.
    return written && whole ? Remember(all) : written;
  }

  // Whether the files of an existing ledger are for the owner's group too.
  bool IsGroupReadable() const {
    std::error_code failed;
    std::filesystem::directory_iterator entry(folder_, failed), end;
    for (; !failed && entry != end; entry.increment(failed)) {
      if (entry->path().extension() != kSegmentSuffix) continue;
      const auto mode = entry->status(failed).permissions();
      return !failed && (mode & std::filesystem::perms::group_read) != std::filesystem::perms::none;
    }
    return false;
  }

  std::string PathOf(const std::string& segment) const { return folder_ + "/" + segment; }

  std::string folder_;
  Sharing sharing_;
  std::unique_ptr<Sqlite> db_;
  std::unique_ptr<FileBatch> batch_;  // segments whose names come with the next sync
  std::vector<ManifestEntry> added_;  // not yet in the manifest
  mutable ReadFailure failure_;
};

}  // namespace

std::unique_ptr<LedgerStore> FolderStoreAt(const std::string& folder, Sharing sharing) {
  return std::make_unique<FolderStore>(folder, sharing);
}

}  // namespace stepscope::goodput

namespace stepscope {

bool IsGoodputDatabase(const std::string& store) { return goodput::IsPostgres(store); }

bool IsGoodputLedger(const std::string& store) {
  if (goodput::IsPostgres(store)) return true;
  std::error_code failed;
  constexpr auto kOptions = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator entry(store, kOptions, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry.depth() > 0) entry.disable_recursion_pending();
    const auto& path = entry->path();
    if (path.extension() == goodput::kSegmentSuffix || path.filename() == "ledger.db") return true;
  }
  return false;
}

}  // namespace stepscope
