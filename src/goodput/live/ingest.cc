// Stores batches of events as segments, one writer at a time.
#include "goodput/live/ingest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/open_files.h"
#include "base/parallel.h"
#include "base/sync_folder.h"
#include "base/system_error.h"
#include "base/time_units.h"
#include "goodput/accounting/servers_clock.h"
#include "goodput/events/json_lines.h"
#include "goodput/ledger/ledger_faults.h"
#include "goodput/live/store_id.h"
#include "goodput/recorder/segment_name.h"
#include "goodput/recorder/segment_numbers.h"
#include "goodput/recorder/segment_reader.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kIdleTimeout = 600 * kSecond;            // after it a segment is closed
constexpr int64_t kIdleTimeoutWhenCrowded = 10 * kSecond;  // the same where many are open

// Starts small, since most writers write few events.
size_t SlotsOfSegment(uint32_t index) {
  const size_t bytes = size_t{128} << (10 + std::min<uint32_t>(index, 5));
  return (bytes - kSlotsBegin) / kSlotBytes;
}

// Names sort by when segments were made, as those of recorders do.
std::string FileName(uint32_t number, uint32_t process) {
  return fmt::format("{}{}{:010}-{:08x}{}", NowInName(), kOfCollector, number, process,
                     kSegmentSuffix);
}

bool IsOfServer(const std::string& name) { return name.contains(kOfCollector); }

bool IsNumbered(const Event& event) {
  return !event.writer.empty() && event.sequence >= 0 && event.sequence < kSequencesEnd;
}

bool NamesFit(const Event& event) {
  return event.job.size() <= kMaxName && event.attempt.size() <= kMaxName &&
         event.writer.size() <= kMaxName;
}

// The time, if the event's host is ahead of it.
int64_t ReceiptOf(const Event& event) {
  if (event.received != kUnknown || event.time == kUnknown) return event.received;
  const int64_t now = WallClock();
  return event.time - now > kAheadOfServer ? now : kUnknown;
}

Record RecordOf(const Event& event) {
  return {.kind = event.kind,
          .time = event.time,
          .monotonic = event.monotonic,
          .received = ReceiptOf(event),
          .step = event.step,
          .counts = {event.counts[0], event.counts[1], event.counts[2]},
          .text = event.text,
          .checkpoint = IsCheckpoint(event.kind) ? &event.checkpoint : nullptr};
}

int64_t Unreadable(const Notes& note_counts) {
  int64_t count = 0;
  for (const NoteKind kind : {NoteKind::kBadLine, NoteKind::kLongLine, NoteKind::kNoEntry,
                              NoteKind::kUnknownKind, NoteKind::kOutOfRange}) {
    count += note_counts.Count(kind);
  }
  return count;
}

// What the manifests of the directory say.
Result<FolderManifest> ReadManifestsOf(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == kManifestSuffix) names.push_back(entry->path().filename());
  }
  if (failed) {
    return std::unexpected(SystemError("cannot read the directory", failed.value(), folder));
  }
  return ReadManifests(folder, std::move(names));
}

}  // namespace

Ingest::Ingest(std::string folder, Sharing sharing, WritersAre writers)
    : folder_(std::move(folder)),
      sharing_(sharing),
      writers_are_(writers),
      process_(RandomNumber()),
      most_open_(std::min(OpenFilesLimit() / 2, kMostWriters)),
      manifest_(folder_,
                fmt::format("{}{}{:08x}{}", NowInName(), kOfCollector, process_, kManifestSuffix),
                sharing) {}

Result<std::unique_ptr<Ingest>> Ingest::Open(std::string folder, Sharing sharing,
                                             WritersAre writers) {
  if (auto made = MakeFolder(folder, sharing); !made) return std::unexpected(made.error());
  std::unique_ptr<Ingest> ingest(new Ingest(std::move(folder), sharing, writers));
  const std::string lock = ingest->folder_ + "/.ingest.lock";
  ingest->lock_ = OpenCreating(lock, O_RDWR, sharing);
  if (ingest->lock_ < 0)
    return std::unexpected(SystemError("cannot lock the directory", errno, lock));
  if (flock(ingest->lock_, LOCK_EX | LOCK_NB) != 0) {
    return std::unexpected(
        Error{"cannot take events: another process already does so in this directory",
              ingest->folder_, "stop that process, or choose another directory"});
  }
  if (auto read = ingest->ReadStored(); !read) return std::unexpected(read.error());
  ingest->store_id_ = StoreIdOf(ingest->folder_, sharing);
  return ingest;
}

// Which events the directory has. A server that was killed may have left segments that no manifest
// has; they are to be listed before anything in them is told as stored.
Result<void> Ingest::ReadStored() {
  const auto files = SegmentsIn(folder_);
  if (!files) return std::unexpected(files.error());
  const auto manifest = ReadManifestsOf(folder_);
  if (!manifest) return std::unexpected(manifest.error());
  std::optional<Error> failed;
  ParallelFor(files->size(), 0, [&](size_t k) {
    const auto numbers = NumbersIn((*files)[k], kSequencesEnd);
    const std::lock_guard lock(mutex_);
    if (!numbers) {
      failed = numbers.error();
      return;
    }
    const std::string name = std::filesystem::path((*files)[k]).filename();
    const bool listed = !IsOfServer(name) || manifest->listed.contains(name) ||
                        manifest->gone.contains(name) || !numbers->header;
    if (!listed) {
      manifest_.AddMade(EntryOf(numbers->mark.value_or(SegmentMark()), name, numbers->header->salt,
                                numbers->header->job));
    }
    for (const auto& [writer, seen] : numbers->by_writer) {
      Writer& all = writers_[KeyOf(numbers->header ? numbers->header->job : "", writer)];
      for (const auto& [first, end] : seen.ranges()) all.seen.InsertRange(first, end);
      if (!listed) all.made = manifest_.MadeCount();
    }
  });
  return failed ? std::unexpected(*failed) : Result<void>();
}

// Each segment waits for the disk.
Ingest::~Ingest() {
  std::vector<OpenSegment*> open;
  for (auto& [name, writer] : writers_) {
    for (auto& [stream, segment] : writer.open) {
      if (segment.file != nullptr) open.push_back(&segment);  // null: there was no room for it
    }
  }
  ParallelFor(open.size(), kSyncThreads, [&](size_t k) { Close(*open[k]); });
  if (SyncFolder(folder_)) manifest_.Tell(manifest_.TakeNews());
  if (lock_ >= 0) close(lock_);
}

Ingest::Writer* Ingest::WriterNamed(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto known = writers_.find(key);
  if (known != writers_.end()) return &known->second;
  return writers_.size() < kMostWriters ? &writers_[key] : nullptr;
}

std::unique_ptr<SegmentFile> Ingest::MakeSegment(const Event& event, uint32_t index) {
  if (IsCrowded()) return nullptr;
  const SegmentHeader header{.salt = RandomNumber(),
                             .index = index,
                             .slots = SlotsOfSegment(index),
                             .time = WallClock(),
                             .monotonic = MonotonicClock(),
                             .job = event.job,
                             .attempt = event.attempt,
                             .writer = event.writer};
  auto made = SegmentFile::Create(folder_ + "/" + FileName(next_file_.fetch_add(1), process_),
                                  header, sharing_);
  if (!made) return nullptr;
  ++files_;
  ++open_;
  return std::move(*made);
}

void Ingest::Close(OpenSegment& segment) {
  segment.file->Close();
  segment.file->Release();
  Note(segment);
  segment.file.reset();
  --open_;
}

// Keeps what the manifest is to say of the segment.
void Ingest::Note(OpenSegment& segment) {
  if (auto news = segment.file->News()) manifest_.AddNews(std::move(*news));
}

// REQUIRES: the writer's mutex. False: no room.
bool Ingest::Store(Writer& writer, const Event& event, bool is_known) {
  OpenSegment& segment = writer.open[{event.job, event.attempt, event.writer, is_known}];
  Record record = RecordOf(event);
  const size_t slots = SlotsOf(record);
  segment.used = MonotonicClock();
  for (int tries = 0; tries < 2; ++tries) {
    if (segment.file == nullptr) {
      segment.file = MakeSegment(event, segment.index);
      if (segment.file == nullptr) return false;
      ++segment.index;
      writer.made = manifest_.AddMade(segment.file->Made(event.sequence));
    }
    std::atomic<int64_t> sequence = event.sequence;
    if (segment.file->Write(record, slots, sequence) <= SegmentFile::Written::kHalf) return true;
    Close(segment);
  }
  return false;
}

// One call of Take: consecutive events of a writer are stored under one lock.
class Ingest::Batch {
 public:
  Batch(Ingest& ingest, const NumbersByWriter* known) : ingest_(ingest), known_(known) {}

  void Add(const Event& event) {
    if (!IsNumbered(event)) return Count(counts.unnumbered);
    if (!NamesFit(event)) return Count(counts.unreadable);
    if (writer_ == nullptr || event.writer != name_ || event.job != job_) {
      if (lock_) lock_.unlock();
      const std::string key = ingest_.KeyOf(event.job, event.writer);
      writer_ = ingest_.WriterNamed(key);
      if (writer_ == nullptr) return Count(counts.no_room);
      name_ = event.writer;
      job_ = event.job;
      full_ = false;
      known_of_writer_ = KnownOf(key);
      lock_ = std::unique_lock(writer_->mutex);
    }
    if (writer_->seen.Contains(event.sequence)) return Told(counts.duplicates);
    full_ = full_ || !ingest_.Store(*writer_, event, IsKnown(event.sequence));
    if (full_) return Count(counts.no_room);
    writer_->seen.Insert(event.sequence);
    Told(counts.stored);
  }

  // The segments up to this one have what is told as stored.
  uint64_t made() const { return made_; }

  IngestCounts counts;

 private:
  static void Count(int64_t& count) { ++count; }

  void Told(int64_t& count) {
    made_ = std::max(made_, writer_->made);
    ++count;
  }

  const Sequences* KnownOf(const std::string& key) const {
    if (known_ == nullptr) return nullptr;
    const auto found = known_->find(key);
    return found == known_->end() ? nullptr : &found->second;
  }

  bool IsKnown(int64_t sequence) const {
    return known_of_writer_ != nullptr && known_of_writer_->Contains(sequence);
  }

  Ingest& ingest_;
  const NumbersByWriter* known_;
  const Sequences* known_of_writer_ = nullptr;
  Writer* writer_ = nullptr;
  std::string name_, job_;
  bool full_ = false;  // no room for one event: the following ones are refused too
  uint64_t made_ = 0;
  std::unique_lock<std::mutex> lock_;
};

IngestCounts Ingest::Take(std::string_view lines, const std::string& team,
                          const NumbersByWriter* known) {
  IngestCounts counts;
  uint64_t made = 0;
  {
    Batch batch(*this, known);
    Notes note_counts;
    ByteSource source = ByteSource::FromMemory(lines);
    const std::string prefix = team.empty() ? "" : team + "/";
    ReadJsonLines(std::move(source), note_counts, [&](const Event& event) {
      if (event.job.starts_with(prefix)) return batch.Add(event);
      Event of_team = event;
      of_team.job = prefix + event.job;
      batch.Add(of_team);
    });
    counts = batch.counts;
    made = batch.made();
    counts.unreadable += Unreadable(note_counts);
  }
  stored_ += counts.stored;
  duplicates_ += counts.duplicates;
  unnumbered_ += counts.unnumbered;
  unreadable_ += counts.unreadable;
  no_room_ += counts.no_room;
  if (manifest_.ListMade(made)) return counts;
  // Stored, and not to be told so: sent again, these are duplicates.
  const int64_t untold = counts.stored + counts.duplicates;
  no_room_ += untold;
  counts.no_room += untold;
  counts.stored = counts.duplicates = 0;
  return counts;
}

IngestCounts Ingest::counts() const {
  return {stored_.load(), duplicates_.load(), unnumbered_.load(), unreadable_.load(),
          no_room_.load()};
}

// REQUIRES: the writer's mutex.
bool Ingest::SyncAndClose(Writer& writer, int64_t now) {
  const int64_t silent = open_.load() > most_open_ / 2 ? kIdleTimeoutWhenCrowded : kIdleTimeout;
  bool good = true;
  for (auto at = writer.open.begin(); at != writer.open.end();) {
    OpenSegment& segment = at->second;
    if (segment.file != nullptr) {
      good = segment.file->Sync() && good;
      Note(segment);
    }
    if (now - segment.used < silent) {
      ++at;
      continue;
    }
    if (segment.file != nullptr) Close(segment);
    at = writer.open.erase(at);
  }
  return good;
}

bool Ingest::Tick(int64_t now) {
  std::vector<Writer*> writers;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [name, writer] : writers_) writers.push_back(&writer);
  }
  // News of files made later wait for the next call.
  std::atomic<bool> good = manifest_.ListMade(manifest_.MadeCount());
  const size_t threads = open_.load() < 8 * kSyncThreads ? 1 : kSyncThreads;
  ParallelFor(writers.size(), threads, [&](size_t k) {
    const std::lock_guard lock(writers[k]->mutex);
    if (!SyncAndClose(*writers[k], now)) good = false;
  });
  std::vector<ManifestEntry> news = manifest_.TakeNews();
  // The name of a new file is safe only after a sync of its directory.
  const uint32_t files = files_.load();
  const bool named = files == synced_files_ || SyncFolder(folder_).has_value();
  if (named) synced_files_ = files;
  if (named) return manifest_.Tell(std::move(news)) && good;
  manifest_.PutBack(std::move(news));
  return false;
}

}  // namespace stepscope::goodput
