// Says a hang as the cause of a disruption, from its tables, and keeps it as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "hang/hang_words.h"
#include "report/columns.h"
#include "report/lookup.h"
#include "stepscope/hang.h"

namespace stepscope {
namespace {

int64_t LastArrival(const Report& report) {
  const Metric* last = FindMetric(&report, "last_arrival");
  const auto* time = last == nullptr ? nullptr : std::get_if<int64_t>(&last->value);
  return time == nullptr ? 0 : *time;
}

// What a cause is made of.
struct Parts {
  std::vector<int64_t> ranks;
  std::string reason, operation, group;
  int64_t sequence = 0;
};

constexpr size_t kMostRanks = 100;
constexpr size_t kMostText = 400;     // bytes of a name
constexpr size_t kMostRecord = 2048;  // bytes, as events keep

constexpr std::string_view kHead = "hang 1";  // and its version

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// A line for each part. What a watch records is JSON.
std::string RecordOf(const Parts& parts) {
  if (parts.ranks.size() > kMostRanks) return {};
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kHead, fmt::join(parts.ranks, ","),
                                 OneLine(parts.reason), OneLine(parts.operation), parts.sequence,
                                 OneLine(parts.group));
  return text.size() <= kMostRecord ? text : std::string();
}

HangCause CauseOf(int64_t time, const Parts& parts) {
  const Phrase reason = Phrase::Name(parts.reason);
  const Phrase named = hang::SayRanks(parts.ranks);
  const Phrase place = parts.operation.empty() ? Phrase()
                                               : Say("{operation} {sequence} of group {group}",
                                                     Phrase::Name(parts.operation), parts.sequence,
                                                     Phrase::Name(parts.group));
  return HangCause{
      .time = time,
      .text = place.empty() ? Say("hang: {ranks}: {reason}", named, reason)
                            : Say("hang: {ranks} at {operation}: {reason}", named, place, reason),
      .reason = Say("hang: {reason}", reason)};
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view CutAt(char sign, std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find(sign));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return part;
}

std::optional<Parts> ReadParts(std::string_view text) {
  if (text.size() > kMostRecord || CutAt('\n', text) != kHead) return std::nullopt;
  Parts parts;
  for (std::string_view ranks = CutAt('\n', text); !ranks.empty();) {
    const auto rank = NumberOf(CutAt(',', ranks));
    if (!rank || parts.ranks.size() >= kMostRanks) return std::nullopt;
    parts.ranks.push_back(*rank);
  }
  parts.reason = CutAt('\n', text);
  parts.operation = CutAt('\n', text);
  const auto sequence = NumberOf(CutAt('\n', text));
  if (parts.ranks.empty() || parts.reason.empty() || !sequence) return std::nullopt;
  parts.sequence = *sequence;
  parts.group = text;
  return parts;
}

std::optional<Parts> PartsOf(const ReportSet& hang) {
  if (hang.reports.empty()) return std::nullopt;
  const Report& report = hang.reports.front();
  const Table* roots = FindTable(&report, "roots");
  if (roots == nullptr || LastArrival(report) <= 0) return std::nullopt;
  Parts parts;
  const std::vector<Cell>* first = nullptr;
  for (const auto& row : roots->rows) {
    if (ColumnOf(*roots, "certain").Text(row) != "yes") continue;
    if (first == nullptr) first = &row;
    if (ColumnOf(*roots, "reason").Text(row) == ColumnOf(*roots, "reason").Text(*first))
      parts.ranks.push_back(ColumnOf(*roots, "rank").Int(row));
  }
  if (first == nullptr) return std::nullopt;
  const auto text = [&](const char* key) {
    return std::string(ColumnOf(*roots, key).Text(*first)).substr(0, kMostText);
  };
  parts.reason = text("reason");
  parts.operation = text("operation");
  parts.group = text("group");
  if (!parts.operation.empty()) parts.sequence = ColumnOf(*roots, "sequence").Int(*first);
  return parts;
}

}  // namespace

std::optional<HangCause> HangCauseOf(const ReportSet& hang) {
  const auto parts = PartsOf(hang);
  if (!parts) return std::nullopt;
  return CauseOf(LastArrival(hang.reports.front()), *parts);
}

std::string HangRecordOf(const ReportSet& hang) {
  const auto parts = PartsOf(hang);
  return parts ? RecordOf(*parts) : "";
}

std::optional<HangCause> HangCauseOfRecord(int64_t time, std::string_view record) {
  const auto parts = ReadParts(record);
  if (!parts) return std::nullopt;
  return CauseOf(time, *parts);
}

}  // namespace stepscope
