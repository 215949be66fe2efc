// Implements the comparison of steps and ranks.
#include "report/compare_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "report/columns.h"
#include "report/compare_growth.h"
#include "report/compare_sides.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kWorthSaying = 0.03;  // of the longer step time
constexpr double kStandsOut = 0.5;     // of a rank's change, that the others must not share
constexpr size_t kNamed = 3;           // categories in the first sentence

CauseKind CauseOf(std::string_view kind) {
  struct Of {
    ColumnKind kind;
    CauseKind cause;
  };
  constexpr Of kCauses[] = {{ColumnKind::kCompute, CauseKind::kCompute},
                            {ColumnKind::kCommunication, CauseKind::kCommunication},
                            {ColumnKind::kMemory, CauseKind::kCopies},
                            {ColumnKind::kLaunch, CauseKind::kLaunch},
                            {ColumnKind::kInput, CauseKind::kInput},
                            {ColumnKind::kOutput, CauseKind::kSync},
                            {ColumnKind::kCompilation, CauseKind::kCompilation},
                            {ColumnKind::kStartup, CauseKind::kOneTime},
                            {ColumnKind::kHost, CauseKind::kHost},
                            {ColumnKind::kOther, CauseKind::kHost}};
  for (const Of& of : kCauses) {
    if (ColumnKindName(of.kind) == kind) return of.cause;
  }
  return CauseKind::kNone;
}

std::string_view HintFor(CauseKind cause) {
  switch (cause) {
    case CauseKind::kInput:
      return "check what changed for loading: workers, storage, work per sample; see "
             "input_pipeline "
             "of the run after";
    case CauseKind::kLaunch:
      return "look for more or smaller kernels, and for compilation or graphs that no longer "
             "apply; table kernels";
    case CauseKind::kSync:
      return "look for new waits for the device: reading losses or metrics in each step";
    case CauseKind::kCompilation:
      return "look for shapes that change from step to step";
    case CauseKind::kCommunication:
      return "compare sizes and numbers of collectives, and the links; see collectives";
    case CauseKind::kCompute:
      return "check what changed for the kernels: shapes, data types, library versions; table "
             "kernels";
    default:
      return "compare the timelines of one step of both runs, recorded with Python functions "
             "(with_stack=True)";
  }
}

double Real(const std::vector<Cell>& row, std::optional<size_t> at) {
  return at && IsNumber(row[*at]) ? NumberOf(row[*at]) : 0;
}

// The key of a category's column in the table of steps; empty where it has none.
std::string KeyOf(const ReportSet& answer, const std::string& category) {
  const Table* table = FindTable(FindReport(answer, "overview"), "step_time");
  if (table == nullptr) return {};
  const ColumnOf name(*table, "category"), column(*table, "column");
  const auto row =
      std::ranges::find(table->rows, category, [&](const auto& r) { return name.Text(r); });
  return row == table->rows.end() ? std::string() : column.Text(*row);
}

void AddSide(const ReportSet& answer, double CategoryChange::* time, double CategoryChange::* share,
             std::map<std::string, CategoryChange>& categories) {
  const Table* table = FindTable(FindReport(answer, "overview"), "step_time");
  if (table == nullptr) return;
  const auto name = FindColumn(*table, "category"), mean = FindColumn(*table, "mean"),
             ratio = FindColumn(*table, "ratio"), kind = FindColumn(*table, "kind");
  if (!name) return;
  for (const auto& row : table->rows) {
    const auto* text = std::get_if<std::string>(&row[*name]);
    if (text == nullptr) continue;
    CategoryChange& category = categories[*text];
    category.name = *text;
    category.key = KeyOf(answer, *text);
    category.*time = Real(row, mean);
    category.*share = Real(row, ratio);
    const auto* of = kind ? std::get_if<std::string>(&row[*kind]) : nullptr;
    if (of == nullptr) continue;
    category.cause = CauseOf(*of);
    category.is_rest = *of == ColumnKindName(ColumnKind::kOther);
  }
}

// ns per step of each rank, by category.
struct RankTimes {
  double steps = 0;
  std::map<std::string, double> sums;  // by column key: "time", "device_compute"
  double Mean(const std::string& key) const {
    const auto at = sums.find(key);
    return at == sums.end() || steps == 0 ? 0 : at->second / steps;
  }
};

std::map<int64_t, RankTimes> TimesOfRanks(const ReportSet& answer) {
  std::map<int64_t, RankTimes> ranks;
  const Table* table = FindTable(FindReport(answer, "overview"), "steps");
  const auto rank = table == nullptr ? std::nullopt : FindColumn(*table, "rank");
  if (!rank) return ranks;
  for (const auto& row : table->rows) {
    const auto* number = std::get_if<int64_t>(&row[*rank]);
    if (number == nullptr) continue;
    RankTimes& times = ranks[*number];
    ++times.steps;
    for (size_t c = 0; c < row.size(); ++c) {
      const Column& column = table->columns[c];
      if (column.unit == Unit::kNanoseconds) times.sums[column.key] += Real(row, c);
    }
  }
  return ranks;
}

struct RankPair {
  int64_t rank = 0;
  RankTimes a, b;
  double Change(const std::string& key) const { return b.Mean(key) - a.Mean(key); }
};

std::vector<RankPair> PairRanks(const ReportSet& a, const ReportSet& b) {
  std::vector<RankPair> pairs;
  const auto in_b = TimesOfRanks(b);
  for (const auto& [rank, times] : TimesOfRanks(a)) {
    const auto other = in_b.find(rank);
    if (other != in_b.end()) pairs.push_back({rank, times, other->second});
  }
  return pairs;
}

// The rank whose time in a category rose most beyond the median change of the others.
struct Outlier {
  const RankPair* rank = nullptr;
  const CategoryChange* category = nullptr;
  double others = 0, beyond = 0;  // ns per step
};

Outlier FindOutlier(const std::vector<RankPair>& ranks, const StepChange& steps) {
  Outlier worst;
  if (ranks.size() < 2) return worst;
  for (const CategoryChange& category : steps.categories) {
    // Waiting in collectives is due to other ranks.
    if (category.cause == CauseKind::kCommunication || category.cause == CauseKind::kNone) continue;
    std::vector<double> changes;
    for (const RankPair& rank : ranks) changes.push_back(rank.Change(category.key));
    std::ranges::sort(changes);
    const auto most = std::ranges::max_element(
        ranks, {}, [&](const RankPair& rank) { return rank.Change(category.key); });
    const double others = changes[(changes.size() - 2) / 2];  // the largest left out
    // Where the others became faster, it is not slower by that.
    const double change = most->Change(category.key);
    const double beyond = std::min(change - others, change);
    if (beyond > std::max(worst.beyond, kStandsOut * change))
      worst = {&*most, &category, others, beyond};
  }
  return worst;
}

Table RankTable(const std::vector<RankPair>& ranks) {
  Table table{.key = "ranks",
              .title = "Ranks, mean step",
              .columns = {{"rank", "rank", Unit::kNone, Role::kKey}},
              .text_rows = 8};
  const Column columns[] = {{"time", "step time", Unit::kNanoseconds},
                            {"device_compute", "compute", Unit::kNanoseconds},
                            {"input", "input", Unit::kNanoseconds, Role::kValue, /*detail=*/true}};
  for (const Column& column : columns) {
    std::ranges::move(Sides(column), std::back_inserter(table.columns));
  }
  for (const RankPair& rank : ranks) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(rank.rank);
    for (const Column& column : columns) {
      const auto whole = [](double ns) { return Cell(static_cast<int64_t>(std::min(ns, 9e18))); };
      std::ranges::move(
          SideCells(whole(rank.a.Mean(column.key)), whole(rank.b.Mean(column.key)), column.unit),
          std::back_inserter(row));
    }
  }
  return table;
}

std::string SayPoints(const CategoryChange& c) {
  return fmt::format("{} to {} of step time", HumanRatio(c.share_a), HumanRatio(c.share_b));
}

// "all others" says nothing without the rest of the list.
std::string SayPart(const CategoryChange& c) {
  return c.is_rest ? "time without a record" : c.name;
}

// What a part of steps takes more time for, on a rank or on all.
Reason ReasonOf(const ReportSet& a, const ReportSet& b, CauseKind cause,
                std::optional<int64_t> rank, double more) {
  switch (cause) {
    case CauseKind::kCompute:
      return ReasonInCompute(a, b, rank, more);
    case CauseKind::kInput:
    case CauseKind::kLaunch:
    case CauseKind::kHost:
    case CauseKind::kSync:
      return ReasonOnHost(a, b, rank, more);
    default:
      return {};
  }
}

// Of loading data the place is known, whatever it runs.
std::string HintOn(const CategoryChange& c, const Reason& reason) {
  const bool generic = reason.hint.empty() || c.cause == CauseKind::kInput;
  return generic ? std::string(HintFor(c.cause)) : reason.hint;
}

}  // namespace

StepChange CompareSteps(const ReportSet& a, const ReportSet& b) {
  StepChange steps{.a = MetricOf(a, "overview", "step_time_mean"),
                   .b = MetricOf(b, "overview", "step_time_mean"),
                   .categories = {}};
  if (!steps.known()) return {};
  std::map<std::string, CategoryChange> categories;
  AddSide(a, &CategoryChange::a, &CategoryChange::share_a, categories);
  AddSide(b, &CategoryChange::b, &CategoryChange::share_b, categories);
  for (auto& [name, category] : categories) steps.categories.push_back(std::move(category));
  std::ranges::stable_sort(steps.categories, std::ranges::greater{},
                           [](const CategoryChange& c) { return std::abs(c.Change()); });
  return steps;
}

std::string SaySides(double a, double b) {
  const std::string text = fmt::format("{} before, {} after", HumanTime(a), HumanTime(b));
  return a > 0 ? fmt::format("{} ({})", text, HumanChange((b - a) / a)) : text;
}

std::string SayStepChange(const StepChange& steps) {
  std::string text = fmt::format("Mean step time: {}.", SaySides(steps.a, steps.b));
  size_t named = 0;
  for (const CategoryChange& c : steps.categories) {
    if (named == kNamed || std::abs(c.Change()) < kWorthALook * steps.a) break;
    text += fmt::format("{} {}: {} before, {} after ({})", named == 0 ? "" : ";",
                        named == 0 ? Capitalized(SayPart(c)) : SayPart(c), HumanTime(c.a),
                        HumanTime(c.b), SayPoints(c));
    ++named;
  }
  if (steps.categories.empty()) return text;
  return named == 0 ? text + " No category changed by 1% of step time." : text + ".";
}

Table CategoryTable(const StepChange& steps) {
  Table table{.key = "categories",
              .title = "Step time by change",
              .columns = {KeyColumn("category", "category")}};
  std::ranges::move(Sides({"mean", "mean", Unit::kNanoseconds}), std::back_inserter(table.columns));
  // Relative changes of small parts mislead.
  table.columns[ColumnAt(table, "mean_change")].detail = false;
  table.columns[ColumnAt(table, "mean_change_ratio")].detail = true;
  std::ranges::move(Sides({"ratio", "% of step time", Unit::kRatio}),
                    std::back_inserter(table.columns));
  for (const CategoryChange& c : steps.categories) {
    if (c.a == 0 && c.b == 0) continue;
    std::vector<Cell> row = {c.name};
    const auto whole = [](double ns) { return Cell(static_cast<int64_t>(std::min(ns, 9e18))); };
    std::ranges::move(SideCells(whole(c.a), whole(c.b), Unit::kNanoseconds),
                      std::back_inserter(row));
    std::ranges::move(SideCells(c.share_a, c.share_b, Unit::kRatio), std::back_inserter(row));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void AddRankChange(const ReportSet& a, const ReportSet& b, const StepChange& steps,
                   Report& report) {
  const std::vector<RankPair> ranks = PairRanks(a, b);
  if (ranks.size() < 2) return;
  report.tables.push_back(RankTable(ranks));
  const Outlier worst = FindOutlier(ranks, steps);
  if (worst.rank == nullptr || worst.beyond < kWorthSaying * std::max(steps.a, steps.b)) return;
  const RankPair& rank = *worst.rank;
  const CategoryChange& category = *worst.category;
  const double change = rank.Change(category.key);
  const Reason reason = ReasonOf(a, b, category.cause, rank.rank, change);
  report.findings.push_back(
      {.message = fmt::format("Rank {} takes {} more {} per step than before{}.", rank.rank,
                              HumanTime(change), SayPart(category), reason.is),
       .because = fmt::format("{}; the other ranks changed by {} (median){}",
                              SaySides(rank.a.Mean(category.key), rank.b.Mean(category.key)),
                              HumanTime(worst.others), reason.because),
       .hint = fmt::format("on rank {}: {}", rank.rank, HintOn(category, reason)),
       .impact = static_cast<int64_t>(std::min(worst.beyond, 9e18)),
       .table = "ranks",
       .cause = {category.cause, rank.rank},
       .nearness = Nearness::kCause});
}

void AddCategoryFindings(const ReportSet& a, const ReportSet& b, const StepChange& steps,
                         Report& report) {
  const bool on_a_rank = !report.findings.empty();
  for (const CategoryChange& c : steps.categories) {
    if (c.Change() < kWorthSaying * std::max(steps.a, steps.b)) continue;
    // Where one rank became slower, the others wait for it.
    const bool waits = on_a_rank && c.cause == CauseKind::kCommunication;
    const Reason reason = ReasonOf(a, b, c.cause, std::nullopt, c.Change());
    report.findings.push_back(
        {.message = fmt::format("{}: {} more per step{}.", Capitalized(SayPart(c)),
                                HumanTime(c.Change()), reason.is),
         .because = fmt::format("{}; {}{}", SaySides(c.a, c.b), SayPoints(c), reason.because),
         .hint = HintOn(c, reason),
         .impact = static_cast<int64_t>(std::min(c.Change(), 9e18)),
         .table = "categories",
         .cause = {waits ? CauseKind::kWait : c.cause},
         .nearness = on_a_rank ? Nearness::kSymptom : Nearness::kPart});
  }
}

}  // namespace stepscope::comparison
