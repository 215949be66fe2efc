// Tells whether lost events without numbers are in the ledger again, since they were imported once
// more. They are known only together: an import brings them back when what it stores has as many of
// that time, and the digest of their contents. Numbered ones: see writer_numbers.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/ledger/ledger.h"
#include "goodput/recorder/manifest.h"

namespace stepscope::goodput {

// What a whole segment has.
Contents ContentsOf(std::string_view bytes);

// What is lost of the job and known by a digest: what repairs gave up, and of kind kFound what
// segments lack that are still listed. `damaged`: reading the job has shown that some do.
std::vector<ManifestEntry> LostOf(const Ledger& ledger, const std::string& job, bool damaged);

// The digest of what the segment has lost, and all that its manifest says of it. REQUIRES: the
// manifest knows its end.
Contents LostContents(const Ledger& ledger, const SegmentFault& fault);

// What an import of one job brings back.
class Returning {
 public:
  Returning() = default;
  explicit Returning(std::vector<ManifestEntry> lost);

  // An event that the ledger did not have.
  void Take(const Event& event);

  // What the manifest is to say of those of which all events are back.
  std::vector<ManifestEntry> Found() const;

 private:
  // What is missing, less what has returned of its time.
  struct Rest {
    int64_t events = 0;
    uint32_t digest = 0;
    friend bool operator==(const Rest&, const Rest&) = default;
  };

  std::vector<ManifestEntry> lost_;
  std::vector<Rest> rests_;  // of each
  Rest of_all_;
};

}  // namespace stepscope::goodput
