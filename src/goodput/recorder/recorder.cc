// Implements the recorder: threads that store events, and ticks that make room ahead.
#include "goodput/recorder/recorder.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>

#include "base/sync_folder.h"
#include "base/time_units.h"
#include "goodput/recorder/launch.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kGuardBytes = 4096;
constexpr size_t kMaxProblems = 20;

template <class... Values>
std::string Print(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// "host/rank/boot/pid/random": identifies this process and the boot of its monotonic clock.
std::string WriterName(int64_t rank, uint32_t random) {
  char host[65] = "host";
  gethostname(host, sizeof host - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  boot.resize(std::min<size_t>(boot.size(), 8));
  const std::string rank_text = rank < 0 ? "-" : std::to_string(rank);
  return Print("%s/%s/%s/%d/%08x", host, rank_text.c_str(), boot.c_str(),
               static_cast<int>(getpid()), random);
}

std::atomic<int>* MakeGuard() {
  void* page =
      mmap(nullptr, kGuardBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, kGuardBytes, MADV_WIPEONFORK) != 0) {  // Linux 4.14
    munmap(page, kGuardBytes);
    return nullptr;
  }
  return new (page) std::atomic<int>(1);
}

timespec At(int64_t ns) {
  return {.tv_sec = static_cast<time_t>(ns / kSecond), .tv_nsec = static_cast<long>(ns % kSecond)};
}

}  // namespace

Recorder::Recorder(RecorderOptions options) : options_(std::move(options)) {
  const uint32_t random = RandomNumber();
  options_.segment_bytes =
      std::clamp<int64_t>(options_.segment_bytes, int64_t{64} << 10, int64_t{1} << 30);
  options_.sync = std::max(options_.sync, kSecond / 100);
  if (options_.rank < 0) options_.rank = RankFromEnvironment();
  if (options_.job.empty()) options_.job = JobFromEnvironment();
  options_.attempt = AttemptFromEnvironment(std::move(options_.attempt));
  writer_ = WriterName(options_.rank, random);
  file_prefix_ = options_.directory + "/" + SegmentPrefix(random);
  manifest_.emplace(file_prefix_.substr(0, file_prefix_.size() - 1) + std::string(kManifestSuffix),
                    sharing());
  guard_ = MakeGuard();
  sem_init(&wake_, 0, 0);
  last_heartbeat_ = last_sync_ = MonotonicClock();
  if (guard_ == nullptr) {
    Problem("Cannot detect forks on this kernel; do not record in forked processes.");
  }
  MakeSegmentAhead();
  if (!options_.background) return;
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error& error) {
    Problem(std::string("Cannot start the background thread: ") + error.what());
  }
}

Recorder::~Recorder() {
  Close();
  sem_destroy(&wake_);
  if (guard_ != nullptr) munmap(guard_, kGuardBytes);
}

bool Recorder::Write(Record& record) {
  if (record.time == kUnknown) {
    record.time = WallClock();
    record.monotonic = MonotonicClock();
  }
  const size_t slots = SlotsOf(record);
  SegmentFile* segment = current_.load(std::memory_order_acquire);
  while (segment != nullptr) {
    const auto written = segment->Write(record, slots, sequence_);
    if (written == SegmentFile::Written::kHalf) sem_post(&wake_);
    if (written <= SegmentFile::Written::kHalf) return true;
    if (written == SegmentFile::Written::kLast) sem_post(&wake_);
    SegmentFile* const next = segment->next.load(std::memory_order_acquire);
    if (next == nullptr) break;
    // On failure another thread did it; `segment` becomes the current one.
    if (current_.compare_exchange_strong(segment, next, std::memory_order_acq_rel)) segment = next;
  }
  dropped_.fetch_add(1, std::memory_order_relaxed);
  dropped_ever_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

bool Recorder::WriteNow(EventKind kind, int64_t count) {
  Record record{.kind = kind, .counts = {count, kUnknown, kUnknown}};
  return Write(record);
}

void Recorder::Run() {
  // Signals are for the threads of the training program.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), "goodput");
  while (!stop_.load()) {
    const timespec until = At(MonotonicClock() + std::min(options_.sync, kSecond));
    while (sem_clockwait(&wake_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
    }
    if (stop_.load()) return;
    try {
      Tick(MonotonicClock());
    } catch (const std::exception&) {
      continue;  // no memory: the next tick tries again; training must go on
    }
  }
}

void Recorder::Tick(int64_t now) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  MakeSegmentAhead();
  if (dropped_.load(std::memory_order_relaxed) > 0) RecordDropped();
  if (options_.heartbeat > 0 && now - last_heartbeat_ >= options_.heartbeat) {
    last_heartbeat_ = now;
    WriteNow(EventKind::kHeartbeat, kUnknown);
  }
  if (now - last_sync_ >= options_.sync) {
    last_sync_ = now;
    SyncAll();
  }
  ReleaseFull();
  if (SegmentFile* const current = current_.load()) current->Prepare();
}

// The last segment's successor, once half of it is used.
void Recorder::MakeSegmentAhead() {
  SegmentFile* const last = segments_.empty() ? nullptr : segments_.back().get();
  if (last != nullptr && last->Used() < last->capacity() / 2) return;
  std::unique_ptr<SegmentFile> made = MakeSegment();
  if (made == nullptr) return;
  segments_.push_back(std::move(made));
  (last == nullptr ? current_ : last->next)
      .store(segments_.back().get(), std::memory_order_release);
  folder_synced_ = false;
}

std::unique_ptr<SegmentFile> Recorder::MakeSegment() {
  if (const auto made = MakeFolder(options_.directory, sharing()); !made) {
    Problem(
        "Cannot create directory " + options_.directory +
        made.error().what.substr(std::min(made.error().what.find(':'), made.error().what.size())));
    return nullptr;
  }
  const auto bytes = static_cast<size_t>(options_.segment_bytes);
  const SegmentHeader header{.salt = RandomNumber(),
                             .index = static_cast<uint32_t>(segments_.size()),
                             .slots = (bytes - kSlotsBegin) / kSlotBytes,
                             .time = WallClock(),
                             .monotonic = MonotonicClock(),
                             .job = options_.job,
                             .attempt = options_.attempt,
                             .writer = writer_};
  const std::string path = SegmentName(file_prefix_, header.index);
  auto made = SegmentFile::Create(path, header, sharing());
  if (made) return std::move(*made);
  Problem(made.error().what + " in " + options_.directory);
  return nullptr;
}

void Recorder::RecordDropped() {
  const int64_t count = dropped_.exchange(0);
  if (WriteNow(EventKind::kDropped, count)) return;
  // The failed event counted itself too.
  dropped_.fetch_add(count - 1);
  dropped_ever_.fetch_sub(1);
}

void Recorder::SyncAll() {
  for (size_t k = released_; k < segments_.size(); ++k) {
    if (!segments_[k]->Sync()) {
      Problem("Cannot sync to disk in " + options_.directory + ": " + std::strerror(errno));
    }
  }
  if (!folder_synced_) folder_synced_ = SyncFolder(options_.directory).has_value();
  if (folder_synced_) TellManifest();
}

// REQUIRES: the names of all segments are on disk.
void Recorder::TellManifest() {
  untold_.reserve(untold_.size() + segments_.size() - told_);  // what is news once is not lost
  for (size_t k = told_; k < segments_.size(); ++k) {
    if (auto news = segments_[k]->News()) untold_.push_back(std::move(*news));
    if (k == told_ && segments_[k]->closed()) ++told_;
  }
  if (const auto told = manifest_->Append(untold_); !told) return Problem(told.error().what);
  untold_.clear();
}

// Releases full segments before the current one.
void Recorder::ReleaseFull() {
  const SegmentFile* const current = current_.load();
  while (released_ < segments_.size() && segments_[released_].get() != current) {
    segments_[released_]->Sync();
    if (!segments_[released_]->Release()) return;
    ++released_;
  }
}

bool Recorder::Flush() try {
  const std::lock_guard lock(mutex_);
  bool good = true;
  for (size_t k = released_; k < segments_.size(); ++k) good = segments_[k]->Sync() && good;
  if (!SyncFolder(options_.directory)) return false;
  folder_synced_ = true;
  TellManifest();
  return good && !segments_.empty();
} catch (const std::exception&) {  // no memory
  return false;
}

// Without memory for a closing record the segment stays open, with all its events.
void Recorder::CloseSegment(SegmentFile& segment) {
  try {
    segment.Close();
    segment.Release();
  } catch (const std::exception&) {
    return;
  }
}

void Recorder::Close() {
  stop_.store(true);
  sem_post(&wake_);
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  closed_ = true;
  try {
    if (dropped_.load() > 0) {
      MakeSegmentAhead();
      RecordDropped();
    }
  } catch (const std::bad_alloc&) {
    closed_ = true;  // the recording then lacks the number of dropped events
  }
  current_.store(nullptr);
  for (size_t k = released_; k < segments_.size(); ++k) CloseSegment(*segments_[k]);
  try {
    if (SyncFolder(options_.directory)) TellManifest();
  } catch (const std::exception&) {
    return;  // the manifest then lacks the last segments
  }
}

void Recorder::Problem(const std::string& sentence) {
  if (problems_.size() >= kMaxProblems || std::ranges::find(problems_, sentence) != problems_.end())
    return;
  problems_.push_back(sentence);
  if (!options_.on_problem) return;
  try {
    options_.on_problem(sentence);
  } catch (...) {
    return;  // a failing callback must not end the program
  }
}

}  // namespace stepscope::goodput
