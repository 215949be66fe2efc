// Joins short periods in cells of time, whose length doubles until few enough are left.
#include "goodput/accounting/periods.h"

#include <algorithm>

namespace stepscope::goodput {
namespace {

// Appends the periods of one cell, joined by bucket in order of first occurrence.
void LayOutCell(std::vector<Period>& cell, std::vector<Period>& to) {
  if (cell.empty()) return;
  BucketTimes times{};
  std::vector<Period> firsts;
  for (const Period& period : cell) {
    int64_t& time = times[static_cast<size_t>(period.bucket)];
    if (time == 0) firsts.push_back(period);
    time += period.end - period.start;
  }
  int64_t at = cell.front().start;
  for (Period& period : firsts) {
    period.start = at;
    at += times[static_cast<size_t>(period.bucket)];
    period.end = at;
    AppendPeriod(period, to);
  }
  cell.clear();
}

std::vector<Period> JoinInCells(std::span<const Period> periods, int64_t width) {
  std::vector<Period> joined, cell;
  const int64_t begin = periods.front().start;
  int64_t current = -1;
  for (const Period& period : periods) {
    const int64_t first = (period.start - begin) / width;
    const bool fits = first == (period.end - 1 - begin) / width;
    if (!fits || first != current) LayOutCell(cell, joined);
    current = first;
    if (fits) {
      cell.push_back(period);
    } else {
      AppendPeriod(period, joined);
    }
  }
  LayOutCell(cell, joined);
  return joined;
}

}  // namespace

void AppendPeriod(const Period& period, std::vector<Period>& to) {
  const bool goes_on =
      !to.empty() && to.back().bucket == period.bucket && to.back().attempt == period.attempt;
  if (goes_on) {
    to.back().end = period.end;
  } else {
    to.push_back(period);
  }
}

JoinedPeriods JoinShortPeriods(std::span<const Period> periods, size_t most) {
  if (periods.size() <= most) return {{periods.begin(), periods.end()}, 0};
  const int64_t total = periods.back().end - periods.front().start;
  // A cell that spans everything leaves one period per bucket.
  for (int64_t width = total / static_cast<int64_t>(most) + 1;; width *= 2) {
    std::vector<Period> joined = JoinInCells(periods, width);
    if (joined.size() <= most || width > total) return {std::move(joined), width};
  }
}

std::vector<std::pair<int64_t, double>> GoodputOverTime(const Partition& p, int64_t stretches) {
  std::vector<std::pair<int64_t, double>> curve;
  const int64_t count = std::min(stretches, p.total());
  const auto edge = [&](int64_t i) {
    return p.start + p.total() / count * i + p.total() % count * i / count;
  };
  size_t first = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start = edge(i), end = edge(i + 1);
    int64_t productive = 0, excluded = 0;
    while (first < p.periods.size() && p.periods[first].end <= start) ++first;
    for (size_t k = first; k < p.periods.size() && p.periods[k].start < end; ++k) {
      const Period& period = p.periods[k];
      const int64_t time = std::min(period.end, end) - std::max(period.start, start);
      if (period.bucket == Bucket::kProductive) productive += time;
      if (period.bucket == Bucket::kExcluded) excluded += time;
    }
    const int64_t counted = end - start - excluded;
    if (counted <= 0) continue;
    curve.emplace_back(start, static_cast<double>(productive) / static_cast<double>(counted));
  }
  return curve;
}

}  // namespace stepscope::goodput
