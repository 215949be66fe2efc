// Dates are years with months and days, and the times of day behind them.
#include "ingest/flight/rank_of_dump.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "ingest/rank_name.h"

namespace stepscope {
namespace {

constexpr int64_t kMostRank = 100'000'000;

struct Number {
  size_t begin = 0, end = 0;
  int64_t value = -1;  // -1: too large for a rank

  size_t digits() const { return end - begin; }
};

std::vector<Number> NumbersIn(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::vector<Number> numbers;
  for (size_t at = 0; at < name.size();) {
    if (!is_digit(name[at])) {
      ++at;
      continue;
    }
    Number number{.begin = at};
    while (at < name.size() && is_digit(name[at])) ++at;
    number.end = at;
    const auto [stop, error] =
        std::from_chars(name.data() + number.begin, name.data() + at, number.value);
    if (error != std::errc() || number.value > kMostRank) number.value = -1;
    numbers.push_back(number);
  }
  return numbers;
}

bool IsDay(int64_t year, int64_t month, int64_t day) {
  return year >= 1970 && year < 2200 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

class DatesIn {
 public:
  DatesIn(std::string_view name, const std::vector<Number>& numbers)
      : name_(name), numbers_(numbers) {}

  // How many numbers from `at` on are a date, and a time of day behind it.
  size_t At(size_t at) const {
    const Number& first = numbers_[at];
    size_t count = 0;
    if (first.digits() == 8 &&
        IsDay(first.value / 10'000, first.value / 100 % 100, first.value % 100)) {
      count = 1;
    } else if (first.digits() == 4 && OfTwo(at + 1) && OfTwo(at + 2) &&
               IsDay(first.value, numbers_[at + 1].value, numbers_[at + 2].value)) {
      count = 3;
    }
    return count == 0 ? 0 : count + TimeAt(at + count);
  }

 private:
  // "101502", "10-15" or "10:15:02".
  size_t TimeAt(size_t at) const {
    if (at < numbers_.size() && numbers_[at].digits() == 6 && Follows(at)) return 1;
    if (!OfTwo(at) || !OfTwo(at + 1) || !IsDashed(at + 1)) return 0;
    return OfTwo(at + 2) && IsDashed(at + 2) ? 3 : 2;
  }

  bool OfTwo(size_t at) const {
    return at < numbers_.size() && numbers_[at].digits() == 2 && Follows(at);
  }

  // Behind the number before, with one sign between.
  bool Follows(size_t at) const { return numbers_[at].begin == numbers_[at - 1].end + 1; }

  bool IsDashed(size_t at) const {
    const char between = name_[numbers_[at].begin - 1];
    return between == '-' || between == ':';
  }

  std::string_view name_;
  const std::vector<Number>& numbers_;
};

// Those that are part of no date.
std::vector<int64_t> PlainNumbersIn(std::string_view name) {
  const auto numbers = NumbersIn(name);
  const DatesIn dates(name, numbers);
  std::vector<int64_t> plain;
  for (size_t at = 0; at < numbers.size();) {
    const size_t date = dates.At(at);
    if (date == 0 && numbers[at].value >= 0) plain.push_back(numbers[at].value);
    at += std::max<size_t>(date, 1);
  }
  return plain;
}

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::optional<int64_t> RankOfName(std::string_view path) {
  const std::string_view name = NameOf(path);
  if (const auto named = RankFromPath(name); named && *named <= kMostRank) return named;
  const auto numbers = PlainNumbersIn(name);
  if (numbers.empty()) return std::nullopt;
  return numbers.back();
}

std::optional<int64_t> RankOfContent(const RankDump& dump) {
  for (const DumpOperation& operation : dump.operations) {
    const DumpGroup& group = dump.groups[operation.group];
    if (operation.from < 0 || group.description != "default_pg") continue;
    return operation.name == "send" ? operation.from : operation.to;
  }
  std::map<int64_t, size_t> seen;
  size_t groups = 0;
  for (const DumpGroup& group : dump.groups) {
    if (group.members.empty()) continue;
    ++groups;
    for (const int64_t member : group.members) ++seen[member];
  }
  std::erase_if(seen, [&](const auto& one) { return one.second < groups; });
  if (groups == 0 || seen.size() != 1) return std::nullopt;
  return seen.begin()->first;
}

std::string FormOfName(std::string_view path) {
  std::string form;
  for (const char c : NameOf(path)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !form.ends_with('#')) form += digit ? '#' : c;
  }
  return form;
}

int64_t RankOfDump(std::string_view path, std::optional<int64_t> of_content) {
  if (of_content) {
    const auto numbers = PlainNumbersIn(NameOf(path));
    if (std::ranges::find(numbers, *of_content) != numbers.end()) return *of_content;
  }
  return RankOfName(path).value_or(of_content.value_or(-1));
}

}  // namespace stepscope
