// Asks which rank stopped a job, and where, of what its processes left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/phrase.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/sign_of_life.h"
#include "stepscope/storage.h"

namespace stepscope {

struct HangOptions {
  int threads = 0;         // to read dumps with; 0: one per processor
  int64_t world_size = 0;  // processes of the job; 0: as dumps say
  // What goodput events tell of processes (GoodputSigns()): who was silent before the others.
  std::vector<SignOfLife> signs;
  StorageRef storage = nullptr;  // of dumps, as in OpenOptions
  std::stop_token stop;          // gives up soon after it is asked to
};

// `paths`: dumps of PyTorch's Flight Recorder, stacks and statuses of NCCL's RAS service, or
// directories of them, one per rank (docs/formats/flight-recorder.md, stacks.md, nccl-ras.md). The
// answer holds one report, "hang", with the tables "roots" and "waits". A file that cannot be read
// becomes a note. Fails where there is none of these, and when stopped.
Result<ReportSet> FindHang(std::span<const std::string> paths, const HangOptions& options = {});

// What a path leads to, by the first bytes of at most 64 files in it and 64 in each of its first
// directories: nothing that FindHang() reads; that beside other files; or that alone. Of a stored
// path kNone.
enum class HoldsHang : uint8_t { kNone, kBesideOthers, kAlone };
HoldsHang HangAt(const std::string& path);

// A hang as the cause of a disruption.
struct HangCause {
  int64_t time = 0;  // of the last operation that any rank enqueued, ns since 1970
  Phrase text;       // "hang: rank 9 at all_reduce 15118 of dp (2): host_not_arrived"
  Phrase reason;     // "hang: host_not_arrived", without ranks
};

// Of an answer of FindHang(). None where no root is certain, or no operation has a time.
std::optional<HangCause> HangCauseOf(const ReportSet& hang);

// The same as text, to keep with the job's events (WatchedLog). Empty where there is no cause, or
// it is longer than these take.
std::string HangRecordOf(const ReportSet& hang);

// Of a text that was kept. None where it is no record of a hang.
std::optional<HangCause> HangCauseOfRecord(int64_t time, std::string_view record);

}  // namespace stepscope
