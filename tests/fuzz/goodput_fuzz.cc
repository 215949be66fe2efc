// Fuzzes the reading of goodput's events, and the accounting: whatever is said, every nanosecond
// has one owner, windows add up, and both modes print an answer.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "goodput/accounting.h"
#include "goodput/duplicates.h"
#include "goodput/json_lines.h"
#include "goodput/report.h"
#include "stepscope/write.h"

namespace stepscope::goodput {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireSums(Accounting& accounting, const Question& question) {
  const Partition whole = accounting.Ask(question);
  Require(whole.unaccounted == 0);
  BucketTimes sums{};
  const int64_t middle = whole.start + whole.total() / 3;
  for (const Interval part : {Interval{whole.start, middle}, Interval{middle, whole.end}}) {
    Question window = question;
    window.window = part;
    const Partition p = accounting.Ask(window);
    Require(p.unaccounted == 0);
    for (size_t b = 0; b < kBuckets; ++b) sums[b] += p.times[b];
  }
  for (size_t b = 0; b < kBuckets; ++b) Require(whole.times[b] >= 0 && sums[b] == whole.times[b]);
  const Report report = PartitionReport(whole, accounting.step_clock());
  Require(!ToText({.reports = {report}}).empty() && !ToJson({.reports = {report}}).empty());
}

void Fuzz(std::string_view bytes) {
  ByteSource source = ByteSource::FromMemory(bytes);
  Oddities oddities;
  Accounting accounting;
  Duplicates duplicates;
  MlGoodput ml;
  ReadJsonLines(std::move(source), oddities, [&](const Event& event) {
    ml.Add(event);
    if (!duplicates.Seen(event)) accounting.Add(event);
  });
  constexpr int64_t kSecond = 1'000'000'000, kBegin = 1'780'000'000 * kSecond;
  RequireSums(accounting, {});
  RequireSums(accounting, {.at = kBegin + 500 * kSecond,
                           .exclusions = {{kBegin + 20 * kSecond, kBegin + 60 * kSecond}}});
  for (const MlAnswer& answer : {ml.Whole(1.7801e9), ml.Window({1.78e9, 1.7800001e9}),
                                 ml.Excluding({{1.78e9, 1.78000002e9}}, 1.7801e9)}) {
    Require(!ToText({.reports = {MlGoodputReport(answer, ml)}}).empty());
  }
}

}  // namespace
}  // namespace stepscope::goodput

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::goodput::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
