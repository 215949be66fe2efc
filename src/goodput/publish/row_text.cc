// Escapes texts, and writes days as dates.
#include "goodput/publish/row_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

#include "base/crc32.h"
#include "base/valid_utf8.h"

namespace stepscope::goodput {
namespace {

using Date = std::chrono::year_month_day;

Date DateAt(int64_t day) {
  return Date(std::chrono::sys_days(std::chrono::days(static_cast<int>(day))));
}

void AppendEscaped(std::string_view text, std::string& line) {
  for (const char c : text) {
    switch (c) {
      case '\\':
        line += "\\\\";
        break;
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      default:
        line += c;
    }
  }
}

}  // namespace

// A checksum tells those apart that have become the same.
std::string StoredText(std::string_view text) {
  std::string valid;
  AppendValidUtf8(valid, text);
  std::ranges::replace(valid, '\0', ' ');
  if (valid == text) return valid;
  return valid + fmt::format("~{:08x}", Crc32(text.data(), text.size()));
}

std::string DateOf(int64_t day) {
  const Date date = DateAt(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

int64_t MonthOf(int64_t day) {
  const Date date = DateAt(day);
  return int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month()) - 1;
}

int64_t FirstDayOf(int64_t month) {
  const Date date(std::chrono::year(static_cast<int>(month / 12)),
                  std::chrono::month(static_cast<unsigned>(month % 12 + 1)), std::chrono::day(1));
  return std::chrono::sys_days(date).time_since_epoch().count();
}

void AppendCell(const Cell& cell, GoodputRowType type, std::string& line) {
  if (std::holds_alternative<std::monostate>(cell)) {
    line += "\\N";
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendEscaped(StoredText(*text), line);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    line += fmt::format("{}", *real);
  } else {
    const int64_t whole = std::get<int64_t>(cell);
    line += type == GoodputRowType::kDate ? DateOf(whole) : fmt::to_string(whole);
  }
}

void RowText::Add(const GoodputRowTableInfo& info, std::span<const Cell> row, std::string_view more,
                  int64_t from_day) {
  const auto table = static_cast<size_t>(info.table);
  const auto day = std::ranges::find(info.columns, GoodputRowType::kDate, &GoodputRowColumn::type);
  if (day != info.columns.end()) {
    const auto at =
        std::get<int64_t>(row[static_cast<size_t>(std::distance(info.columns.begin(), day))]);
    if (at < from_day) return;
    months[table].insert(MonthOf(at));
  }
  std::string& line = lines[table];
  for (size_t c = 0; c < row.size(); ++c) {
    if (c > 0) line += '\t';
    AppendCell(row[c], info.columns[c].type, line);
  }
  if (!more.empty()) line.append("\t").append(more);
  line += '\n';
  ++rows;
}

}  // namespace stepscope::goodput
