// Which of very many names have rows in tables, so that rows that would be cut are not made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analyses/analysis.h"
#include "base/saturate.h"
#include "facts/facts.h"
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

class KeptNames {
 public:
  // `sums`: ns of each name, in any pieces. Those with the most time stay; of equal ones the first
  // in the order of texts.
  KeptNames(const Facts& facts, const Params& params,
            std::vector<std::pair<StringId, int64_t>> sums) {
    const int64_t most = params.Integer(kMostNames);
    if (most <= 0 || std::cmp_less_equal(sums.size(), most)) return;
    Join(sums);
    if (std::cmp_less_equal(sums.size(), most)) return;
    std::ranges::nth_element(sums, sums.begin() + most, [&](const auto& a, const auto& b) {
      if (a.second != b.second) return a.second > b.second;
      return (*facts.names)[a.first] < (*facts.names)[b.first];
    });
    stays_.resize(facts.names->size());
    for (auto name = sums.begin(); name != sums.begin() + most; ++name) stays_[name->first] = true;
    left_out_ = sums.size() - static_cast<size_t>(most);
  }

  // Whether rows of the name are to be made. If not, its time is counted for the next note.
  bool Keep(StringId name, int64_t time) {
    if (stays_.empty() || stays_[name]) return true;
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
  static void Join(std::vector<std::pair<StringId, int64_t>>& sums) {
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

  std::vector<bool> stays_;  // by name; empty: all do
  size_t left_out_ = 0;
  int64_t rows_ = 0, time_ = 0;  // left out since the last note
};

}  // namespace stepscope
