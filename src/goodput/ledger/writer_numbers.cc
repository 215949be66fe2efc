// Counts the numbers that writers have given and a ledger lacks.
#include "goodput/ledger/writer_numbers.h"

#include <algorithm>

namespace stepscope::goodput {
namespace {

constexpr int64_t kAll = -1;

// Losses of a writer or a job; kAll: an unknown number.
class Losses {
 public:
  void Add(const std::string& of, int64_t events) {
    int64_t& sum = sums_[of];
    sum = events < 0 || sum == kAll ? kAll : sum + events;
  }

  // What is left of a gap; what explains it explains no other one.
  int64_t Take(const std::string& of, int64_t gap) {
    const auto sum = sums_.find(of);
    if (sum == sums_.end()) return gap;
    if (sum->second == kAll) return 0;
    const int64_t explained = std::min(gap, sum->second);
    sum->second -= explained;
    return gap - explained;
  }

 private:
  std::map<std::string, int64_t> sums_;
};

}  // namespace

int64_t StillMissing(const Contents& lost, int64_t events, const LedgerNumbers& numbers) {
  const auto found = numbers.find(lost.writer);
  const Sequences none;
  const Sequences& seen = found == numbers.end() ? none : found->second.seen;
  if (lost.until == Contents::kNoGap) {
    const bool back = seen.Contains(lost.from) && seen.Missing() == 0;
    return back ? 0 : std::min(events, std::max<int64_t>(seen.Missing(), 1));
  }
  const int64_t missing = seen.MissingIn(lost.from, lost.until);
  return events < 0 ? missing : std::min(missing, events);
}

bool HasKnown(const Contents& open, const LedgerNumbers& numbers) {
  const auto found = numbers.find(open.writer);
  return found != numbers.end() && open.until > 0 && found->second.seen.Missing() == 0 &&
         found->second.seen.Contains(open.until - 1);
}

// Where the writer has no gap, what is lost came after all that is there.
Contents KnownWhenBack(const Contents& open, const LedgerNumbers& numbers) {
  int64_t last = std::max<int64_t>(open.until - 1, 0);
  const auto found = numbers.find(open.writer);
  if (found != numbers.end() && found->second.seen.Missing() == 0 && !HasKnown(open, numbers)) {
    last = std::max(last, found->second.seen.End());
  }
  return {.writer = open.writer, .from = last, .until = Contents::kNoGap};
}

std::map<std::string, int64_t> GapsLeft(const LedgerNumbers& numbers,
                                        std::span<const SegmentFault> faults,
                                        std::span<const ManifestEntry> given_up,
                                        const std::map<std::string, int64_t>& found) {
  Losses of_writers, of_jobs;
  const auto add = [&](const std::string& writer, const std::string& job, int64_t events) {
    writer.empty() ? of_jobs.Add(job, events) : of_writers.Add(writer, events);
  };
  for (const SegmentFault& fault : faults) {
    if (IsOfManifest(fault.kind) || fault.kind == FaultKind::kOther) continue;
    add(fault.lost.writer, fault.job, fault.events);
  }
  for (const ManifestEntry& entry : given_up) add(entry.contents.writer, entry.job, entry.events);
  for (const auto& [job, events] : found) of_jobs.Add(job, events);
  std::map<std::string, int64_t> left;
  for (const auto& [writer, of] : numbers) {
    int64_t gap = of.seen.Missing();
    if (gap > 0) gap = of_writers.Take(writer, gap);
    for (const std::string& job : of.jobs) {
      if (gap > 0) gap = of_jobs.Take(job, gap);
    }
    if (gap > 0) left[writer] = gap;
  }
  return left;
}

}  // namespace stepscope::goodput
