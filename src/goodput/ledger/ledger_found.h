// Tells whether events that a repair gave up are in the ledger again, since they were imported or
// sent once more.
//
// Events of a recorder are known by their numbers. Others are known only together: an import brings
// them back when what it stores has as many of that time, and the digest of their contents.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/accounting/duplicates.h"
#include "goodput/ledger/ledger_logs.h"
#include "goodput/recorder/manifest.h"

namespace stepscope::goodput {

// What a whole segment has.
Contents ContentsOf(std::string_view bytes);

// The numbers of a job that are rolled up.
using RolledUpNumbers = std::function<Duplicates(const std::string& job)>;

// Of those given up, the names of segments of which all numbered events are there, whatever segment
// of `folder` has them now. Reads their jobs.
std::set<std::string> FoundAgain(std::span<const ManifestEntry> given_up, const std::string& folder,
                                 const JobLogs& logs, const RolledUpNumbers& rolled_up_of);

// What an import of one job brings back.
class Returning {
 public:
  Returning() = default;
  // `given_up`: of the job.
  explicit Returning(const std::vector<ManifestEntry>& given_up);

  // An event that the ledger did not have.
  void Take(const Event& event);

  // The names of segments whose events are all back.
  std::vector<std::string> Found() const;

 private:
  std::vector<ManifestEntry> lost_;  // with digests
  int64_t missing_ = 0, returned_ = 0;
  uint32_t digest_ = 0;  // of what is missing less what has returned
};

}  // namespace stepscope::goodput
