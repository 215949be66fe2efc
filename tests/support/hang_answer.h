// Asks `stepscope hang` about files in a directory, and says its roots in one line.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/columns.h"
#include "stepscope/hang.h"
#include "tests/scratch.h"

namespace stepscope::testing {

inline ReportSet HangOf(const ScratchFolder& folder, const HangOptions& options = {}) {
  auto answer = FindHang(std::vector{folder.path()}, options);
  EXPECT_TRUE(answer.has_value()) << answer.error().what;
  return answer ? std::move(*answer) : ReportSet{.reports = {Report{.tables = {Table{}}}}};
}

// "2 host_not_arrived yes, 3 dump_missing no": rank, reason, whether it is certain.
inline std::string HangRoots(const ReportSet& answer) {
  std::string text;
  const Table& roots = answer.reports.at(0).tables.at(0);
  for (const auto& row : roots.rows)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", ColumnOf(roots, "rank").Int(row),
                        ColumnOf(roots, "reason").Text(row), ColumnOf(roots, "certain").Text(row));
  return text;
}

inline bool HasNote(const ReportSet& answer, const std::string& name) {
  const auto in = [&](const std::vector<Note>& notes) {
    return std::ranges::find(notes, name, &Note::name) != notes.end();
  };
  return in(answer.run.notes) || in(answer.reports.at(0).notes);
}

}  // namespace stepscope::testing
