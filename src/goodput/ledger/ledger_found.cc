// Compares numbers, and sums of hashes, which do not depend on the order of events.
#include "goodput/ledger/ledger_found.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/byte_source.h"
#include "goodput/recorder/segment_numbers.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostSequence = int64_t{1} << 40;

bool IsNumbered(const ManifestEntry& lost) { return lost.contents.until != 0; }

uint32_t DigestOf(const Event& event) { return static_cast<uint32_t>(ContentHash(event) >> 32); }

// The numbers that the job has, by writer.
NumbersByWriter NumbersOf(const std::vector<Log>& logs, const std::string& folder) {
  NumbersByWriter all;
  for (const Log& log : logs) {
    for (const LogFile& file : log) {
      const auto found = NumbersIn(folder + "/" + file.name, kMostSequence);
      if (!found) continue;  // what cannot be read now is not found
      for (const auto& [writer, numbers] : found->by_writer) {
        for (const auto& [from, until] : numbers.ranges()) all[writer].InsertRange(from, until);
      }
    }
  }
  return all;
}

bool HasAll(const Contents& lost, const NumbersByWriter& raw, Duplicates& rolled_up) {
  const auto numbers = raw.find(lost.writer);
  if (lost.until == Contents::kNoGap) return numbers != raw.end() && numbers->second.Missing() == 0;
  Event event{.writer = lost.writer};
  for (int64_t k = lost.from; k < lost.until; ++k) {
    if (numbers != raw.end() && numbers->second.Contains(k)) continue;
    event.sequence = k;
    if (!rolled_up.Seen(event)) return false;
  }
  return true;
}

}  // namespace

Contents ContentsOf(std::string_view bytes) {
  Contents contents;
  auto reader = SegmentReader::Open(
      [bytes](char* out, size_t size, uint64_t offset) -> Result<size_t> {
        return bytes.copy(out, size, std::min<uint64_t>(offset, bytes.size()));
      },
      "");
  if (!reader) return contents;
  bool one_writer = true;
  Notes ignored;
  contents.writer = reader->header().writer;
  reader->Finish(ignored, [&](const Event& event) {
    contents.digest += DigestOf(event);
    one_writer = one_writer && !IsOfLog(event) && event.writer == contents.writer;
    contents.from = contents.until == 0 ? event.sequence : std::min(contents.from, event.sequence);
    contents.until = std::max(contents.until, event.sequence + 1);
  });
  if (!one_writer) contents = {.digest = contents.digest};
  return contents;
}

std::set<std::string> FoundAgain(std::span<const ManifestEntry> given_up, const std::string& folder,
                                 const JobLogs& logs, const RolledUpNumbers& rolled_up_of) {
  std::map<std::string, std::vector<const ManifestEntry*>> jobs;
  for (const ManifestEntry& lost : given_up) {
    if (IsNumbered(lost)) jobs[lost.job].push_back(&lost);
  }
  std::set<std::string> names;
  for (const auto& [job, entries] : jobs) {
    const auto of_job = logs.find(job);
    const NumbersByWriter raw =
        of_job == logs.end() ? NumbersByWriter() : NumbersOf(of_job->second, folder);
    Duplicates rolled_up = rolled_up_of(job);
    for (const ManifestEntry* lost : entries) {
      if (HasAll(lost->contents, raw, rolled_up)) names.insert(lost->name);
    }
  }
  return names;
}

Returning::Returning(const std::vector<ManifestEntry>& given_up) {
  for (const ManifestEntry& lost : given_up) {
    if (IsNumbered(lost) || lost.contents.digest == 0 || lost.events <= 0) continue;
    lost_.push_back(lost);
    missing_ += lost.events;
    digest_ += lost.contents.digest;
  }
}

void Returning::Take(const Event& event) {
  const int64_t time = TimeOf(event);
  const bool of_these = std::ranges::any_of(lost_, [&](const ManifestEntry& lost) {
    return lost.first == kUnknown || (time >= lost.first && time <= lost.last);
  });
  if (!of_these) return;
  ++returned_;
  digest_ -= DigestOf(event);
}

std::vector<std::string> Returning::Found() const {
  std::vector<std::string> names;
  if (lost_.empty() || returned_ != missing_ || digest_ != 0) return names;
  for (const ManifestEntry& lost : lost_) names.push_back(lost.name);
  return names;
}

}  // namespace stepscope::goodput
