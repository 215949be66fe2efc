// Fuzzes the reading of goodput's events, and the accounting: whatever is said, every line is read
// as if it stood alone, every nanosecond has one owner, in order and without a gap, windows add up,
// and both modes print an answer.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "goodput/accounting/accounting.h"
#include "goodput/accounting/duplicates.h"
#include "goodput/accounting/periods.h"
#include "goodput/events/event_relay.h"
#include "goodput/events/json_lines.h"
#include "goodput/report/report.h"
#include "stepscope/write.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::goodput::goodput_fuzz {
namespace {

void RequireOrder(const Partition& whole, size_t most) {
  if (whole.periods.empty()) return Require(whole.total() == 0);
  const JoinedPeriods joined = JoinShortPeriods(whole.periods, most);
  Require(joined.periods.size() <= most);
  BucketTimes sums{};
  int64_t end = whole.start;
  for (const Period& p : joined.periods) {
    Require(p.start == end && p.end > p.start);
    end = p.end;
    sums[static_cast<size_t>(p.bucket)] += p.end - p.start;
  }
  Require(end == whole.end && sums == whole.times);
}

void RequireSums(Accounting& accounting, PartitionQuery query) {
  query.periods = true;
  const Partition whole = accounting.Query(query);
  query.periods = false;
  Require(whole.unaccounted == 0);
  for (const size_t most : {SIZE_MAX, kBuckets}) RequireOrder(whole, most);
  BucketTimes sums{};
  const int64_t middle = whole.start + whole.total() / 3;
  for (const Interval part : {Interval{whole.start, middle}, Interval{middle, whole.end}}) {
    PartitionQuery window = query;
    window.window = part;
    const Partition p = accounting.Query(window);
    Require(p.unaccounted == 0);
    for (size_t b = 0; b < kBuckets; ++b) sums[b] += p.times[b];
  }
  for (size_t b = 0; b < kBuckets; ++b) Require(whole.times[b] >= 0 && sums[b] == whole.times[b]);
  const Report report = PartitionReport(whole, accounting.step_clock());
  Require(!ToText({.reports = {report}}).empty() && !ToJson({.reports = {report}}).empty());
}

std::vector<Event> EventsOf(std::string_view text) {
  std::vector<Event> events;
  Notes note_counts;
  ReadJsonLines(ByteSource::FromMemory(text), note_counts,
                [&](const Event& event) { events.push_back(event); });
  return events;
}

// A reader that guesses from the line before reads what one that never saw it reads. Of the first
// lines only, and not of LogEntries, which are sorted, nor of objects on many lines.
void RequireLinesStandAlone(std::string_view bytes) {
  constexpr size_t kMostLines = 16;
  std::vector<Event> alone;
  size_t end = 0;
  for (size_t line = 0; line < kMostLines && end < bytes.size(); ++line) {
    const size_t begin = end;
    end = std::min(bytes.size(), bytes.find('\n', begin)) + 1;
    // Behind an object the text is one of lines.
    const std::string text = "\n{}\n" + std::string(bytes.substr(begin, end - begin));
    for (Event& event : EventsOf(text)) alone.push_back(std::move(event));
  }
  const std::string_view lines = bytes.substr(0, end);
  if (lines.contains("jsonPayload") || lines.contains("\\u")) return;  // escaped it may be, too
  Require(EventsOf("{}\n" + std::string(lines)) == alone);
}

void Fuzz(std::string_view bytes) {
  ByteSource source = ByteSource::FromMemory(bytes);
  Notes note_counts;
  Accounting accounting;
  Duplicates duplicates;
  MlGoodput ml;
  const EventSink sink = [&](const Event& event) {
    ml.Add(event);
    if (!duplicates.Seen(event)) accounting.Add(event);
  };
  EventRelay relay(sink, 2);
  ReadJsonLines(std::move(source), note_counts, [&](const Event& event) { relay.Give(event); });
  relay.Finish();
  RequireLinesStandAlone(bytes);
  constexpr int64_t kBegin = 1'780'000'000 * kSecond;
  RequireSums(accounting, {});
  RequireSums(accounting, {.at = kBegin + 500 * kSecond,
                           .exclusions = {{kBegin + 20 * kSecond, kBegin + 60 * kSecond}}});
  for (const MlAnswer& answer : {ml.Whole(1.7801e9), ml.Window({1.78e9, 1.7800001e9}),
                                 ml.Excluding({{1.78e9, 1.78000002e9}}, 1.7801e9)}) {
    Require(!ToText({.reports = {MlGoodputReport(answer, ml)}}).empty());
  }
}

const fuzz::Register kTarget({.name = "goodput", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::goodput::goodput_fuzz
