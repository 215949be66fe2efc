// Keeps the manifest of a server: which segments it made and closed.
//
// A new segment is listed before anything in it is told as stored; the rest is told every second.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/sharing.h"
#include "goodput/recorder/manifest.h"

namespace stepscope::goodput {

inline constexpr size_t kSyncThreads = 8;  // that wait for the disk at once

class IngestManifest {
 public:
  // Of segments in `folder`.
  IngestManifest(std::string folder, const std::string& name, Sharing sharing)
      : folder_(std::move(folder)), file_(folder_ + "/" + name, sharing) {}

  // Thread-safe, as all that follows. The number of a segment that is to be listed.
  uint64_t AddMade(ManifestEntry segment);
  uint64_t MadeCount();

  // Syncs and lists the segments up to this number, if they are not yet. Callers that come together
  // share the waits for the disk.
  bool ListMade(uint64_t number);

  // Keeps what the manifest is to say later, of a segment whose name may not be synced.
  void AddNews(ManifestEntry segment);
  std::vector<ManifestEntry> TakeNews();

  // REQUIRES: the names of the segments are synced. False: they are news again.
  bool Tell(std::vector<ManifestEntry> news);
  void PutBack(std::vector<ManifestEntry> news);

 private:
  bool Sync(const std::vector<ManifestEntry>& made) const;

  std::string folder_;
  std::mutex file_mutex_;  // over file_; taken before the other
  ManifestFile file_;
  std::mutex mutex_;  // over what follows
  std::vector<ManifestEntry> news_, made_;
  uint64_t made_count_ = 0;  // those in made_, and those listed before
  std::atomic<uint64_t> listed_ = 0;
};

}  // namespace stepscope::goodput
