// Collects functions and annotations of the thread that computes.
#include "facts/derived/python/checkpoint_saves.h"

#include <algorithm>
#include <unordered_map>

#include "base/intervals.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/step_categories.h"
#include "trace/checkpoint_names.h"

namespace stepscope {
namespace {

// Asks once per name.
class Saving {
 public:
  explicit Saving(const StringTable& names) : names_(names) {}

  bool Function(StringId name) {
    return Known(functions_, name, [&] { return SavesCheckpoint(ParseFrameName(names_[name])); });
  }
  bool Annotation(StringId name) {
    return Known(annotations_, name, [&] { return SavesCheckpoint(names_[name]); });
  }

 private:
  template <class Ask>
  static bool Known(std::unordered_map<StringId, bool>& known, StringId name, const Ask& ask) {
    const auto [at, is_new] = known.try_emplace(name, false);
    if (is_new) at->second = ask();
    return at->second;
  }

  const StringTable& names_;
  std::unordered_map<StringId, bool> functions_, annotations_;
};

int64_t TimeOf(const RankSteps& own, const StringTable& names, Saving& saving) {
  const HostOps& host = *own.rank->host;
  std::vector<Interval> saves;
  if (const auto thread = TrainingThread(names, *own.rank)) {
    for (const HostFrame& frame : host.frames[*thread]) {
      if (saving.Function(frame.name)) saves.push_back({frame.start, frame.end});
    }
  }
  if (const auto thread = ComputingThread(names, *own.rank)) {
    for (const HostRange& range : host.ranges) {
      if (range.thread == *thread && range.kind == Kind::kAnnotation &&
          saving.Annotation(range.name))
        saves.push_back({range.start, range.end});
    }
  }
  return LengthOf(Intersection(UnionOf(std::move(saves)), UnionOf(WindowsOf(own))));
}

std::vector<RankSaves> MeasureSaves(const Facts& facts) {
  std::vector<RankSaves> all;
  Saving saving(*facts.names);
  for (const RankSteps& own : RankStepsOf(facts)) {
    all.push_back({.rank = own.rank->rank,
                   .steps = std::max<int64_t>(std::ssize(own.steps), 1),
                   .time = TimeOf(own, *facts.names, saving)});
  }
  return all;
}

}  // namespace

const std::vector<RankSaves>& CheckpointSavesOf(const Facts& facts) {
  return facts.memo.Of<MeasureSaves>(facts);
}

int64_t SavesBeyondOthers(const Facts& facts, int64_t rank) {
  std::vector<double> others;
  double own = 0;
  for (const RankSaves& saves : CheckpointSavesOf(facts)) {
    if (saves.rank == rank)
      own = std::max(own, saves.PerStep());
    else
      others.push_back(saves.PerStep());
  }
  if (!others.empty()) own -= Median(std::move(others));
  return std::max<int64_t>(ToInt64(own), 0);
}

}  // namespace stepscope
