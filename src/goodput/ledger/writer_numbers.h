// Which sequence numbers each writer has in a ledger, over all of its jobs: who writes to several
// jobs leaves gaps in each of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "goodput/events/sequences.h"
#include "goodput/ledger/ledger_faults.h"
#include "goodput/recorder/manifest.h"

namespace stepscope::goodput {

struct WriterNumbers {
  Sequences seen;
  std::set<std::string> jobs;
};
using LedgerNumbers = std::map<std::string, WriterNumbers>;  // by writer

// How many of these numbers are not there; at most `events`, unless that is -1. -1: unknown, as
// more may be missing than the writer's gaps show.
int64_t StillMissing(const Contents& lost, int64_t events, const LedgerNumbers& numbers);

// Whether all that is known of an open segment is there, and no gap in its writer's numbers: events
// after the last known one may be missing still.
bool HasKnown(const Contents& open, const LedgerNumbers& numbers);

// By what events of an open segment, of which only this is known, are told to be there again.
Contents KnownWhenBack(const Contents& open, const LedgerNumbers& numbers);

// What gaps are left by writer where these losses are accounted for. `found`: events by job that
// reading has found lost; -1: an unknown number.
std::map<std::string, int64_t> GapsLeft(const LedgerNumbers& numbers,
                                        std::span<const SegmentFault> faults,
                                        std::span<const ManifestEntry> given_up,
                                        const std::map<std::string, int64_t>& found);

}  // namespace stepscope::goodput
