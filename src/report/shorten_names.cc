// Cuts names where they are alike.
#include "report/shorten_names.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/ascii.h"
#include "report/display_width.h"

namespace stepscope {
namespace {

constexpr size_t kMostWider = 32, kStep = 4;  // columns
constexpr size_t kEnd = 3;                    // of the end that is always shown
constexpr int kMostPlaces = 4;        // in which names differ
constexpr size_t kNarrowest = 10;
constexpr size_t kHasFront = 24;  // from so many on, the front is shown, too

using Shown = std::unordered_map<std::string_view, std::string>;

bool IsAscii(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return static_cast<signed char>(c) >= 0; });
}

size_t SharedFront(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// "…256x128…NTT", or with its front where there is room: from the word in which the name begins to
// differ, and its end.
std::string CutAround(std::string_view name, size_t differs, size_t width) {
  if (!IsAscii(name) || width < kNarrowest || name.size() <= width)
    return ShortenMiddle(name, width);
  while (differs > 0 && IsWordChar(name[differs - 1]) && name[differs - 1] != '_') --differs;
  const size_t front = width < kHasFront ? 0 : std::min(width / 3, differs);
  if (differs == front) return ShortenMiddle(name, width);
  const std::string begin = std::string(name.substr(0, front)) + "…";
  const size_t room = width - front - 1;
  if (name.size() - differs <= room) return begin + std::string(name.substr(name.size() - room));
  return begin + std::string(name.substr(differs, room - kEnd - 1)) + "…" +
         std::string(name.substr(name.size() - kEnd));
}

// The names that are shown alike, by what is shown.
std::map<std::string_view, std::vector<std::string_view>> Alike(const Shown& shown) {
  std::map<std::string_view, std::vector<std::string_view>> by_shown;
  for (const auto& [name, text] : shown) by_shown[text].push_back(name);
  std::erase_if(by_shown, [](const auto& group) { return group.second.size() < 2; });
  return by_shown;
}

// Whether all are told apart then.
bool CutAroundDifferences(Shown& shown, size_t width) {
  std::vector<std::pair<std::string_view, std::string>> cut;
  for (auto& [text, names] : Alike(shown)) {
    std::ranges::sort(names);
    const size_t differs = SharedFront(names.front(), names.back());
    for (const std::string_view name : names)
      cut.emplace_back(name, CutAround(name, differs, width));
  }
  for (auto& [name, text] : cut) shown[name] = std::move(text);
  return Alike(shown).empty();
}

// Whether all are told apart then. Names that differ in several places are alike around the first of
// them, and then cut around the next.
bool Shorten(std::span<const std::string_view> distinct, size_t width, Shown& shown) {
  for (const std::string_view name : distinct) shown[name] = ShortenMiddle(name, width);
  for (int place = 0; place < kMostPlaces; ++place) {
    if (CutAroundDifferences(shown, width)) return true;
  }
  return false;
}

}  // namespace

ShortNames ShortenNames(std::span<const std::string_view> names, size_t width) {
  std::vector<std::string_view> distinct(names.begin(), names.end());
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  Shown shown;
  bool told_apart = false;
  for (size_t wider = 0; !told_apart && wider <= kMostWider; wider += kStep)
    told_apart = Shorten(distinct, width + wider, shown);
  if (!told_apart) Shorten(distinct, width, shown);
  ShortNames out;
  for (const std::string_view name : names) {
    out.names.push_back(shown[name]);
    out.width = std::max(out.width, DisplayWidth(out.names.back()));
  }
  return out;
}

}  // namespace stepscope
