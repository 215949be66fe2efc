// Which of very many names have rows in tables, so that rows that would be cut are not made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyses/analysis.h"
#include "base/saturate.h"
#include "report/humanize.h"
#include "stepscope/report.h"

namespace stepscope {

// The name of AnalyzeOptions::most_names among the Params of every analysis; 0: all names stay.
inline constexpr std::string_view kMostNames = "most_names";

inline Note NamesLeftOut(std::string_view table, int64_t rows, size_t names, int64_t time) {
  return {"names_left_out", rows,
          Say("rows were left out of table {table}: its {names} names with the least time "
              "({time} in all; set `most_names` to 0 to keep them)",
              table, names, HumanTime(static_cast<double>(time))),
          ""};
}

// `Name`: an id or a text.
template <class Name>
class KeptNames {
 public:
  using Sums = std::vector<std::pair<Name, int64_t>>;

  // `sums`: ns of each name, in any pieces. Those with the most time stay; of equal ones the first
  // in the order of text(name).
  template <class Text>
  KeptNames(const Params& params, Sums sums, const Text& text) {
    const int64_t most = params.Integer(kMostNames);
    if (most <= 0 || std::cmp_less_equal(sums.size(), most)) return;
    Join(sums);
    if (std::cmp_less_equal(sums.size(), most)) return;
    std::ranges::nth_element(sums, sums.begin() + most, [&](const auto& a, const auto& b) {
      if (a.second != b.second) return a.second > b.second;
      return text(a.first) < text(b.first);
    });
    for (auto name = sums.begin(); name != sums.begin() + most; ++name) stays_.insert(name->first);
    left_out_ = sums.size() - static_cast<size_t>(most);
  }

  // Whether rows of the name are to be made. If not, its time is counted for the next note.
  bool Keep(Name name, int64_t time) {
    if (stays_.empty() || stays_.contains(name)) return true;
    ++rows_;
    time_ = AddSaturated(time_, time);
    return false;
  }

  // To be called when a table has its rows.
  void AddNote(std::string_view table, Report& report) {
    if (rows_ > 0) report.notes.push_back(NamesLeftOut(table, rows_, left_out_, time_));
    rows_ = time_ = 0;
  }

 private:
  static void Join(Sums& sums) {
    std::ranges::sort(sums);
    size_t last = 0;
    for (size_t i = 1; i < sums.size(); ++i) {
      if (sums[i].first == sums[last].first)
        sums[last].second = AddSaturated(sums[last].second, sums[i].second);
      else
        sums[++last] = sums[i];
    }
    if (!sums.empty()) sums.resize(last + 1);
  }

  std::unordered_set<Name> stays_;  // empty: all do
  size_t left_out_ = 0;
  int64_t rows_ = 0, time_ = 0;  // left out since the last note
};

}  // namespace stepscope
