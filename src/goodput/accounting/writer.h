// Takes the identities of processes and attempts apart, as recorders compose them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::goodput {

inline constexpr int64_t kNoRank = std::numeric_limits<int64_t>::max();

// "host/rank/boot/pid/random" of a recorder; of other names at most the number after "rank".
struct WriterName {
  std::string host, boot;
  int64_t rank = kNoRank;

  static WriterName Of(std::string_view writer);
  // Identifies the monotonic clock; empty: unknown.
  std::string clock() const { return boot.empty() ? "" : host + "/" + boot; }
};

// "name~slurm.4711.1~torchelastic.run.2": the user's name, and the restarts that launchers count.
struct AttemptName {
  std::string_view name;
  std::string_view scheduler;  // "slurm.4711.1"
  std::string_view launcher;   // "torchelastic.run.2": counted by each host

  static AttemptName Of(std::string_view id);
};

// "slurm.4711.2", a part of an attempt's name: what restarts, and how often it has.
struct Restarts {
  std::string_view name;
  std::optional<int64_t> count;  // absent: not counted

  static Restarts Of(std::string_view part);
};

}  // namespace stepscope::goodput
