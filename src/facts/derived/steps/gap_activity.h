// Names the main activity of a host thread in an interval.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/host_ops.h"

namespace stepscope {

struct MainActivity {
  std::string name;  // of a range or call, or kPythonActivity
  int64_t time = 0;  // ns of the stretch
  std::string call;  // into the runtime that took at least half of the stretch; empty: none did
};

// Nothing was recorded then: what a host does between records is mostly the program's own code.
inline constexpr const char* kPythonActivity = "python";

class HostActivities {
 public:
  // `names` and `host` must outlive this.
  HostActivities(const StringTable& names, const HostOps& host);

  // What `thread` did most in [from, to). Counted are the outermost ranges and calls that do not
  // hold the whole stretch; those that do are named where below them nothing else took more.
  // Annotations of steps are never named. Nothing once too much was looked at: a stretch may hold
  // every record there is, and there may be many stretches.
  std::optional<MainActivity> In(uint32_t thread, int64_t from, int64_t to);

  // The wait for input that took at least half of [from, to), on whichever thread: frameworks wait
  // for a batch on a thread of their own. Nothing where there is none, or too much was looked at.
  std::optional<MainActivity> InputWait(int64_t from, int64_t to);

  // The thread that steps are marked on, if they are.
  std::optional<uint32_t> step_thread() const { return step_thread_; }

 private:
  struct Piece {
    int64_t start = 0, end = 0;
    StringId name = 0;
  };
  struct Longest {
    StringId name = kNoString;
    int64_t time = 0;
  };

  HostRange Range(size_t r) const { return host_.ranges[r]; }
  std::vector<Piece> Pieces(uint32_t thread, int64_t from, int64_t to, StringId& around);
  void AddRangesAt(size_t last, int64_t from, int64_t to, std::vector<Piece>& pieces,
                   StringId& around);
  Longest AddCalls(uint32_t thread, int64_t from, int64_t to, std::vector<Piece>& pieces);
  static Longest LongestOf(std::span<const Piece> pieces);
  bool IsStep(const HostRange& range) const;
  void IndexInputWaits();

  const StringTable& names_;
  const HostOps& host_;
  std::vector<size_t> first_range_;           // of each thread, and the end
  std::vector<std::vector<uint32_t>> calls_;  // by thread
  std::vector<bool> is_step_;                 // by range
  std::optional<uint32_t> step_thread_;
  std::vector<Piece> waits_;  // for input, on all threads, by start
  int64_t longest_wait_ = 0;  // ns
  int64_t budget_ = 0;        // records that may still be looked at
};

}  // namespace stepscope
