// Stores a ledger in a directory: segments, into which recorders write directly, and an SQLite
// database.
#include <sys/resource.h>

#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/file_writer.h"
#include "base/sync_folder.h"
#include "base/system_error.h"
#include "goodput/ledger/ledger_store.h"
#include "goodput/ledger/sqlite.h"
#include "goodput/recorder/segment_file.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope::goodput {
namespace {

class FolderStore : public LedgerStore {
 public:
  explicit FolderStore(std::string folder) : folder_(std::move(folder)) {}

  const std::string& name() const override { return folder_; }

  Result<void> Connect(Access access) override {
    const bool write = access != Access::kRead;
    std::error_code failed;
    if (write) std::filesystem::create_directories(folder_, failed);
    if (failed) {
      return std::unexpected(SystemError("cannot create the ledger", failed.value(), folder_));
    }
    const std::string path = folder_ + "/ledger.db";
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

  Result<JobLogs> List(Notes& note_counts) const override { return ListLogs(folder_, note_counts); }

  Result<SegmentReader> Open(const std::string& segment) const override {
    return SegmentReader::Open(PathOf(segment));
  }

  Result<void> Add(const std::string& segment, const SegmentHeader&,
                   std::string_view bytes) override {
    // Exceeding this limit raises a signal that ends the process.
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes.size()) {
      return std::unexpected(Error{"cannot store a segment: it exceeds the file size limit",
                                   PathOf(segment), "raise ulimit -f"});
    }
    FileWriter file(PathOf(segment));
    auto added = file.Create();
    if (added) added = file.Append(bytes);
    if (added) added = file.FinishUnsynced();
    if (added) waiting_.push_back(std::move(file));
    if (added && waiting_.size() >= kMostWaiting) added = CommitWaiting();
    return added;
  }

  Result<void> Replace(const std::string& segment, const SegmentHeader& header) override {
    auto source = ByteSource::Open(PathOf(segment));
    if (!source) return std::unexpected(source.error());
    std::string bytes, part(size_t{1} << 20, '\0');
    for (size_t got = source->Read(part); got > 0; got = source->Read(part)) {
      bytes.append(part, 0, got);
    }
    if (bytes.size() < kSlotsBegin) {
      return std::unexpected(Error{"cannot read a segment: it has no header", PathOf(segment), ""});
    }
    EncodeHeader(header, std::span<char, kSlotsBegin>(bytes.data(), kSlotsBegin));
    return Add(segment, header, bytes);
  }

  Result<void> Sync() override {
    if (auto done = CommitWaiting(); !done) return done;
    if (!std::exchange(added_, false)) return {};
    return SyncFolder(folder_);
  }

  bool Remove(const std::string& segment) override {
    std::error_code failed;
    return std::filesystem::remove(PathOf(segment), failed);
  }

  // The reader counts files it cannot read.
  Result<void> ReadStatus() const override { return {}; }

 private:
  static constexpr size_t kMostWaiting = 256;  // each holds a descriptor

  // Gives what was added its names. Its bytes reach the disk first, together: an import of many
  // jobs adds a small segment for each, and to sync them one by one takes milliseconds each.
  Result<void> CommitWaiting() {
    std::vector<FileWriter> files = std::exchange(waiting_, {});
    if (files.empty()) return {};
    if (auto synced = SyncFileSystem(folder_); !synced) return synced;
    added_ = true;
    for (FileWriter& file : files) {
      if (auto named = file.Commit(); !named) return named;
    }
    return {};
  }

  std::string PathOf(const std::string& segment) const { return folder_ + "/" + segment; }

  std::string folder_;
  std::unique_ptr<Sqlite> db_;
  std::vector<FileWriter> waiting_;  // written, without a name
  bool added_ = false;
};

}  // namespace

std::unique_ptr<LedgerStore> FolderStoreAt(const std::string& folder) {
  return std::make_unique<FolderStore>(folder);
}

}  // namespace stepscope::goodput

namespace stepscope {

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
