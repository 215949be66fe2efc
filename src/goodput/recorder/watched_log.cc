// Records what a watch saw of a job.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <set>
#include <utility>

#include "base/sync_folder.h"
#include "goodput/recorder/segment_file.h"
#include "goodput/recorder/segment_name.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/goodput_watched.h"

namespace stepscope {
namespace goodput {
namespace {

namespace fs = std::filesystem;

static_assert(kMostWatchedText == kMaxText);
constexpr uint64_t kSlots = 8192;  // of a segment: 264 KB, a day of windows
constexpr int kNamed = 3;          // jobs in a message

// The jobs that have segments in the directory.
Result<std::set<std::string>> JobsIn(const std::string& directory) {
  std::set<std::string> jobs;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != kSegmentSuffix) continue;
    const auto reader = SegmentReader::Open(at->path());
    if (reader) {
      jobs.insert(reader->header().job);
    } else if (reader.error().kind == SegmentError::Kind::kSystem) {
      return std::unexpected(Error(reader.error()));
    }
  }
  if (!error) return jobs;
  return std::unexpected(Error{"cannot read the job's directory of events: " + error.message(),
                               directory, "give the directory that its recorder writes to"});
}

Result<std::string> OnlyJobIn(const std::string& directory) {
  const auto jobs = JobsIn(directory);
  if (!jobs) return std::unexpected(jobs.error());
  if (jobs->size() == 1) return *jobs->begin();
  std::string names;
  for (const std::string& job : *jobs | std::views::take(kNamed))
    names += (names.empty() ? ": " : ", ") + job;
  return std::unexpected(Error{
      jobs->empty() ? std::string("the directory has no events of a job yet")
                    : fmt::format("the directory has events of {} jobs{}", jobs->size(), names),
      directory, "name the job: `name`"});
}

// "host/watch/boot/pid/random".
std::string WriterName(uint32_t random) {
  char host[65] = "host";
  gethostname(host, sizeof host - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return fmt::format("{}/watch/{}/{}/{:08x}", host, boot.substr(0, 8), getpid(), random);
}

}  // namespace
}  // namespace goodput

struct WatchedLog::Log {
  std::string directory, job, writer, prefix;
  uint32_t segments = 0;
  std::atomic<int64_t> sequence = 0;
  std::unique_ptr<goodput::SegmentFile> segment;

  Result<void> Next() {
    if (segment) segment->Close();
    const goodput::SegmentHeader header{.salt = goodput::RandomNumber(),
                                        .index = segments,
                                        .slots = goodput::kSlots,
                                        .time = goodput::WallClock(),
                                        .monotonic = goodput::MonotonicClock(),
                                        .job = job,
                                        .attempt = "",
                                        .writer = writer};
    auto made = goodput::SegmentFile::Create(goodput::SegmentName(prefix, segments), header);
    if (!made) return std::unexpected(made.error());
    segment = std::move(*made);
    ++segments;
    return SyncFolder(directory);
  }

  ~Log() {
    if (segment) segment->Close();
  }
};

WatchedLog::WatchedLog(std::unique_ptr<Log> log) : log_(std::move(log)) {}
WatchedLog::~WatchedLog() = default;
WatchedLog::WatchedLog(WatchedLog&&) noexcept = default;
WatchedLog& WatchedLog::operator=(WatchedLog&&) noexcept = default;

const std::string& WatchedLog::job() const { return log_->job; }

Result<WatchedLog> WatchedLog::Open(const std::string& directory, const std::string& job) {
  auto log = std::make_unique<Log>();
  log->directory = directory;
  log->job = job;
  if (job.empty()) {
    auto only = goodput::OnlyJobIn(directory);
    if (!only) return std::unexpected(only.error());
    log->job = std::move(*only);
  }
  const uint32_t random = goodput::RandomNumber();
  log->writer = goodput::WriterName(random);
  log->prefix = directory + "/" + goodput::SegmentPrefix(random);
  return WatchedLog(std::move(log));
}

Result<void> WatchedLog::Add(int64_t time, std::string_view text) {
  using Written = goodput::SegmentFile::Written;
  goodput::Record record{.kind = goodput::EventKind::kWatched,
                         .time = time,
                         .text = goodput::Kept(text, goodput::kMaxText)};
  const size_t slots = goodput::SlotsOf(record);
  if (!log_->segment) {
    if (auto made = log_->Next(); !made) return made;
  }
  if (log_->segment->Write(record, slots, log_->sequence) > Written::kHalf) {
    if (auto made = log_->Next(); !made) return made;
    log_->segment->Write(record, slots, log_->sequence);
  }
  if (log_->segment->Sync()) return {};
  return std::unexpected(
      Error{std::string("cannot sync to disk: ") + std::strerror(errno), log_->directory, ""});
}

}  // namespace stepscope
