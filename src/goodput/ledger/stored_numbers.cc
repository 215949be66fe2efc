// Reads the numbers of segments one after the other.
#include "goodput/ledger/stored_numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::goodput {
namespace {

class Gathered {
 public:
  Gathered(const Ledger& ledger, WritersAre writers) : ledger_(ledger), writers_(writers) {}

  Result<void> AddRollup(const std::string& job) {
    const auto rollup = ledger_.RollupOf(job);
    if (!rollup) return std::unexpected(rollup.error());
    if (!*rollup) return {};
    const Duplicates in_rollup = NumbersOf(**rollup);
    for (const auto& [writer, seen] : in_rollup.writers()) Add(job, writer, seen);
    return {};
  }

  Result<void> AddSegment(const std::string& job, const std::string& name) {
    auto source = ledger_.OpenBytes(name);
    if (!source) return std::unexpected(source.error());
    const auto found = NumbersIn(*source, kSequencesEnd);
    if (!found) return std::unexpected(found.error());
    for (const auto& [writer, seen] : found->by_writer) Add(job, writer, seen);
    return {};
  }

  NumbersByWriter numbers;

 private:
  void Add(const std::string& job, const std::string& writer, const Sequences& seen) {
    Sequences& all = numbers[WriterKey(writers_, job, writer)];
    for (const auto& [first, end] : seen.ranges()) all.InsertRange(first, end);
  }

  const Ledger& ledger_;
  WritersAre writers_;
};

}  // namespace

// A team's name has no slash.
std::string WriterKey(WritersAre writers, std::string_view job, const std::string& writer) {
  if (writers == WritersAre::kOfAll) return writer;
  const size_t slash = job.find('/');
  return fmt::format("{}/{}", slash == job.npos ? "" : job.substr(0, slash), writer);
}

Result<NumbersByWriter> NumbersBut(const std::set<std::string>& segments, const Ledger& ledger,
                                   WritersAre writers) {
  Gathered gathered(ledger, writers);
  for (const std::string& job : ledger.JobNames()) {
    if (auto added = gathered.AddRollup(job); !added) return std::unexpected(added.error());
    for (const Log& log : ledger.LogsOf(job)) {
      for (const LogFile& file : log) {
        if (segments.contains(file.name)) continue;
        if (auto added = gathered.AddSegment(job, file.name); !added)
          return std::unexpected(added.error());
      }
    }
  }
  if (auto read = ledger.ReadStatus(); !read) return std::unexpected(read.error());
  return std::move(gathered.numbers);
}

bool IsKnown(const SegmentNumbers& segment, const NumbersByWriter& known, WritersAre writers) {
  if (!segment.header || segment.by_writer.empty()) return false;
  return std::ranges::all_of(segment.by_writer, [&](const auto& of) {
    const auto found = known.find(WriterKey(writers, segment.header->job, of.first));
    return found != known.end() && std::ranges::all_of(of.second.ranges(), [&](const auto& range) {
             return found->second.MissingIn(range.first, range.second) == 0;
           });
  });
}

}  // namespace stepscope::goodput
