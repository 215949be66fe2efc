// Counts kernel sequences by operator, and marks the most frequent.
#include "export/patterns.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "facts/activity/launched_by.h"
#include "facts/activity/names_containing.h"

namespace stepscope {
namespace {

using Sequence = std::vector<StringId>;  // the operator, then its kernels

struct Occurrences {
  std::vector<int32_t> roots;
  uint32_t pattern = kNoPattern;
};
using Occurring = std::map<Sequence, Occurrences>;

Occurring FindSequences(const RankActivity& rank, const RangeLinks& roots, int64_t min_length) {
  Occurring found;
  const auto launched = LaunchedBy(rank, roots);
  for (size_t i = 0; i < launched.size();) {
    const auto [first, kernels, gpu_time] = NextSequence(rank, launched, i);
    if (std::ssize(kernels) < min_length) continue;
    Sequence sequence = {rank.host->ranges[static_cast<size_t>(first.root)].name};
    sequence.insert(sequence.end(), kernels.begin(), kernels.end());
    found[std::move(sequence)].roots.push_back(first.root);
  }
  return found;
}

std::string TextOf(const Sequence& sequence, const StringTable& names) {
  std::string text;
  for (const StringId name : sequence) {
    if (!text.empty()) text += '|';
    text += names[name];
  }
  return text;
}

// Gives the `top` most frequent a number and a text.
void ChooseMostFrequent(Occurring& found, const StringTable& names, int64_t top,
                        EventMarks& marks) {
  struct Frequent {
    int64_t count;
    std::string text;
    Occurrences* occurrences;
  };
  std::vector<Frequent> all;
  for (auto& [sequence, occurrences] : found)
    all.push_back({std::ssize(occurrences.roots), TextOf(sequence, names), &occurrences});
  std::ranges::sort(all, [](const Frequent& a, const Frequent& b) {
    return a.count != b.count ? a.count > b.count : a.text < b.text;
  });
  for (size_t i = 0; i < all.size() && std::cmp_less(i, top); ++i) {
    all[i].occurrences->pattern = static_cast<uint32_t>(marks.patterns.size());
    std::string text;
    AppendJsonString(text, all[i].text);
    marks.patterns.push_back(text + ": " + std::to_string(all[i].count));
  }
}

// Marks what is in roots that have a pattern, and what it launched.
void MarkMembers(const RankActivity& rank, const RangeLinks& roots,
                 const std::vector<uint32_t>& pattern_of, EventMarks& marks) {
  const auto mark = [&](const auto& item, int32_t range) {
    const int32_t root = range == kNoRange ? kNoRange : roots[static_cast<size_t>(range)];
    const uint32_t pattern = root == kNoRange ? kNoPattern : pattern_of[static_cast<size_t>(root)];
    if (pattern != kNoPattern) marks.Of(item.start, item.end, item.name).pattern = pattern;
  };
  for (size_t r = 0; r < rank.host->ranges.size(); ++r)
    mark(rank.host->ranges[r], static_cast<int32_t>(r));
  for (const Call& call : rank.host->calls) mark(call, call.range);
  for (const Activity& activity : rank.activities) {
    if (const auto call = rank.CallOf(activity)) mark(activity, call->range);
  }
}

}  // namespace

int64_t MarkPatterns(const RankActivity& rank, const StringTable& names,
                     const PatternChoice& choice, EventMarks& marks) {
  NamesContaining wanted(names, choice.operator_name);
  const auto is_wanted = [&](const HostRange& range) { return wanted(range.name); };
  const RangeLinks roots = FindOutermost(*rank.host, is_wanted);
  Occurring found = FindSequences(rank, roots, choice.min_length);
  const size_t before = marks.patterns.size();
  ChooseMostFrequent(found, names, choice.top, marks);
  std::vector<uint32_t> pattern_of(rank.host->ranges.size(), kNoPattern);  // by root
  for (const auto& [sequence, occurrences] : found) {
    for (const int32_t root : occurrences.roots)
      pattern_of[static_cast<size_t>(root)] = occurrences.pattern;
  }
  MarkMembers(rank, roots, pattern_of, marks);
  return static_cast<int64_t>(marks.patterns.size() - before);
}

}  // namespace stepscope
