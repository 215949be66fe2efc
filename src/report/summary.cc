// Chooses the contents of the first screen from the reports of an answer.
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "report/columns.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope {
namespace {

constexpr size_t kMostCauses = 3;
constexpr size_t kMostRanks = 3;       // of those that differ
constexpr size_t kAllRanks = 4;        // so few are all shown
constexpr double kRankDiffers = 0.05;  // of step time, from the median of ranks
constexpr double kLeastPart = 0.001;   // of step time

// Of a comparison, that of the run after.
const Metric* MetricNow(const Report* report, std::string_view key) {
  const Metric* metric = FindMetric(report, key);
  return metric != nullptr ? metric : FindMetric(report, fmt::format("{}_b", key));
}

std::optional<int64_t> WholeIn(const Cell& cell) {
  const auto* number = std::get_if<int64_t>(&cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<int64_t> WholeIn(const Metric* metric) {
  return metric == nullptr ? std::nullopt : WholeIn(metric->value);
}

std::optional<int64_t> FindNumber(const Report* report, std::string_view key) {
  return WholeIn(MetricNow(report, key));
}

std::string FindText(const Report* report, std::string_view key) {
  const Metric* metric = MetricNow(report, key);
  const auto* text = metric == nullptr ? nullptr : std::get_if<std::string>(&metric->value);
  return text == nullptr ? "" : *text;
}

// The distinct texts of a column, in order.
std::vector<std::string> TextsOf(const Table* table, std::string_view key) {
  std::vector<std::string> texts;
  const auto column = table == nullptr ? std::nullopt : FindColumn(*table, key);
  if (!column) return texts;
  for (const auto& row : table->rows) {
    const auto* text = std::get_if<std::string>(&row[*column]);
    if (text != nullptr && !text->empty() && std::ranges::find(texts, *text) == texts.end())
      texts.push_back(*text);
  }
  return texts;
}

// "PyTorch on NVIDIA H100 80GB HBM3".
Phrase SayPlatform(const ReportSet& answer) {
  const Report* overview = FindReport(answer, "overview");
  const std::string framework = FindText(FindReport(answer, "breakdown"), "framework");
  const auto chips = TextsOf(FindTable(overview, "devices"), "name");
  if (chips.empty()) return framework;
  const Phrase chip = Phrase::Name(chips.front());
  return chips.size() > 1 ? Say("{framework} on {chip} and others", framework, chip)
                          : Say("{framework} on {chip}", framework, chip);
}

// How many ranks count, of those that were read.
size_t CountRanks(const ReportSet& answer) {
  const auto read = static_cast<size_t>(std::max<int64_t>(answer.run.ranks, 0));
  const Table* table = FindTable(FindReport(answer, "breakdown"), "ranks");
  // Where one rank is compared with another there is no column of its number.
  const auto rank = table == nullptr ? std::nullopt : FindColumn(*table, "rank");
  if (!rank) return read;
  std::set<int64_t> counted;
  for (const auto& row : table->rows) {
    if (const auto* number = std::get_if<int64_t>(&row[*rank])) counted.insert(*number);
  }
  return counted.empty() ? read : std::min(read, counted.size());
}

Phrase SayRanksAndHosts(const ReportSet& answer) {
  const auto read = static_cast<size_t>(std::max<int64_t>(answer.run.ranks, 0));
  const size_t ranks = CountRanks(answer);
  const auto hosts = TextsOf(FindTable(FindReport(answer, "layout"), "ranks"), "host");
  Phrase text = ranks == read ? Plural(ranks, "rank")
                              : Say("{counted} of {ranks}", ranks, Plural(read, "rank"));
  if (hosts.size() > 1) text = Say("{ranks} on {hosts}", text, Plural(hosts.size(), "host"));
  const auto devices = FindNumber(FindReport(answer, "overview"), "devices");
  if (devices && *devices > answer.run.ranks)
    text = Say("{ranks} with {devices}", text, Plural(static_cast<size_t>(*devices), "device"));
  return text;
}

// "job" of "/data/job/".
std::string LastPart(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.find_last_of('/') + 1));
}

// "job"; "before -> after" of two runs.
struct Names {
  Phrase before, after;
};
Names NamesOf(const ReportSet& answer) {
  constexpr std::string_view kBetween = " vs ";
  const std::string& name = answer.run.name;
  const size_t at = FindReport(answer, "compare") == nullptr ? name.npos : name.find(kBetween);
  if (at == name.npos) return {{}, Phrase::Name(LastPart(name))};
  Names names{Phrase::Name(LastPart(name.substr(0, at))),
              Phrase::Name(LastPart(name.substr(at + kBetween.size())))};
  if (names.before == names.after) names = {"before", "after"};
  return names;
}

void ChooseCauses(const ReportSet& answer, Summary& summary) {
  const std::vector<const Finding*> all = FindingsInOrder(answer);
  for (const Finding* finding : all) {
    if (summary.causes.size() == kMostCauses) break;
    if (!WorthALook(*finding)) continue;
    summary.causes.push_back({&ReportOf(answer, *finding), finding, SayWorth(*finding)});
  }
  summary.more = all.size() - summary.causes.size();
}

// "steps 2..4", "step 5".
Phrase SaySteps(int64_t first, int64_t last) {
  return first == last ? Say("step {step}", first) : Say("steps {first}..{last}", first, last);
}

// The first and last step of any rank.
std::optional<std::pair<int64_t, int64_t>> StepsOf(const ReportSet& answer) {
  const Table* steps = FindTable(FindReport(answer, "overview"), "steps");
  if (steps == nullptr || steps->rows.empty()) return std::nullopt;
  const ColumnOf number(*steps, "step");
  const auto [first, last] = std::ranges::minmax_element(
      steps->rows, {}, [&](const auto& row) { return number.Int(row); });
  return std::pair(number.Int(*first), number.Int(*last));
}

// A run of a comparison, whose steps count from a change on where it has one.
Phrase SayRunSince(const Phrase& run, std::optional<int64_t> since) {
  return since ? Say("{run} since step {step}", run, *since) : run;
}

SummaryParts ReadParts(const ReportSet& answer) {
  const Report* breakdown = FindReport(answer, "breakdown");
  const Table* table = FindTable(breakdown, "parts");
  SummaryParts step;
  if (table == nullptr) return step;
  const auto time = FindNumber(breakdown, "step_time");
  step.time = time.value_or(FindNumber(breakdown, "recorded").value_or(0));
  const size_t ranks = std::max<size_t>(CountRanks(answer), 1);
  step.title = time ? "A step" : "The recording";
  if (ranks > 1) step.title = Say("{what}, mean of {ranks}", step.title, Plural(ranks, "rank"));
  const auto since = WholeIn(FindMetric(breakdown, "since_step"));
  const auto steps = StepsOf(answer);
  if (since && steps) {
    step.time_before = FindNumber(breakdown, "before");
    step.before = SaySteps(steps->first, FindNumber(breakdown, "last_before").value_or(*since));
    step.now = SaySteps(*since, steps->second);
  }
  const Names names = NamesOf(answer);
  const bool compared = !FindColumn(*table, "time");
  if (compared) {
    step.before = SayRunSince(names.before, WholeIn(FindMetric(breakdown, "since_step_a")));
    step.now = SayRunSince(names.after, WholeIn(FindMetric(breakdown, "since_step_b")));
    step.time_before = FindNumber(breakdown, "step_time_a");
    if (!step.time_before) step.time_before = FindNumber(breakdown, "recorded_a");
  }
  const ColumnOf title(*table, "part"), now(*table, compared ? "time_b" : "time"),
      before(*table, compared ? "time_a" : "before");
  const auto least =
      kLeastPart * static_cast<double>(std::max(step.time, step.time_before.value_or(0)));
  for (const auto& row : table->rows) {
    SummaryPart part{.title = title.Text(row), .before = WholeIn(before(row))};
    part.now = WholeIn(now(row)).value_or(0);
    if (static_cast<double>(std::max(part.now, part.before.value_or(0))) >= least)
      step.parts.push_back(std::move(part));
  }
  return step;
}

int64_t MedianOf(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// A row of the table of ranks, and how far it is from the median of them.
struct RankRow {
  Phrase title;
  std::vector<int64_t> times;
  int64_t differs = 0;
};

std::vector<RankRow> ReadRankRows(const Table& table, const std::vector<size_t>& columns) {
  const ColumnOf rank(table, "rank"), window(table, "window");
  std::vector<RankRow> rows;
  for (const auto& row : table.rows) {
    RankRow read{.title = Say("rank {rank}", rank.Int(row))};
    if (window.Int(row) > 0)
      read.title = Say("{rank}, window {window}", read.title, window.Int(row));
    for (const size_t c : columns) read.times.push_back(WholeIn(row[c]).value_or(0));
    rows.push_back(std::move(read));
  }
  return rows;
}

// Medians of each column.
std::vector<int64_t> MediansOf(const std::vector<RankRow>& rows, size_t columns) {
  std::vector<int64_t> medians;
  for (size_t c = 0; c < columns; ++c) {
    std::vector<int64_t> values;
    for (const RankRow& row : rows) values.push_back(row.times[c]);
    medians.push_back(MedianOf(std::move(values)));
  }
  return medians;
}

// Only the columns of which some rank has a thousandth of a step.
std::vector<size_t> ColumnsToShow(const Table& table, bool compared, int64_t step_time) {
  std::vector<size_t> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].unit != Unit::kNanoseconds) continue;
    if (compared && !table.columns[c].key.ends_with("_change")) continue;
    const bool any = std::ranges::any_of(table.rows, [&](const auto& row) {
      return std::abs(static_cast<double>(WholeIn(row[c]).value_or(0))) >=
             10 * kLeastPart * static_cast<double>(step_time);
    });
    if (any) columns.push_back(c);
  }
  return columns;
}

// "compute" of "compute, after - before", in any language.
std::string PartOf(std::string_view title) {
  return std::string(title.substr(0, std::min(title.find(','), title.find("、"))));
}

SummaryRanks ReadRanks(const ReportSet& answer, int64_t step_time) {
  const Table* table = FindTable(FindReport(answer, "breakdown"), "ranks");
  SummaryRanks ranks;
  if (table == nullptr || table->rows.size() < 2 || step_time <= 0) return ranks;
  ranks.changes = FindColumn(*table, "step_time_change").has_value();
  const std::vector<size_t> columns = ColumnsToShow(*table, ranks.changes, step_time);
  std::vector<RankRow> rows = ReadRankRows(*table, columns);
  const std::vector<int64_t> medians = MediansOf(rows, columns.size());
  int64_t most = 0;
  for (RankRow& row : rows) {
    for (size_t c = 0; c < columns.size(); ++c)
      row.differs = std::max(row.differs, std::abs(row.times[c] - medians[c]));
    most = std::max(most, row.differs);
  }
  const double least = kRankDiffers * static_cast<double>(step_time);
  if (static_cast<double>(most) < least) return ranks;
  for (const size_t c : columns) {
    const Phrase& title = table->columns[c].title;
    ranks.parts.push_back(ranks.changes ? Phrase(PartOf(title.str())) : title);
  }
  if (rows.size() > kAllRanks) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, &RankRow::differs);
    const auto shown = rows.begin() + kMostRanks;
    const auto alike = std::find_if(rows.begin(), shown, [&](const RankRow& row) {
      return static_cast<double>(row.differs) < least;
    });
    const std::vector<RankRow> others(alike, rows.end());
    rows.erase(alike, rows.end());
    rows.push_back({Say("{count} others, median", HumanCount(static_cast<int64_t>(others.size()))),
                    MediansOf(others, columns.size())});
  }
  for (RankRow& row : rows) ranks.rows.push_back({std::move(row.title), std::move(row.times)});
  return ranks;
}

// "Not recorded: Python stacks, memory."
Phrase SayNotRecorded(const ReportSet& answer) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRecorded = {{
      {"temporal_breakdown", "device activity"},
      {"operators", "host operators"},
      {"shapes", "input shapes"},
      {"python", "Python stacks"},
      {"memory_timeline", "memory"},
  }};
  Phrase all;
  for (const auto& [analysis, what] : kRecorded) {
    const Report* report = FindReport(answer, analysis);
    if (report == nullptr || report->status != Status::kUnavailable) continue;
    if (!all.empty()) all += ", ";
    all += what;
  }
  return all.empty() ? all : Say("Not recorded: {what}.", all);
}

// "Clocks of ranks agree within 508 ns."
Phrase SayClocks(const ReportSet& answer) {
  const auto error = FindNumber(FindReport(answer, "collectives"), "clock_error_max");
  if (!error || *error == 0) return {};
  return Say("Clocks of ranks agree within {time}.", HumanNanoseconds(*error));
}

// "Partial: whatif, stragglers."
Phrase SayPartial(const ReportSet& answer) {
  std::string all;
  for (const Report& report : answer.reports) {
    if (report.status != Status::kPartial) continue;
    all += (all.empty() ? "" : ", ") + report.analysis;
  }
  return all.empty() ? Phrase() : Say("Partial: {analyses}.", Phrase::Name(all));
}

std::vector<Phrase> SayUnseen(const ReportSet& answer) {
  std::vector<Phrase> said;
  for (Phrase sentence : {SayNotRecorded(answer), SayPartial(answer), SayClocks(answer)}) {
    if (!sentence.empty()) said.push_back(std::move(sentence));
  }
  return said;
}

}  // namespace

Phrase SayWorth(const Finding& f) {
  if (f.worth && f.impact > 0)
    return Say("{time} of {step_time} per step", HumanNanoseconds(f.worth->saved),
               HumanNanoseconds(f.worth->step_time));
  if (f.share <= 0) return {};
  const std::string share = HumanRatio(f.share);
  return f.per_step > 0
             ? Say("up to {time} per step ({share})", HumanNanoseconds(f.per_step), share)
             : Say("up to {time} ({share})", HumanNanoseconds(f.impact), share);
}

Phrase SubjectOf(const ReportSet& answer) {
  const Names names = NamesOf(answer);
  Phrase text = names.before.empty() ? names.after : names.before + " -> " + names.after;
  if (FindReport(answer, "goodput") != nullptr) return text;  // a job's ranks are no traces
  text = text + ": " + SayRanksAndHosts(answer);
  const auto add = [&](const Phrase& part) {
    if (!part.empty()) text = text + ", " + part;
  };
  if (const auto steps = FindNumber(FindReport(answer, "steps"), "steps"))
    add(Plural(static_cast<size_t>(*steps), "step"));
  add(SayPlatform(answer));
  add(FindText(FindReport(answer, "layout"), "grid"));
  return text;
}

Summary Summarize(const ReportSet& answer) {
  Summary summary{.subject = SubjectOf(answer), .verdict = answer.verdict};
  ChooseCauses(answer, summary);
  summary.step = ReadParts(answer);
  summary.ranks = ReadRanks(answer, summary.step.time);
  summary.unseen = SayUnseen(answer);
  return summary;
}

}  // namespace stepscope
