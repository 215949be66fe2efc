// Compares with what the names of functions and annotations tell.
#include "analyses/saves.h"

#include <algorithm>

#include "analyses/advice.h"
#include "facts/derived/python/checkpoint_saves.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr double kMost = 0.5;

constexpr Advice kSaveLessOften{
    "save checkpoints less often, in the background (torch.distributed.checkpoint.async_save), or "
    "a share of each on every rank",
    "save checkpoints less often, or in the background",
    "save checkpoints less often, in the background (orbax.checkpoint.AsyncCheckpointer), or a "
    "share of each on every rank"};

}  // namespace

bool SavesExplain(const Facts& facts, int64_t rank, double more) {
  const auto saves = static_cast<double>(SavesBeyondOthers(facts, rank));
  return saves > 0 && saves >= kMost * more;
}

bool AreMostlySaves(const Facts& facts, std::span<const RankSteps> ranks, int64_t time) {
  double saves = 0;
  for (const RankSaves& of : CheckpointSavesOf(facts)) {
    const bool counts =
        std::ranges::any_of(ranks, [&](const RankSteps& own) { return own.rank->rank == of.rank; });
    if (counts) saves += static_cast<double>(of.time);
  }
  return saves > 0 && saves >= kMost * static_cast<double>(time);
}

Phrase SaveLessOften(const Facts& facts) { return Say(kSaveLessOften, facts); }

Phrase SaySavesBehind(const Facts& facts, int64_t rank, int64_t more) {
  if (!SavesExplain(facts, rank, static_cast<double>(more))) return {};
  return Say("; saving checkpoints takes {time} per step",
             HumanTime(static_cast<double>(SavesBeyondOthers(facts, rank))));
}

}  // namespace stepscope
