// Finds repeats with a suffix array: sorted suffixes bring equal stretches together, and common
// prefixes give their lengths.
#include "analyses/repeats.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <ranges>
#include <set>
#include <tuple>

namespace stepscope {
namespace {

constexpr size_t kCandidates = 128;  // looked at closely

// Gives each suffix its rank by where `order` first has one that begins alike. `differ(a, b)` tells
// whether two neighbors do not.
template <class Differ>
size_t RankBy(const std::vector<uint32_t>& order, std::vector<uint32_t>& rank,
              const Differ& differ) {
  size_t ranks = 0;
  uint32_t first = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || differ(order[i - 1], order[i])) {
      first = static_cast<uint32_t>(i);
      ++ranks;
    }
    rank[order[i]] = first;
  }
  return ranks;
}

// The starts of all suffixes in their order, by doubling the length they are sorted by. Those that
// are sorted by their first half are put in order by their second one (Manber and Myers, 1990).
std::vector<uint32_t> SortSuffixes(std::span<const uint32_t> sequence) {
  const size_t n = sequence.size();
  std::vector<uint32_t> order(n), rank(n), next(n), by_second(n), places(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](uint32_t at) { return sequence[at]; });
  size_t ranks =
      RankBy(order, rank, [&](uint32_t a, uint32_t b) { return sequence[a] != sequence[b]; });
  for (size_t length = 1; ranks < n; length *= 2) {
    // Those without a second half come first.
    auto put =
        std::ranges::copy(std::views::iota(n - std::min(length, n), n), by_second.begin()).out;
    for (const uint32_t at : order) {
      if (at >= length) *put++ = at - static_cast<uint32_t>(length);
    }
    std::iota(places.begin(), places.end(), 0u);
    for (const uint32_t at : by_second) order[places[rank[at]]++] = at;
    const auto second = [&](uint32_t at) {
      return at + length < n ? int64_t{rank[at + length]} : int64_t{-1};
    };
    ranks = RankBy(order, next, [&](uint32_t a, uint32_t b) {
      return rank[a] != rank[b] || second(a) != second(b);
    });
    rank.swap(next);
  }
  return order;
}

// How long the prefix is that each suffix, in their order, shares with the one before it (Kasai et
// al., 2001).
std::vector<uint32_t> CommonPrefixes(std::span<const uint32_t> sequence,
                                     const std::vector<uint32_t>& order) {
  const size_t n = sequence.size();
  std::vector<uint32_t> place(n), common(n);
  for (size_t i = 0; i < n; ++i) place[order[i]] = static_cast<uint32_t>(i);
  uint32_t length = 0;
  for (size_t at = 0; at < n; ++at) {
    if (place[at] == 0) {
      length = 0;
      continue;
    }
    const size_t other = order[place[at] - 1];
    while (at + length < n && other + length < n &&
           sequence[at + length] == sequence[other + length]) {
      ++length;
    }
    common[place[at]] = length;
    if (length > 0) --length;
  }
  return common;
}

// For each prefix of `text`, by its length, the longest shorter prefix that it also ends with
// (Knuth, Morris and Pratt).
std::vector<size_t> Borders(std::span<const uint32_t> text) {
  std::vector<size_t> border(text.size() + 1, 0);
  for (size_t i = 1, b = 0; i < text.size(); ++i) {
    while (b > 0 && text[i] != text[b]) b = border[b];
    if (text[i] == text[b]) ++b;
    border[i + 1] = b;
  }
  return border;
}

// The length of the shortest stretch that `text` is a whole number of repetitions of.
size_t PrimitiveLength(std::span<const uint32_t> text) {
  const size_t period = text.size() - Borders(text)[text.size()];
  return text.size() % period == 0 ? period : text.size();
}

// A stretch that some range of sorted suffixes begins with.
struct Candidate {
  size_t saves = 0;  // at most
  size_t at = 0;     // where it occurs
  size_t length = 0;
};

// Every maximal repeat, the best of them: each is a range of suffixes between smaller common
// prefixes.
std::vector<Candidate> FindCandidates(const std::vector<uint32_t>& order,
                                      const std::vector<uint32_t>& common) {
  struct Open {
    uint32_t length;
    size_t first;
  };
  const size_t n = order.size();
  std::vector<Open> open;
  std::vector<Candidate> found;
  for (size_t i = 1; i <= n; ++i) {
    const uint32_t length = i < n ? common[i] : 0;
    size_t first = i - 1;
    while (!open.empty() && open.back().length > length) {
      const Open closed = open.back();
      open.pop_back();
      first = closed.first;
      const size_t times = std::min(i - closed.first, n / closed.length);
      if (closed.length >= 2 && times >= 2) {
        found.push_back({times * (closed.length - 1), order[closed.first], closed.length});
      }
    }
    if (length > 0 && (open.empty() || open.back().length < length))
      open.push_back({length, first});
  }
  const size_t kept = std::min(found.size(), kCandidates);
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept),
                            [](const Candidate& a, const Candidate& b) {
                              return std::tuple(b.saves, a.length, a.at) <
                                     std::tuple(a.saves, b.length, b.at);
                            });
  found.resize(kept);
  return found;
}

// The occurrences of `pattern` that overlap neither one another nor what is taken, from the left.
std::vector<size_t> Occurrences(std::span<const uint32_t> sequence,
                                std::span<const uint32_t> pattern, const std::vector<bool>& taken) {
  const auto border = Borders(pattern);
  std::vector<size_t> starts;
  size_t matched = 0;
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (taken[i]) {
      matched = 0;
      continue;
    }
    while (matched > 0 && sequence[i] != pattern[matched]) matched = border[matched];
    if (sequence[i] == pattern[matched]) ++matched;
    if (matched < pattern.size()) continue;
    starts.push_back(i + 1 - matched);
    matched = 0;
  }
  return starts;
}

}  // namespace

std::vector<Repeat> FindRepeats(std::span<const uint32_t> sequence, size_t most) {
  const auto order = SortSuffixes(sequence);
  std::set<std::vector<uint32_t>> patterns;
  for (const Candidate& c : FindCandidates(order, CommonPrefixes(sequence, order))) {
    const auto text = sequence.subspan(c.at, c.length);
    const auto primitive = text.first(PrimitiveLength(text));
    if (primitive.size() >= 2) patterns.emplace(primitive.begin(), primitive.end());
  }
  // What a pattern saves only shrinks as others are taken, so an old number is an upper bound, and
  // a pattern is the best when its number is new and still on top.
  struct Entry {
    size_t saves;
    const std::vector<uint32_t>* pattern;
    size_t taken_then;  // how many repeats were taken when `saves` was found
    bool operator<(const Entry& other) const {
      return std::tie(saves, *other.pattern) < std::tie(other.saves, *pattern);
    }
  };
  std::priority_queue<Entry> queue;
  for (const auto& pattern : patterns) {
    queue.push({sequence.size(), &pattern, SIZE_MAX});
  }
  std::vector<bool> taken(sequence.size());
  std::vector<Repeat> repeats;
  while (repeats.size() < most && !queue.empty()) {
    const Entry top = queue.top();
    queue.pop();
    Repeat repeat{top.pattern->size(), Occurrences(sequence, *top.pattern, taken)};
    if (repeat.starts.size() < 2) continue;
    if (top.taken_then != repeats.size()) {
      queue.push({repeat.starts.size() * (repeat.length - 1), top.pattern, repeats.size()});
      continue;
    }
    for (const size_t start : repeat.starts) {
      std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(start), repeat.length, true);
    }
    repeats.push_back(std::move(repeat));
  }
  return repeats;
}

}  // namespace stepscope
