// Counts the sequences of kernels that each operator launches itself, with their delays.
#include "analyses/operator_kernels_sequences.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyses/build.h"
#include "analyses/sequence_text.h"
#include "base/saturate.h"
#include "base/sort_runs.h"
#include "base/stop.h"

namespace stepscope::operator_kernels {
namespace {

struct SequenceKey {
  int64_t rank = 0;
  StringId op = 0;
  std::vector<StringId> kernels;
  bool operator==(const SequenceKey&) const = default;
};
struct HashOfSequenceKey {
  size_t operator()(const SequenceKey& key) const {
    return HashOfNames(key.op, key.kernels) + static_cast<uint64_t>(key.rank);
  }
};

struct SequenceSum {
  int64_t count = 0, gpu_time = 0, op_delay = 0, launch_delay = 0;

  int64_t Mean(int64_t sum) const { return sum / count; }
};
using SequenceSums = std::unordered_map<SequenceKey, SequenceSum, HashOfSequenceKey>;

// The delays of a sequence are those of its first launch.
void AddDelays(SequenceSum& sum, const RankActivity& rank, const Launched& first) {
  const Activity& activity = rank.activities[first.activity];
  const int64_t begin = rank.host->ranges[static_cast<size_t>(first.root)].start;
  const int64_t delay = SubtractSaturated(activity.start, activity.launched);
  sum.op_delay = AddSaturated(sum.op_delay, SubtractSaturated(activity.launched, begin));
  sum.launch_delay = AddSaturated(sum.launch_delay, std::max<int64_t>(delay, 0));
}

void AddSequences(const RankActivity& rank, std::vector<Launched>& launches, SequenceSums& sums) {
  SortRuns(launches, {}, [&](const Launched& l) {
    return std::pair(l.root, rank.activities[l.activity].launched);
  });
  StopChecks checks;
  for (size_t i = 0; i < launches.size();) {
    checks.Turn();
    LaunchedSequence sequence = NextSequence(rank, launches, i);
    const StringId op = rank.host->ranges[static_cast<size_t>(sequence.first.root)].name;
    SequenceSum& sum = sums[{rank.rank, op, std::move(sequence.kernels)}];
    ++sum.count;
    sum.gpu_time = AddSaturated(sum.gpu_time, sequence.gpu_time);
    AddDelays(sum, rank, sequence.first);
  }
}

}  // namespace

Table SequencesTable(const Facts& facts, std::vector<std::vector<Launched>> launches) {
  SequenceSums sums;
  for (size_t r = 0; r < launches.size(); ++r) AddSequences(facts.ranks[r], launches[r], sums);
  Table table{.key = "sequences",
              .title = "Kernel sequences per operator",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("operator", "operator"),
                          KeyColumn("sequence", "sequence"), CountColumn("length", "kernels"),
                          CountColumn("count", "count"), TimeColumn("gpu_time", "device time"),
                          TimeColumn("op_delay", "op delay"),
                          TimeColumn("launch_delay", "launch to start")},
              .text_rows = 0};
  for (const auto& [key, sum] : sums) {
    table.rows.push_back({key.rank, std::string((*facts.names)[key.op]),
                          SayKernels(facts, key.kernels), std::ssize(key.kernels), sum.count,
                          sum.gpu_time, sum.Mean(sum.op_delay), sum.Mean(sum.launch_delay)});
  }
  const ColumnOf rank(table, "rank"), op(table, "operator"), sequence(table, "sequence"),
      count(table, "count"), time(table, "gpu_time");
  std::ranges::sort(table.rows, [&](const auto& a, const auto& b) {
    return std::tie(rank(a), count(b), time(b), op(a), sequence(a)) <
           std::tie(rank(b), count(a), time(a), op(b), sequence(b));
  });
  return table;
}

}  // namespace stepscope::operator_kernels
