// Reports when a watched job was slower than usual, and which part of which rank was longer then.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "base/saturate.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/watch.h"
#include "watch/departure.h"
#include "watch/history.h"

namespace stepscope {
namespace {

constexpr double kSlower = 1.1;  // times the usual step time

using Windows = std::vector<WatchedWindow>;
using Part = std::pair<int64_t, std::string>;  // rank and part
using Times = std::map<Part, int64_t>;

// Windows [first, last] that follow each other, all slower than usual.
struct SlowTime {
  size_t first = 0, last = 0;
};

// What a quarter of the windows did not exceed: so it holds where up to three quarters were slow.
int64_t UsualStepTime(const Windows& windows) {
  std::vector<int64_t> times;
  for (const WatchedWindow& window : windows) times.push_back(window.step_time);
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quarter);
  return *quarter;
}

bool IsSlow(const WatchedWindow& window, int64_t usual) {
  return static_cast<double>(window.step_time) > kSlower * static_cast<double>(usual);
}

std::vector<SlowTime> SlowTimesOf(const Windows& windows, int64_t usual) {
  std::vector<SlowTime> slow;
  for (size_t w = 0; w < windows.size(); ++w) {
    if (!IsSlow(windows[w], usual)) continue;
    if (slow.empty() || slow.back().last + 1 != w) slow.push_back({w, w});
    slow.back().last = w;
  }
  return slow;
}

// For how long a window speaks: until the next one, but for no longer than windows usually are
// apart. After the last one nothing is known.
std::vector<int64_t> TimesOf(const Windows& windows) {
  std::vector<int64_t> apart;
  for (size_t w = 0; w + 1 < windows.size(); ++w)
    apart.push_back(windows[w + 1].time - windows[w].time);
  if (apart.empty()) return {0};
  std::vector<int64_t> sorted = apart;
  const int64_t usual = UpperMedian(sorted);
  for (int64_t& time : apart) time = std::min(time, usual);
  apart.push_back(usual);
  return apart;
}

bool CanBeCompared(const WatchedWindow& window) {
  return window.why.empty() && window.step_time > 0;
}

// What the windows that cannot be compared would have told of.
struct Untold {
  int64_t windows = 0;   // before the last one that can
  int64_t time = 0;      // ns, of these
  int64_t at_end = 0;    // windows behind it: the job may have ended
  std::string why = {};  // of the last of them all
};

// Leaves those that can be compared, with their times.
Untold LeaveOut(Windows& windows, std::vector<int64_t>& times) {
  Untold untold;
  Windows compared;
  std::vector<int64_t> their_times;
  int64_t time_at_end = 0;
  for (size_t w = 0; w < windows.size(); ++w) {
    if (CanBeCompared(windows[w])) {
      compared.push_back(std::move(windows[w]));
      their_times.push_back(times[w]);
      untold.windows += std::exchange(untold.at_end, 0);
      untold.time += std::exchange(time_at_end, 0);
    } else {
      ++untold.at_end;
      time_at_end += times[w];
      untold.why = windows[w].why;
    }
  }
  windows = std::move(compared);
  times = std::move(their_times);
  return untold;
}

// How much less time the steps of a window's time would have taken at the usual step time.
int64_t LostIn(const WatchedWindow& window, int64_t time, int64_t usual) {
  const double share = 1 - static_cast<double>(usual) / static_cast<double>(window.step_time);
  return static_cast<int64_t>(share * static_cast<double>(time));
}

// The medians of all parts of these windows.
template <class Chosen>
Times MediansOf(const Windows& windows, const Chosen& chosen) {
  std::map<Part, std::vector<int64_t>> values;
  for (size_t w = 0; w < windows.size(); ++w) {
    if (!chosen(w)) continue;
    for (const WatchedPart& part : windows[w].parts)
      values[{part.rank, part.part}].push_back(part.time);
  }
  Times medians;
  for (auto& [part, times] : values) medians[part] = UpperMedian(times);
  return medians;
}

// The part that is longest beyond its usual time, of those that explain a quarter of how much
// longer (ns) a step took; nothing where none does.
std::optional<WatchedDeparture> LongerPart(const Times& usual, const Times& then, int64_t longer) {
  constexpr int64_t kQuarter = 4;
  std::optional<WatchedDeparture> most;
  for (const auto& [part, time] : then) {
    const auto before = usual.find(part);
    if (before == usual.end() || time - before->second <= std::max<int64_t>(0, longer / kQuarter))
      continue;
    const WatchedDeparture of_part{
        .rank = part.first, .part = part.second, .before = before->second, .now = time};
    if (!most || ComesFirst(of_part, *most)) most = of_part;
  }
  return most;
}

class SlowReport {
 public:
  SlowReport(const Windows& windows, std::vector<int64_t> times)
      : windows_(windows),
        usual_(UsualStepTime(windows)),
        slow_(SlowTimesOf(windows, usual_)),
        times_(std::move(times)),
        parts_(MediansOf(windows, [&](size_t w) { return !IsSlow(windows[w], usual_); })) {}

  void Fill(Report& report, const Untold& untold) const {
    int64_t watched = 0, slow = 0, lost = 0;
    for (size_t w = 0; w < windows_.size(); ++w) {
      watched += times_[w];
      if (!IsSlow(windows_[w], usual_)) continue;
      slow += times_[w];
      lost += stepscope::LostIn(windows_[w], times_[w], usual_);
    }
    report.metrics = {
        {"compared", "windows compared", static_cast<int64_t>(windows_.size()), Unit::kCount},
        {"usual_step_time", "usual step time", usual_, Unit::kNanoseconds},
        {"watched_time", "watched", watched, Unit::kNanoseconds},
        {"slow_time", "slower than usual", slow, Unit::kNanoseconds},
        {"lost_time", "lost", lost, Unit::kNanoseconds},
        {"not_compared", "windows not compared", untold.windows + untold.at_end, Unit::kCount},
        {"unknown_time", "not known", untold.time, Unit::kNanoseconds}};
    report.headline =
        slow_.empty()
            ? Say("Steps took no longer than usual in {time} ({count} windows)",
                  HumanNanoseconds(watched), HumanCount(static_cast<int64_t>(windows_.size())))
            : Say("For {slow} of {time} steps took longer than usual: about {lost} lost",
                  HumanNanoseconds(slow), HumanNanoseconds(watched), HumanNanoseconds(lost));
    const SlowTime* costliest = Costliest();
    if (const auto longer = costliest ? LongerIn(*costliest) : std::nullopt; longer) {
      report.headline += Say(". Most of it: rank {rank}, {part} {then} per step, usually {usual}",
                             longer->rank, Phrase(TitleOfPart(longer->part)),
                             HumanNanoseconds(longer->now), HumanNanoseconds(longer->before));
    }
    if (untold.windows > 0) {
      report.headline +=
          Say(". {windows} could not be compared: what was lost in these {time} is "
              "not known",
              Plural(static_cast<size_t>(untold.windows), "window"), HumanNanoseconds(untold.time));
    }
    if (untold.at_end > 0) {
      report.headline +=
          Say(". Nothing is known since: {windows} more could not be compared ({why})",
              Plural(static_cast<size_t>(untold.at_end), "window"), Phrase::Name(untold.why));
    }
    report.tables.push_back(TableOfTimes());
    report.tables.push_back(TableOfFindings());
  }

 private:
  Table TableOfTimes() const {
    Table table{.key = "slow_times",
                .title = "When it was slower",
                .columns = {KeyColumn("since", "since", Unit::kUnixTime),
                            ValueColumn("until", "until", Unit::kUnixTime),
                            TimeColumn("step_time", "step time"), ValueColumn("rank", "rank"),
                            Words(ValueColumn("part", "part")), TimeColumn("usual", "usually"),
                            TimeColumn("then", "per step then"), TimeColumn("lost", "lost"),
                            Detail(ValueColumn("finding", "finding then")),
                            Detail(ValueColumn("kept", "trace"))}};
    for (const SlowTime& slow : slow_) table.rows.push_back(RowOf(slow));
    return table;
  }

  Table TableOfFindings() const {
    Table table{.key = "findings",
                .title = "What a report of that time found first",
                .columns = {KeyColumn("since", "since", Unit::kUnixTime),
                            ValueColumn("finding", "finding")}};
    for (const SlowTime& slow : slow_) {
      if (const std::string finding = FindingIn(slow); !finding.empty())
        table.rows.push_back({windows_[slow.first].time, TextCell(finding)});
    }
    return table;
  }

  int64_t LostIn(const SlowTime& slow) const {
    int64_t lost = 0;
    for (size_t w = slow.first; w <= slow.last; ++w)
      lost += stepscope::LostIn(windows_[w], times_[w], usual_);
    return lost;
  }

  // The part that was longer: by all windows' parts, or by what these themselves name.
  std::optional<WatchedDeparture> LongerIn(const SlowTime& slow) const {
    const auto within = [&](size_t w) { return slow.first <= w && w <= slow.last; };
    auto longer = LongerPart(parts_, MediansOf(windows_, within), StepTimeIn(slow) - usual_);
    if (longer) return longer;
    return MostNamedIn(slow);
  }

  // Medians of the part that costs the most in all windows together that name it.
  std::optional<WatchedDeparture> MostNamedIn(const SlowTime& slow) const {
    struct Named {
      std::vector<int64_t> before, now;
      int64_t cost = 0;
    };
    std::map<std::pair<int64_t, std::string>, Named> parts;
    for (size_t w = slow.first; w <= slow.last; ++w) {
      const auto& slower = windows_[w].slower;
      if (!slower) continue;
      Named& named = parts[{slower->rank, slower->part}];
      named.before.push_back(slower->before);
      named.now.push_back(slower->now);
      named.cost = AddSaturated(named.cost, slower->now - slower->before);
    }
    if (parts.empty()) return std::nullopt;
    auto& [who, named] =
        *std::ranges::max_element(parts, {}, [](const auto& part) { return part.second.cost; });
    return WatchedDeparture{.rank = who.first,
                            .part = who.second,
                            .before = UpperMedian(named.before),
                            .now = UpperMedian(named.now)};
  }

  int64_t StepTimeIn(const SlowTime& slow) const {
    std::vector<int64_t> steps;
    for (size_t w = slow.first; w <= slow.last; ++w) steps.push_back(windows_[w].step_time);
    return UpperMedian(steps);
  }

  // Null: it was never slower.
  const SlowTime* Costliest() const {
    const auto most =
        std::ranges::max_element(slow_, {}, [&](const SlowTime& s) { return LostIn(s); });
    return most == slow_.end() ? nullptr : &*most;
  }

  // What the first of its windows that found something says of itself.
  std::string FindingIn(const SlowTime& slow) const {
    for (size_t w = slow.first; w <= slow.last; ++w) {
      const WatchedWindow& window = windows_[w];
      if (!window.findings.empty()) return window.findings.front();
      if (!window.verdict.empty()) return window.verdict;
    }
    return "";
  }

  std::vector<Cell> RowOf(const SlowTime& slow) const {
    std::string kept;
    for (size_t w = slow.first; w <= slow.last && kept.empty(); ++w) kept = windows_[w].kept;
    const int64_t lost = LostIn(slow);
    const auto longer = LongerIn(slow);
    return {windows_[slow.first].time,
            windows_[slow.last].time + times_[slow.last],
            StepTimeIn(slow),
            When(longer.has_value(), longer ? longer->rank : 0),
            TextCell(longer ? TitleOfPart(longer->part) : ""),
            When(longer.has_value(), longer ? longer->before : 0),
            When(longer.has_value(), longer ? longer->now : 0),
            lost,
            TextCell(kept)};
  }

  const Windows& windows_;
  int64_t usual_;
  std::vector<SlowTime> slow_;
  std::vector<int64_t> times_;  // of each window
  Times parts_;                 // usually
};

}  // namespace

void WatchedRecords::Take(int64_t time, const std::string& text) {
  if (auto window = WindowOfRecord(time, text)) windows_[time] = std::move(*window);
}

Report WatchedRecords::ReportOf() const {
  std::vector<WatchedWindow> windows;
  for (const auto& [time, window] : windows_) windows.push_back(window);
  return WatchedReport(std::move(windows));
}

void AddWatched(Report watched, ReportSet& answer) {
  if (!watched.headline.empty()) answer.verdict += " " + watched.headline + ".";
  answer.reports.push_back(std::move(watched));
}

Result<Report> WatchedReport(const std::string& folder) {
  auto read = ReadWindows(folder);
  if (!read) return std::unexpected(read.error());
  if (read->empty())
    return std::unexpected(Error{"there is no history of a watch", folder,
                                 "give the folder that `stepscope watch -o` wrote"});
  return WatchedReport(std::move(*read));
}

Report WatchedReport(std::vector<WatchedWindow> windows) {
  Report report{.analysis = "watched", .title = "Watched job"};
  std::ranges::stable_sort(windows, {}, &WatchedWindow::time);
  std::vector<int64_t> times = TimesOf(windows);
  const Untold untold = LeaveOut(windows, times);
  if (windows.empty()) {
    report.status = Status::kUnavailable;
    report.why = Say("none of {count} windows could be compared: {why}", HumanCount(untold.at_end),
                     Phrase::Name(untold.why));
    return report;
  }
  SlowReport(windows, std::move(times)).Fill(report, untold);
  return report;
}

std::optional<WatchedDeparture> SlowerPart(const std::vector<WatchedWindow>& before,
                                           const WatchedWindow& window) {
  if (before.empty() || !window.why.empty()) return std::nullopt;
  const int64_t usual = UsualStepTime(before);
  if (!IsSlow(window, usual)) return std::nullopt;
  const Times usually = MediansOf(before, [&](size_t w) { return !IsSlow(before[w], usual); });
  return LongerPart(usually, MediansOf({window}, [](size_t) { return true; }),
                    window.step_time - usual);
}

}  // namespace stepscope
