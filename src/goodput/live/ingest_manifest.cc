// Syncs new segments, several at a time, and appends to the manifest.
#include "goodput/live/ingest_manifest.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

#include "base/parallel.h"
#include "base/sync_folder.h"

namespace stepscope::goodput {

uint64_t IngestManifest::AddMade(ManifestEntry segment) {
  const std::lock_guard lock(mutex_);
  made_.push_back(std::move(segment));
  return ++made_count_;
}

uint64_t IngestManifest::MadeCount() {
  const std::lock_guard lock(mutex_);
  return made_count_;
}

// Has the disk hold headers and names. A segment that was deleted meanwhile is to be missed.
bool IngestManifest::Sync(const std::vector<ManifestEntry>& made) const {
  std::atomic<bool> good = true;
  ParallelFor(made.size(), kSyncThreads, [&](size_t k) {
    const int file = open((folder_ + "/" + made[k].name).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 ? errno != ENOENT : fdatasync(file) != 0) good = false;
    if (file >= 0) close(file);
  });
  return good && SyncFolder(folder_);
}

bool IngestManifest::ListMade(uint64_t number) {
  if (listed_.load() >= number) return true;
  const std::lock_guard turn(file_mutex_);
  if (listed_.load() >= number) return true;
  std::vector<ManifestEntry> made;
  uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    made = made_;
    last = made_count_;
  }
  if (!Sync(made) || !file_.Append(made)) return false;
  const std::lock_guard lock(mutex_);
  made_.erase(made_.begin(), made_.begin() + std::ssize(made));
  listed_.store(last);
  return true;
}

void IngestManifest::AddNews(ManifestEntry segment) {
  const std::lock_guard lock(mutex_);
  news_.push_back(std::move(segment));
}

std::vector<ManifestEntry> IngestManifest::TakeNews() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

bool IngestManifest::Tell(std::vector<ManifestEntry> news) {
  {
    const std::lock_guard turn(file_mutex_);
    if (file_.Append(news)) return true;
  }
  PutBack(std::move(news));
  return false;
}

void IngestManifest::PutBack(std::vector<ManifestEntry> news) {
  const std::lock_guard lock(mutex_);
  news_.insert(news_.begin(), std::make_move_iterator(news.begin()),
               std::make_move_iterator(news.end()));
}

}  // namespace stepscope::goodput
