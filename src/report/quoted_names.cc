// Finds names of tables in sentences.
#include "report/quoted_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/ascii.h"
#include "base/printable.h"
#include "report/display_width.h"
#include "report/kernel_name.h"

namespace stepscope {
namespace {

constexpr size_t kShortest = 4;        // of a name that is searched for
constexpr size_t kMostNames = 50'000;  // of very long answers, the first tables
constexpr size_t kCut = 64;

// The columns whose texts are names from traces.
constexpr auto kNameColumns = std::to_array<std::string_view>(
    {"name",     "kernel",     "operator",      "call",      "function", "file",  "module", "path",
     "sequence", "annotation", "host_activity", "host_call", "group",    "event", "thread", "host",
     "stage",    "type",       "chip",          "owner",     "scope",    "op"});

bool IsNameColumn(const Column& column) {
  return std::ranges::find(kNameColumns, column.key) != kNameColumns.end();
}

// A function called "step" is in many sentences that do not mean it; one word says nothing else.
bool IsOneWord(std::string_view name) {
  constexpr size_t kLongest = 24;
  return name.size() <= kLongest && std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
         });
}

// A name that is part of a longer word is not meant: "step" in "steps".
bool CutsAWord(std::string_view text, size_t begin, size_t end) {
  const bool before = begin > 0 && IsWordChar(text[begin - 1]) && IsWordChar(text[begin]);
  const bool after = end < text.size() && IsWordChar(text[end]) && IsWordChar(text[end - 1]);
  return before || after;
}

constexpr std::string_view kNamedAbove = "what is named above";

// `text` without what stands in parentheses after each kNamedAbove, where that is closed.
std::string WithoutPlaces(std::string text) {
  for (size_t at = text.find(kNamedAbove); at != std::string::npos;
       at = text.find(kNamedAbove, at)) {
    at += kNamedAbove.size();
    if (!std::string_view(text).substr(at).starts_with(" (")) continue;
    size_t end = at + 1;
    for (int open = 0; end < text.size(); ++end) {
      if (text[end] == '(') ++open;
      if (text[end] == ')' && --open == 0) break;
    }
    if (end < text.size()) text.erase(at, end + 1 - at);
  }
  return text;
}

}  // namespace

std::string CutName(std::string_view name, size_t most) {
  std::string plain = Printable(name);
  std::ranges::replace(plain, '`', '\'');
  return DisplayWidth(plain) > most ? ShortenMiddle(plain, most) : plain;
}

QuotedNames::QuotedNames(const ReportSet& answer) {
  std::set<std::string, std::less<>> names;
  const auto add = [&](const std::string& name) {
    if (name.size() >= kShortest && names.size() < kMostNames && !IsOneWord(name))
      names.insert(name);
  };
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      for (size_t c = 0; c < table.columns.size(); ++c) {
        if (!IsNameColumn(table.columns[c])) continue;
        for (const auto& row : table.rows) {
          const auto* text = std::get_if<std::string>(&row[c]);
          if (text == nullptr) continue;
          add(*text);
          add(PlainName(*text));
          add(ShortName(*text));
        }
      }
    }
  }
  names_.assign(names.begin(), names.end());
  std::ranges::stable_sort(names_, std::ranges::greater{}, &std::string::size);
}

template <class Replace>
std::string QuotedNames::Replaced(const Phrase& text, const Replace& replace) const {
  const std::span<const Phrase> parts = text.parts();
  switch (text.kind()) {
    case Phrase::Kind::kName:
      return text.empty() ? "" : replace(text.str());
    case Phrase::Kind::kJoined: {
      std::string joined;
      for (const Phrase& part : parts) joined += Replaced(part, replace);
      return joined;
    }
    case Phrase::Kind::kCapitalized:
      return Phrase::Capitalized(Replaced(parts.front(), replace));
    case Phrase::Kind::kForm: {
      const std::vector<std::string_view> names = FieldsOf(text.form());
      const auto field = [&](std::string_view name) -> const Phrase& {
        return parts[static_cast<size_t>(std::ranges::find(names, name) - names.begin())];
      };
      const auto in_english = [&](std::string_view name) { return field(name).str(); };
      // "every 5th" is not what its form says.
      if (internal::Fill(text.form(), in_english) != text.str()) break;
      return internal::Fill(text.form(),
                            [&](std::string_view name) { return Replaced(field(name), replace); });
    }
    case Phrase::Kind::kWhole:
      break;
  }
  return ReplacedByTables(text, replace);
}

template <class Replace>
std::string QuotedNames::ReplacedByTables(std::string_view text, const Replace& replace) const {
  struct Place {
    size_t begin, end;
  };
  std::vector<Place> places;  // disjoint
  for (const std::string& name : names_) {
    for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + name.size())) {
      const Place place{at, at + name.size()};
      const bool taken = std::ranges::any_of(
          places, [&](const Place& p) { return p.begin < place.end && place.begin < p.end; });
      if (!taken && !CutsAWord(text, place.begin, place.end)) places.push_back(place);
    }
  }
  std::ranges::sort(places, {}, &Place::begin);
  std::string out;
  size_t at = 0;
  for (const Place& place : places) {
    out += Printable(text.substr(at, place.begin - at));
    out += replace(text.substr(place.begin, place.end - place.begin));
    at = place.end;
  }
  return out + Printable(text.substr(at));
}

std::string QuotedNames::In(const Phrase& text) const {
  return Replaced(text,
                  [](std::string_view name) { return fmt::format("`{}`", CutName(name, kCut)); });
}

std::string QuotedNames::Without(const Phrase& text) const {
  return WithoutPlaces(Replaced(text, [](std::string_view) { return std::string(kNamedAbove); }));
}

}  // namespace stepscope
