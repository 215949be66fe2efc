// Implements the comparison of calls and sizes.
#include "report/compare_sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "report/columns.h"

namespace stepscope::comparison {
namespace {

constexpr double kSameCalls = 0.01;  // that calls may differ by and be as many
constexpr double kCounts = 0.01;     // of compute, from which a kernel must fit in

std::vector<Growth> Sorted(std::map<std::string, Growth> by_name) {
  std::vector<Growth> all;
  for (auto& [name, growth] : by_name) {
    growth.name = name;
    all.push_back(std::move(growth));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Growth::Change);
  return all;
}

bool IsCompute(std::string_view kind) {
  return kind.empty() || kind == ColumnKindName(ColumnKind::kCompute);
}

// FLOP per step, by name.
using FlopsByName = std::map<std::string, std::pair<double, double>>;

FlopsByName FlopsIn(const ReportSet& a, const ReportSet& b, Rank rank, const Source& source) {
  FlopsByName flops;
  const auto add = [&](const ReportSet& answer, double std::pair<double, double>::* side) {
    const double steps = StepsOf(answer, rank);
    ForRows(answer, source.analysis, source.table, rank, [&](const Table& table, const Row& row) {
      const double of_rows = Number(row, FindColumn(table, source.time));
      if (of_rows <= 0) return;
      flops[std::string(Text(row, FindColumn(table, source.name)))].*side += of_rows / steps;
    });
  };
  add(a, &std::pair<double, double>::first);
  add(b, &std::pair<double, double>::second);
  return flops;
}

std::pair<double, double> SumOf(const FlopsByName& flops) {
  std::pair<double, double> sum;
  for (const auto& [name, of] : flops) {
    sum.first += of.first;
    sum.second += of.second;
  }
  return sum;
}

Sizes SizesBy(const FlopsByName& flops) {
  const auto [before, after] = SumOf(flops);
  if (before == 0 || after == 0) return Sizes::kUnknown;
  const bool same = std::ranges::all_of(flops, [](const auto& of) {
    const auto& [in_a, in_b] = of.second;
    return std::abs(in_b - in_a) <= kSameCalls * in_a;
  });
  return same ? Sizes::kSame : Sizes::kDiffer;
}

// Of what operators, or else modules, work on: of jobs that compute on their host.
FlopsByName Flops(const ReportSet& a, const ReportSet& b, Rank rank) {
  FlopsByName flops = FlopsIn(a, b, rank, {"operators", "operators", "name", "", "flops"});
  if (SizesBy(flops) == Sizes::kUnknown)
    flops = FlopsIn(a, b, std::nullopt, {"modules", "types", "type", "", "flops"});
  return flops;
}

// Where sizes differ on some of the ranks that are compared: whether on this one, which takes more
// time. Shapes are those of all ranks together. Where a rank's FLOP are not known, sizes that are
// smaller in sum are no reason.
Sizes SizesOn(const ReportSet& a, const ReportSet& b, Rank rank) {
  const Sizes own = SizesBy(FlopsIn(a, b, rank, {"operators", "operators", "name", "", "flops"}));
  if (own != Sizes::kUnknown) return own;
  const auto [before, after] = SumOf(Flops(a, b, std::nullopt));
  return after < before ? Sizes::kUnknown : Sizes::kDiffer;
}

// Calls and ns per step of one operator, by the sizes of its inputs, whatever the values of
// scalars.
using CallsBySizes = std::map<std::string, Growth>;

std::map<std::string, CallsBySizes> CallsOfOperators(const ReportSet& a, const ReportSet& b) {
  std::map<std::string, CallsBySizes> operators;
  const auto add = [&](const ReportSet& answer, double Growth::* time, double Growth::* calls) {
    const double steps = StepsOf(answer, std::nullopt);
    ForRows(answer, kShapes.analysis, kShapes.table, std::nullopt,
            [&](const Table& table, const Row& row) {
              const auto text = [&](std::string_view key) {
                return std::string(Text(row, FindColumn(table, key)));
              };
              if (!IsCompute(text("kind"))) return;
              const std::string call = text("call"), sizes = text("sizes") + text("types");
              Growth& growth = operators[text("operator")][sizes.empty() ? call : sizes];
              if (growth.name.empty()) growth.name = call;
              growth.*time += Number(row, FindColumn(table, kShapes.time)) / steps;
              growth.*calls += Number(row, FindColumn(table, kShapes.count)) / steps;
            });
  };
  add(a, &Growth::a, &Growth::calls_a);
  add(b, &Growth::b, &Growth::calls_b);
  return operators;
}

}  // namespace

std::vector<Growth> CompareCompute(const ReportSet& a, const ReportSet& b, Rank rank,
                                   const Source& source) {
  std::map<std::string, Growth> by_name;
  const auto add = [&](const ReportSet& answer, double Growth::* time, double Growth::* calls) {
    const double steps = StepsOf(answer, rank);
    ForRows(answer, source.analysis, source.table, rank, [&](const Table& table, const Row& row) {
      const auto of = [&](std::string_view key) { return FindColumn(table, key); };
      if (!IsCompute(Text(row, of("kind")))) return;
      Growth& growth = by_name[std::string(Text(row, of(source.name)))];
      growth.*time += Number(row, of(source.time)) / steps;
      growth.*calls += Number(row, of(source.count)) / steps;
    });
  };
  add(a, &Growth::a, &Growth::calls_a);
  add(b, &Growth::b, &Growth::calls_b);
  return Sorted(std::move(by_name));
}

bool AsManyCalls(const Growth& growth) {
  return std::abs(growth.calls_b - growth.calls_a) <= kSameCalls * growth.calls_a;
}

bool SameCalls(const std::vector<Growth>& all) {
  double sum = 0;
  for (const Growth& growth : all) sum += growth.a + growth.b;
  return !all.empty() && std::ranges::all_of(all, [&](const Growth& growth) {
    return growth.a + growth.b < kCounts * sum || AsManyCalls(growth);
  });
}

std::vector<Growth> OtherSizes(const ReportSet& a, const ReportSet& b) {
  std::vector<Growth> other;
  double after = 0;  // runs may be of machines of other speed
  for (const auto& [name, by_sizes] : CallsOfOperators(a, b)) {
    Growth all;
    for (const auto& [sizes, growth] : by_sizes) {
      all.calls_a += growth.calls_a;
      all.calls_b += growth.calls_b;
      after += growth.b;
    }
    if (!AsManyCalls(all)) continue;
    for (const auto& [sizes, growth] : by_sizes) {
      if (growth.calls_b > growth.calls_a && !AsManyCalls(growth)) other.push_back(growth);
    }
  }
  std::erase_if(other, [&](const Growth& g) { return g.b < kCounts * after; });
  std::ranges::stable_sort(other, std::ranges::greater{}, &Growth::b);
  return other;
}

Sizes CompareSizes(const ReportSet& a, const ReportSet& b, Rank rank) {
  const std::vector<Growth> shapes = CompareCompute(a, b, std::nullopt, kShapes);
  const auto in_a = [](const Growth& g) { return g.calls_a > 0; };
  const auto in_b = [](const Growth& g) { return g.calls_b > 0; };
  // Only one run may have recorded shapes.
  if (std::ranges::none_of(shapes, in_a) || std::ranges::none_of(shapes, in_b))
    return SizesBy(Flops(a, b, rank));
  if (OtherSizes(a, b).empty()) return Sizes::kSame;
  return rank && std::max(a.run.ranks, b.run.ranks) > 1 ? SizesOn(a, b, rank) : Sizes::kDiffer;
}

}  // namespace stepscope::comparison
