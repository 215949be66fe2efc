// Sums the accounting of many jobs by group, and finds what to mend first.
#include "goodput/report/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/saturate.h"
#include "base/time_units.h"
#include "goodput/report/report.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kMostWorst = 20;

// Nothing: the jobs without the label.
using Group = std::optional<std::string>;

// A label of this very name is a row of its own.
std::string ShownGroup(const Group& group) { return group.value_or("(none)"); }

// Sums, in ns of jobs and, weighed by chips, of chips.
struct Sum {
  std::set<std::string> jobs;
  int64_t time = 0, productive = 0, lost = 0;
  double chip_time = 0, chip_productive = 0, chip_lost = 0;
  bool chips_known = true;
  std::array<int64_t, kBuckets> lost_time{};
  std::array<double, kBuckets> lost_chip_time{};

  void Add(const JobPart& part) {
    const double chips = part.chips > 0 ? part.chips : 1;
    jobs.insert(part.job);
    chips_known = chips_known && part.chips > 0;
    time = AddSaturated(time, part.time);
    chip_time += chips * static_cast<double>(part.time);
    const int64_t kept = part.times[static_cast<size_t>(Bucket::kProductive)];
    productive = AddSaturated(productive, kept);
    chip_productive += chips * static_cast<double>(kept);
    for (size_t b = 0; b < kBuckets; ++b) {
      if (!IsLost(static_cast<Bucket>(b))) continue;
      lost = AddSaturated(lost, part.times[b]);
      lost_time[b] = AddSaturated(lost_time[b], part.times[b]);
      chip_lost += chips * static_cast<double>(part.times[b]);
      lost_chip_time[b] += chips * static_cast<double>(part.times[b]);
    }
  }

  Cell goodput() const { return chip_time > 0 ? Cell(chip_productive / chip_time) : Cell(); }
  // What was lost in, most first; of equal ones by name.
  std::vector<size_t> LostIn() const {
    std::vector<size_t> order;
    for (size_t b = 0; b < kBuckets; ++b) {
      if (lost_time[b] > 0) order.push_back(b);
    }
    std::ranges::sort(order, {}, [this](size_t b) {
      return std::pair(-lost_chip_time[b], BucketName(static_cast<Bucket>(b)));
    });
    return order;
  }
  Cell largest() const {
    const std::vector<size_t> order = LostIn();
    if (order.empty()) return {};
    return std::string(BucketName(static_cast<Bucket>(order.front())));
  }
};

// 10,000 jobs have more ns in eleven days than a number of 64 bits holds: then there is no value.
Cell TimeOf(int64_t sum) { return sum == INT64_MAX ? Cell() : Cell(sum); }

// Chip-hours and their cost; empty where they are unknown.
class Costs {
 public:
  explicit Costs(double price) : price_(price) {}
  Cell Hours(const Sum& sum, double chip_time) const {
    return sum.chips_known ? Cell(chip_time / kHour) : Cell();
  }
  Cell Money(const Sum& sum, double chip_time) const {
    return sum.chips_known && price_ > 0 ? Cell(chip_time / kHour * price_) : Cell();
  }

 private:
  double price_;
};

// A label has a name of the user's own, but for the usual one.
Phrase SayLabel(const GoodputFleetOptions& options) {
  return options.by == "team" ? Phrase(options.by) : Phrase::Name(options.by);
}

Table GroupsTable(const std::map<std::pair<Group, std::string>, Sum>& groups,
                  const GoodputFleetOptions& options, const Costs& costs) {
  Table table{
      .key = "groups",
      .title = Say("Goodput by {label}", SayLabel(options)),
      .columns = {KeyColumn("group", SayLabel(options)), KeyColumn("week", "week"),
                  CountColumn("jobs", "jobs"), TimeColumn("time", "job time"),
                  RatioColumn("goodput_ratio", "goodput"), TimeColumn("badput_time", "badput"),
                  Words(ValueColumn("largest_badput", "largest badput")),
                  CountColumn("chip_hours", "chip-hours"),
                  CountColumn("badput_chip_hours", "lost chip-hours"), CountColumn("cost", "cost"),
                  CountColumn("badput_cost", "lost cost")},
      .text_rows = 30};
  for (const auto& [key, sum] : groups) {
    table.rows.push_back({ShownGroup(key.first), key.second.empty() ? Cell() : Cell(key.second),
                          static_cast<int64_t>(sum.jobs.size()), TimeOf(sum.time), sum.goodput(),
                          TimeOf(sum.lost), sum.largest(), costs.Hours(sum, sum.chip_time),
                          costs.Hours(sum, sum.chip_lost), costs.Money(sum, sum.chip_time),
                          costs.Money(sum, sum.chip_lost)});
  }
  return table;
}

Table BadputTable(const std::map<Group, Sum>& groups, const GoodputFleetOptions& options,
                  const Costs& costs) {
  Table table{
      .key = "badput",
      .title = Say("Badput by {label} and cause", SayLabel(options)),
      .columns = {KeyColumn("group", SayLabel(options)), Words(KeyColumn("bucket", "bucket")),
                  TimeColumn("time", "time"), RatioColumn("ratio", "% of chip time"),
                  CountColumn("chip_hours", "chip-hours"), CountColumn("cost", "cost")},
      .text_rows = 12};
  for (const auto& [group, sum] : groups) {
    for (const size_t b : sum.LostIn()) {
      table.rows.push_back({ShownGroup(group), std::string(BucketName(static_cast<Bucket>(b))),
                            TimeOf(sum.lost_time[b]), sum.lost_chip_time[b] / sum.chip_time,
                            costs.Hours(sum, sum.lost_chip_time[b]),
                            costs.Money(sum, sum.lost_chip_time[b])});
    }
  }
  return table;
}

Table WorstTable(const std::map<std::pair<std::string, Group>, Sum>& jobs,
                 const GoodputFleetOptions& options, const Costs& costs) {
  Table table{
      .key = "worst",
      .title = "Jobs that lost most",
      .columns = {KeyColumn("job", "job"), KeyColumn("group", SayLabel(options)),
                  TimeColumn("time", "job time"), RatioColumn("goodput_ratio", "goodput"),
                  TimeColumn("badput_time", "badput"),
                  Words(ValueColumn("largest_badput", "largest badput")),
                  CountColumn("chip_hours", "lost chip-hours"), CountColumn("cost", "lost cost")},
      .text_rows = 10};
  std::vector<std::pair<const std::pair<std::string, Group>*, const Sum*>> order;
  for (const auto& [key, sum] : jobs) order.emplace_back(&key, &sum);
  std::ranges::stable_sort(order, std::greater<>(),
                           [](const auto& one) { return one.second->chip_lost; });
  for (const auto& [key, sum] : order) {
    if (table.rows.size() == kMostWorst) break;
    table.rows.push_back({key->first, ShownGroup(key->second), TimeOf(sum->time), sum->goodput(),
                          TimeOf(sum->lost), sum->largest(), costs.Hours(*sum, sum->chip_lost),
                          costs.Money(*sum, sum->chip_lost)});
  }
  return table;
}

Table MendTable(const Sum& all, const std::vector<JobPart>& parts, const Costs& costs) {
  Table table{.key = "mend",
              .title = "What to mend first",
              .columns = {Words(KeyColumn("bucket", "bucket")), TimeColumn("time", "time"),
                          ValueColumn("points", "goodput", Unit::kRatioDifference),
                          CountColumn("chip_hours", "chip-hours"), CountColumn("cost", "cost"),
                          CountColumn("jobs", "jobs"), Words(ValueColumn("hint", "try"))},
              .text_rows = 5};
  for (const size_t b : all.LostIn()) {
    std::set<std::string> jobs;
    for (const JobPart& part : parts) {
      if (part.times[b] > 0) jobs.insert(part.job);
    }
    table.rows.push_back(
        {std::string(BucketName(static_cast<Bucket>(b))), TimeOf(all.lost_time[b]),
         all.lost_chip_time[b] / all.chip_time, costs.Hours(all, all.lost_chip_time[b]),
         costs.Money(all, all.lost_chip_time[b]), static_cast<int64_t>(jobs.size()),
         std::string(HintFor(static_cast<Bucket>(b)))});
  }
  return table;
}

Phrase Headline(const Sum& all, const Table& mend, double price) {
  const Phrase jobs = Plural(all.jobs.size(), "job");
  const std::string goodput =
      all.chip_time > 0 ? HumanRatio(all.chip_productive / all.chip_time) : "unknown";
  Phrase text = all.chips_known ? Say("Goodput of {jobs} is {goodput} of {hours} chip-hours.", jobs,
                                      goodput, HumanCount(all.chip_time / kHour))
                                : Say("Goodput of {jobs} is {goodput}.", jobs, goodput);
  if (mend.rows.empty()) return text;
  const auto& first = mend.rows.front();
  const ColumnOf bucket(mend, "bucket"), points(mend, "points"), chip_hours(mend, "chip_hours");
  Phrase impact = fmt::format("{:.1f} pp", 100 * points.Real(first));
  if (const double* hours = chip_hours.FindReal(first)) {
    impact += Say(", {hours} chip-hours", HumanCount(*hours));
    if (price > 0) impact += Say(", cost {cost}", HumanCount(*hours * price));
  }
  return text + Say(" Mend {bucket} first: impact up to {impact}.", bucket.Text(first), impact);
}

using Days = std::chrono::sys_days;

Days DayOf(int64_t time) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(time)));
}

Days MondayOf(int64_t time) {
  const Days day = DayOf(time);
  return day - (std::chrono::weekday(day) - std::chrono::Monday);
}

}  // namespace

bool IsLost(Bucket bucket) {
  return bucket != Bucket::kProductive && bucket != Bucket::kInProgress &&
         bucket != Bucket::kExcluded;
}

// A week is of the year that holds its Thursday.
std::string WeekOf(int64_t time) {
  const Days thursday = MondayOf(time) + std::chrono::days(3);
  const auto year = std::chrono::year_month_day(thursday).year();
  const Days first = Days(year / std::chrono::January / 1);
  const auto week = (thursday - first).count() / 7 + 1;
  return fmt::format("{}-W{:02}", static_cast<int>(year), week);
}

int64_t NextWeek(int64_t time) {
  const Days next = MondayOf(time) + std::chrono::days(7);
  return std::chrono::nanoseconds(next.time_since_epoch()).count();
}

Report FleetReport(const std::vector<JobPart>& parts, const GoodputFleetOptions& options) {
  Report report{.analysis = "goodput_fleet", .title = "Goodput of a fleet"};
  Sum all;
  std::map<std::pair<Group, std::string>, Sum> groups;
  std::map<std::pair<std::string, Group>, Sum> jobs;
  std::map<Group, Sum> by_group;
  std::set<std::string> unknown;
  for (const JobPart& part : parts) {
    all.Add(part);
    groups[{part.group, part.week}].Add(part);
    by_group[part.group].Add(part);
    jobs[{part.job, part.group}].Add(part);
    if (part.chips <= 0) unknown.insert(part.job);
  }
  if (all.time == 0) {
    report.status = Status::kUnavailable;
    report.why = "the ledger has no job with counted time";
    return report;
  }
  const Costs costs(options.price_per_chip_hour);
  report.metrics = {{"jobs", "jobs", static_cast<int64_t>(all.jobs.size()), Unit::kCount},
                    {"goodput_ratio", "goodput", all.goodput(), Unit::kRatio},
                    {"badput_time", "badput", TimeOf(all.lost), Unit::kNanoseconds},
                    {"chip_hours", "chip-hours", costs.Hours(all, all.chip_time), Unit::kCount},
                    {"cost", "cost", costs.Money(all, all.chip_time), Unit::kCount},
                    {"badput_cost", "lost cost", costs.Money(all, all.chip_lost), Unit::kCount}};
  Table mend = MendTable(all, parts, costs);
  report.headline = Headline(all, mend, options.price_per_chip_hour);
  report.tables.push_back(GroupsTable(groups, options, costs));
  report.tables.push_back(std::move(mend));
  report.tables.push_back(WorstTable(jobs, options, costs));
  report.tables.push_back(BadputTable(by_group, options, costs));
  if (!unknown.empty()) {
    report.notes.push_back(
        {"jobs_without_chips", static_cast<int64_t>(unknown.size()),
         "jobs recorded no number of chips (each counts as one chip, and sums with "
         "them have no chip-hours)",
         ""});
  }
  return report;
}

}  // namespace stepscope::goodput
