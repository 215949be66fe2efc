// Reports when a watched job was slower than usual, and what departed then.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/watch.h"
#include "watch/history.h"

namespace stepscope {
namespace {

// From the first window that has a new level to the last before it has another one.
struct SlowTime {
  WatchedDeparture departed;
  size_t first = 0, last = 0;  // of the windows
};

using Windows = std::vector<WatchedWindow>;

// The window that a change began in, `count` comparable ones up to the one that told it.
size_t BeginOf(const Windows& windows, size_t told, int64_t count) {
  size_t at = told;
  for (int64_t left = count; at > 0; --at) {
    if (windows[at].why.empty() && --left <= 0) break;
  }
  return at;
}

// Departures to a longer time, each to the next departure of the same part. Of those that begin
// together the first that was told stands for all: the others follow from it.
std::vector<SlowTime> SlowTimesOf(const Windows& windows) {
  std::vector<SlowTime> slow;
  std::map<std::pair<int64_t, std::string>, size_t> open;
  for (size_t w = 0; w < windows.size(); ++w) {
    bool first = true;
    for (const WatchedDeparture& d : windows[w].departed) {
      const size_t begin = BeginOf(windows, w, d.windows);
      if (const auto at = open.find({d.rank, d.part}); at != open.end()) {
        slow[at->second].last =
            std::max(slow[at->second].first, begin - std::min<size_t>(begin, 1));
        open.erase(at);
      }
      if (d.now <= d.before || !std::exchange(first, false)) continue;
      open[{d.rank, d.part}] = slow.size();
      slow.push_back({d, begin, windows.size() - 1});
    }
  }
  return slow;
}

// The median step time of the windows outside all slow times; of all, where none is outside.
int64_t UsualStepTime(const Windows& windows, const std::vector<SlowTime>& slow) {
  std::vector<int64_t> usual, all;
  for (size_t w = 0; w < windows.size(); ++w) {
    if (!windows[w].why.empty()) continue;
    all.push_back(windows[w].step_time);
    const bool inside =
        std::ranges::any_of(slow, [&](const SlowTime& s) { return s.first <= w && w <= s.last; });
    if (!inside) usual.push_back(windows[w].step_time);
  }
  std::vector<int64_t>& chosen = usual.empty() ? all : usual;
  if (chosen.empty()) return 0;
  return UpperMedian(chosen);
}

// Until the next window began; the last one is as long as the one before.
int64_t TimeOf(const Windows& windows, size_t w) {
  if (w + 1 < windows.size()) return windows[w + 1].time - windows[w].time;
  return w > 0 ? windows[w].time - windows[w - 1].time : 0;
}

// How much less time the steps of a window's time would have taken at the usual step time.
int64_t LostIn(const Windows& windows, size_t w, int64_t usual) {
  const WatchedWindow& window = windows[w];
  if (!window.why.empty() || window.step_time <= usual) return 0;
  const double share = 1 - static_cast<double>(usual) / static_cast<double>(window.step_time);
  return static_cast<int64_t>(share * static_cast<double>(TimeOf(windows, w)));
}

int64_t Sum(const SlowTime& slow, const auto& of_window) {
  int64_t sum = 0;
  for (size_t w = slow.first; w <= slow.last; ++w) sum += of_window(w);
  return sum;
}

Table TableOf(const Windows& windows, const std::vector<SlowTime>& slow, int64_t usual) {
  Table table{
      .key = "slow_times",
      .title = "When it was slower",
      .columns = {KeyColumn("since", "since", Unit::kUnixTime),
                  ValueColumn("until", "until", Unit::kUnixTime), ValueColumn("rank", "rank"),
                  Words(ValueColumn("part", "part")), TimeColumn("before", "per step before"),
                  TimeColumn("now", "per step then"), TimeColumn("time", "time"),
                  TimeColumn("lost", "lost"), Detail(ValueColumn("kept", "trace"))}};
  for (const SlowTime& s : slow) {
    std::string part = s.departed.part;
    std::ranges::replace(part, '_', ' ');
    const int64_t time = Sum(s, [&](size_t w) { return TimeOf(windows, w); });
    const int64_t lost = Sum(s, [&](size_t w) { return LostIn(windows, w, usual); });
    table.rows.push_back({windows[s.first].time, windows[s.last].time + TimeOf(windows, s.last),
                          s.departed.rank, part, s.departed.before, s.departed.now, time, lost,
                          TextCell(windows[s.first].kept)});
  }
  return table;
}

// In which of the windows it was slower, each once.
std::pair<int64_t, int64_t> SlowAndLost(const Windows& windows, const std::vector<SlowTime>& slow,
                                        int64_t usual) {
  int64_t time = 0, lost = 0;
  for (size_t w = 0; w < windows.size(); ++w) {
    const bool inside =
        std::ranges::any_of(slow, [&](const SlowTime& s) { return s.first <= w && w <= s.last; });
    if (!inside) continue;
    time += TimeOf(windows, w);
    lost += LostIn(windows, w, usual);
  }
  return {time, lost};
}

int64_t WatchedTime(const Windows& windows) {
  int64_t time = 0;
  for (size_t w = 0; w < windows.size(); ++w) time += TimeOf(windows, w);
  return time;
}

}  // namespace

Result<Report> WatchedReport(const std::string& folder) {
  const auto read = ReadWindows(folder);
  if (!read) return std::unexpected(read.error());
  const Windows& windows = *read;
  if (windows.empty())
    return std::unexpected(Error{"there is no history of a watch", folder,
                                 "give the folder that `stepscope watch -o` wrote"});
  Report report{.analysis = "watched", .title = "Watched job"};
  const auto compared = std::ranges::count_if(windows, [](const auto& w) { return w.why.empty(); });
  if (compared == 0) {
    report.status = Status::kUnavailable;
    report.why =
        Say("none of {count} windows could be compared: {why}",
            HumanCount(static_cast<int64_t>(windows.size())), Phrase::Name(windows.back().why));
    return report;
  }
  const std::vector<SlowTime> slow = SlowTimesOf(windows);
  const int64_t usual = UsualStepTime(windows, slow);
  const auto [time, lost] = SlowAndLost(windows, slow, usual);
  const int64_t watched = WatchedTime(windows);
  report.metrics = {{"windows", "windows", static_cast<int64_t>(windows.size()), Unit::kCount},
                    {"compared", "windows compared", static_cast<int64_t>(compared), Unit::kCount},
                    {"usual_step_time", "usual step time", usual, Unit::kNanoseconds},
                    {"watched_time", "watched", watched, Unit::kNanoseconds},
                    {"slow_time", "slower than usual", time, Unit::kNanoseconds},
                    {"lost_time", "lost", lost, Unit::kNanoseconds}};
  report.tables.push_back(TableOf(windows, slow, usual));
  report.headline =
      slow.empty() ? Say("No part of a step departed from its past in {time} ({count} windows)",
                         HumanNanoseconds(watched), HumanCount(static_cast<int64_t>(compared)))
                   : Say("For {slow} of {time} steps took longer than usual: about {lost} lost",
                         HumanNanoseconds(time), HumanNanoseconds(watched), HumanNanoseconds(lost));
  return report;
}

}  // namespace stepscope
