// Writes the sentences about what a rank computes more of.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "analyses/advice.h"
#include "facts/derived/python/step_function.h"
#include "facts/facts.h"
#include "report/kernel_name.h"
#include "stepscope/phrase.h"
#include "trace/frame_name.h"

namespace stepscope {

struct ExcessWork;

// Why an operator takes longer.
enum class ExcessKind : uint8_t { kCalls, kSize, kTime };
// More calls of it per step by a twentieth, or more operators within it by a fifth; else inputs
// that are larger by a fifth; else neither.
ExcessKind KindOf(const ExcessWork& excess);

// Whether the same calls take longer while their inputs are of another type.
bool IsOfOtherType(const std::optional<ExcessWork>& excess);
// "double instead of float".
Phrase SayTypes(const ExcessWork& excess);
// What to do about that.
Phrase ConvertInputs(const ExcessWork& excess);

// Of what a rank computes longer on larger inputs than others get, in all steps: the share that is
// saved where all ranks get as much. The others take over the rest.
inline double ShareOfBalancing(size_t ranks) { return 1 - 1 / static_cast<double>(ranks); }
// Whether that is what the rank, whole, computes longer by.
bool GetsLargerInputs(const Facts& facts, int64_t rank);

// Whether the sizes of its inputs were not recorded: calls that take longer may have larger ones.
bool SizeIsUnknown(const ExcessWork& excess);
inline constexpr Advice kRecordSizes{
    "record with record_shapes=True: its inputs may be larger",
    "look at the shapes of its inputs: they may be larger",
    "look at the shapes of its inputs: they may be larger",
    "stepscope capture torch --shapes records sizes: its inputs may be larger"};

// Whether nearly all calls of the function begin within calls of the operator, as those of a host
// callback or of a hook do.
bool RunsIn(const Facts& facts, const RankActivity& rank, const FrameName& function, StringId op);

// Whether calls of the function hold half or more of the operator's time within these windows.
bool Calls(const Facts& facts, const RankWindows& windows, const FrameName& function, StringId op);

// "aten::sort", or "aten::sort, called by Probe.take (probe.py:7)" where a function is known.
Phrase SayCalled(const Facts& facts, StringId op, const std::optional<FrameTimes::Leader>& caller);

// Whether the rank calls the operator more often than each other rank in every step that all have.
bool RunsMoreInEachStep(const Facts& facts, int64_t rank, StringId op);

// Whether the operator takes longer than the median of the others' in most of the steps that count,
// by a quarter or more of what it takes longer on average: else a few calls were interrupted, as
// those of any operator may be. True where steps do not tell. Those of `steps` count, null: all,
// that are not before `since`.
bool IsUsual(const Facts& facts, int64_t rank, const ExcessWork& excess,
             const std::set<int64_t>* steps, std::optional<int64_t> since);

// "; most of it in aten::layer_norm in Net_0 (200 more calls per step)".
Phrase SayExcess(const Facts& facts, const ExcessWork& excess);

// "; aten::sort alone takes 42.9 ms more per step (1 more call per step), and others less": where
// that is more than the rank computes longer in all.
Phrase SayExcessAlone(const Facts& facts, const ExcessWork& excess);

}  // namespace stepscope
