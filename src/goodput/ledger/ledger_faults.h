// Compares a directory of segments with its manifests: which must exist, how long and which they
// are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/notes.h"
#include "goodput/recorder/manifest.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

enum class FaultKind : uint8_t {
  kMissing,     // a segment that the manifest lists
  kUnreadable,  // the header of one that it lists
  kCut,         // shorter than its mark or the manifest says
  kOther,       // has another segment's bytes than the manifest says
  kDamaged,     // records in it, which only reading it shows
  kNoRollup,    // its events were rolled up, and the rollup is gone
  kManifest,    // a manifest itself: what it listed is not known
  kNoManifest,  // the ledger's own is missing or an earlier one, as its database remembers
  kGap,         // events whose numbers their writer has given: no file is known for them
  kCount
};

struct SegmentFault {
  FaultKind kind = FaultKind::kMissing;
  std::string file;                           // relative to the ledger; of kGap: the writer
  std::string job;                            // empty: unknown, or one of several
  int64_t events = -1;                        // that are lost; -1: unknown
  int64_t first = kUnknown, last = kUnknown;  // they are between these times
  std::optional<ManifestEntry> listed;        // what the manifest says of the file
  std::vector<std::string> files;             // of kNoRollup: the segments that it replaced
  Contents lost;                              // of a segment: which events it had, as far as known
  bool open = false;                          // it had no end: more may be lost than is known
  bool back = false;                          // all that is known of it is there again: a repair
                                              // settles the fault
};

std::string_view FaultName(FaultKind kind);  // "missing_segment"
std::string_view FaultText(FaultKind kind);  // what happened

// Whether the fault is of a manifest, and not of a segment or a job.
inline bool IsOfManifest(FaultKind kind) {
  return kind == FaultKind::kManifest || kind == FaultKind::kNoManifest;
}

// All manifests of a directory as one.
struct FolderManifest {
  std::map<std::string, ManifestEntry> listed;  // by path: segments that must exist
  std::map<std::string, ManifestEntry> gone;    // by path: segments that may be missing, and why
  std::vector<ManifestEntry> lost;              // what repairs gave up, of jobs not deleted since
  std::map<std::string, int64_t> found;         // by path: lost events that an import brought back
  std::vector<std::string> damaged;             // paths of manifests
};

// The name of the manifest that the ledger's commands replace.
inline constexpr std::string_view kLedgerManifest = "ledger.manifest";

// Reads manifests: paths relative to `folder`. Fails if the system cannot read one of them.
Result<FolderManifest> ReadManifests(const std::string& folder, std::vector<std::string> paths);

// Reads the one at `path`, as there; its entries are named relative to `folder`, too. One that is
// gone has none.
Result<DecodedManifest> ReadManifest(const std::string& folder, const std::string& path);

// The fault that is known without reading all of the segment, if any. `size`: of the file. Fails if
// the system cannot read the segment.
Result<std::optional<SegmentFault>> FaultOf(const std::string& folder, const std::string& name,
                                            uint64_t size, const SegmentReader& reader,
                                            const ManifestEntry* listed);

// What reading events shows to be lost besides.
struct FoundLost {
  int64_t lost = 0;                     // in segments that have less than their marks say
  bool exact = true;                    // not more than that
  std::map<std::string, int64_t> gaps;  // in a writer's numbers that nothing else explains
  bool shared = false;                  // some of these writers wrote to other jobs too

  int64_t Missing() const;  // the sum of the gaps
  FoundLost& operator+=(const FoundLost& other);
  friend bool operator==(const FoundLost&, const FoundLost&) = default;
};

// Sentences that lead an answer, and a space: what is lost. `given_up`: what repairs gave up. Empty
// if there is none of these. Of one job, or of all.
Phrase LeadOf(std::span<const SegmentFault> faults, std::span<const ManifestEntry> given_up,
              const FoundLost& found, const std::string* job);

// "3 events", "at least 3 events", or that their number is unknown.
Phrase CountOfLost(int64_t events, bool exact);

// One note for each fault, of one job or of all.
std::vector<Note> NotesOfFaults(std::span<const SegmentFault> faults, const std::string& folder,
                                const std::string* job);

}  // namespace stepscope::goodput
