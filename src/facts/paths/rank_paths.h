// Holds the critical path of every rank, and what could shorten it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "facts/paths/critical_path.h"
#include "facts/paths/path_window.h"
#include "facts/paths/what_if.h"

namespace stepscope {

struct PathQuery {
  WindowChoice window;
  int64_t rank = -1;            // -1: every rank
  std::string text;             // the changes below, as they were written
  std::vector<Change> changes;  // that are tried beside those that always are
};

// How long a path's window takes with a change. What only hosts do costs what devices wait for it:
// changing that saves no more than the time in which none runs anything.
struct Outcome {
  std::string change;
  int64_t length = 0;  // ns
};

struct RankPath {
  const RankActivity* rank = nullptr;
  ChosenWindow chosen;
  CriticalPath path;     // with segments only of the rank that takes longest
  int64_t segments = 0;  // how many there were
  int64_t guessed_waits = 0;
  int64_t idle = 0;  // ns of the window in which no device of the rank runs anything
  // Of the change that was asked for, then of removing whatever bounds the path.
  std::vector<Outcome> outcomes;
  bool touched = true;  // the change that was asked for concerns something

  int64_t span() const { return chosen.window.span(); }
};

struct MeasuredPaths {
  std::vector<RankPath> ranks;   // the one that takes longest first
  std::vector<int64_t> without;  // ranks with activities that lack the window
  bool unlinked = false;  // ranks were left out whose activities say nothing of their launches
};

MeasuredPaths MeasurePaths(const StringTable& names, std::span<const RankActivity> ranks,
                           const PathQuery& query);

// The change that removes what `bound` is: "cpu*0"; empty where none is tried.
std::string_view QuestionAbout(Bound bound);

}  // namespace stepscope
