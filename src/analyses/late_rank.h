// Finds why a rank is later than the others: what it spends more time on.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "analyses/late_start.h"
#include "facts/derived/lateness/excess_work.h"
#include "facts/derived/lateness/lateness.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/lateness/work_rises.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

struct ConcurrentThread;

enum class LateReason : uint8_t {
  kCompute,
  kMoreCompute,
  kLargerInputs,  // of operators; known where the host computes
  kHost,
  kInput,
  kCopies,
  kLink,
  kEvaluation,  // between its steps
  kBefore,      // it is late already when its first step begins
  kUnknown
};

struct LateRank {
  uint32_t rank = 0;  // index into CollectiveFacts::ranks
  int64_t lost = 0;   // ns that each other rank loses
  std::optional<int64_t> since;
  RankEffort beyond;  // time beyond the median of the other ranks
  LateReason reason = LateReason::kUnknown;
  std::optional<ExcessWork> excess;  // behind longer compute
  // The reason is in the steps before those in which it is late, after their last collective.
  bool in_step_before = false;
  const SlowRank* slow = nullptr;  // all that it runs takes longer
  const WorkRise* work = nullptr;  // what it has more of than ranks that are not late
  std::optional<LateStart> start;  // with kBefore
  int64_t evaluates = 0;           // with kEvaluation: ns more than the median of the other ranks
  // Behind what it spends more than another rank in the same steps: with kHost between operators,
  // with kCompute within those of `excess`, as a host callback does; with kMoreCompute around them;
  // with kEvaluation, what runs it.
  std::optional<FrameTimes::Leader> function;
  // Another Python thread that it runs since then, where nothing of the above is more work.
  const ConcurrentThread* thread = nullptr;
};

// Whether the rank is in a group with a member that was not recorded: what it waits for that one
// looks like a transfer, and makes it late elsewhere.
bool MayWaitForAbsent(const Facts& facts, uint32_t rank);

// What the rank spends most on beyond the others, if that explains what they lose. `kernels`: its
// own, all. `delay`: ns that each other rank waited for it; what compute hides of that is not lost,
// and need not be explained. Where hosts communicate, a link is a reason only of ranks that are
// known to be on several machines: on one, what takes longer is the thread that communicates.
LateReason FindLateReason(const Facts& facts, const LateRank& late, int64_t kernels, int64_t delay);

// Since when the rank spends more on it in its steps; null where they do not tell.
const StepChange* RiseOf(LateReason reason, const Facts& facts, const RankCollectives& rank);

// Why a rank that has more of it is late.
LateReason ReasonOf(const Facts& facts, const WorkRise& rise);

// Where the rank has more work than others (work_rises.h), that is the reason, whatever noise adds.
void TakeWork(const Facts& facts, LateRank& late);

// A rank whose steps do not tell why it is late may evaluate between them, where others do not.
void AddEvaluation(const Facts& facts, LateRank& late);

// A rank whose steps do not tell why it is late may begin the first of them late.
void AddLateStart(const Facts& facts, LateRank& late);

// Names the operator behind longer compute, which tells more work from slower work.
// `steps`: in these, null: in all.
void AddExcess(const Facts& facts, LateRank& late, const std::set<int64_t>* steps = nullptr);

// Names the Python function behind longer time between operators of a host, within the operator
// behind longer compute, or around one with more calls. `steps`: in these, null: in all.
void AddFunction(const Facts& facts, LateRank& late, const std::set<int64_t>* steps = nullptr);

// Names the thread behind longer operators, or time between them, since a step.
void AddThread(const Facts& facts, LateRank& late);

CauseKind CauseOf(LateReason reason);
inline bool IsCompute(LateReason reason) { return CauseOf(reason) == CauseKind::kCompute; }

}  // namespace stepscope
