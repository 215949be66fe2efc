// Plays jobs that hang: ranks enqueue operations ahead of their devices, one of them fails, and
// what is unfinished when nothing moves any more is dumped and judged.
//
// Sixteen ranks in groups tp (4), dp (2), pp (2), ep (8) and all, of two pipeline stages.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "hang/join.h"
#include "hang/judge.h"
#include "ingest/flight/flight_reader.h"

namespace stepscope::hang::testing {

using nlohmann::json;

inline constexpr int kTp = 4, kDp = 2, kPp = 2, kWorld = kTp * kDp * kPp;

struct Group {
  std::string name, description;
  std::vector<int> members;
};

struct Operation {
  size_t group = 0;
  std::string name;
  int from = -1, to = -1;  // global ranks, of messages
  int64_t size = 8;
  std::string type = "Float";
  int64_t sequence = 0;
  bool message() const { return from >= 0; }
};

struct Played {
  std::vector<Group> groups;
  std::vector<std::vector<Operation>> programs{kWorld};
  std::vector<size_t> enqueued = std::vector<size_t>(kWorld), done = enqueued;
  std::map<int, size_t> host_stops, device_stops;
  size_t ahead = 1;  // operations that a host enqueues before its device
  bool names_members = true, only_unfinished = false, says_status = true;
  std::vector<int> lost;  // ranks that leave no dump
};

inline int RankAt(int pp, int dp, int tp) { return (pp * kDp + dp) * kTp + tp; }

inline size_t GroupOf(const Played& job, std::string_view description, int rank) {
  for (size_t i = 0; i < job.groups.size(); ++i)
    if (job.groups[i].description == description &&
        std::ranges::find(job.groups[i].members, rank) != job.groups[i].members.end())
      return i;
  throw std::logic_error("no such group");
}

inline Played Layout() {
  Played job;
  const auto add = [&](const std::string& description, std::vector<int> members) {
    job.groups.push_back({std::to_string(job.groups.size()), description, std::move(members)});
  };
  std::vector<int> all;
  for (int rank = 0; rank < kWorld; ++rank) all.push_back(rank);
  add("default_pg", all);
  for (int pp = 0; pp < kPp; ++pp) {
    std::vector<int> stage;
    for (int dp = 0; dp < kDp; ++dp) {
      std::vector<int> tensor;
      for (int tp = 0; tp < kTp; ++tp) tensor.push_back(RankAt(pp, dp, tp));
      stage.insert(stage.end(), tensor.begin(), tensor.end());
      add("tp", tensor);
    }
    add("ep", stage);
    for (int tp = 0; tp < kTp; ++tp) add("dp", {RankAt(pp, 0, tp), RankAt(pp, 1, tp)});
  }
  for (int dp = 0; dp < kDp; ++dp)
    for (int tp = 0; tp < kTp; ++tp) add("pp", {RankAt(0, dp, tp), RankAt(1, dp, tp)});
  return job;
}

// Four steps: a message from the stage before, layers, a message on, gradients.
inline void Program(Played& job) {
  for (int rank = 0; rank < kWorld; ++rank) {
    const int other = (rank + kWorld / 2) % kWorld;
    const bool first = rank < kWorld / 2;
    auto& program = job.programs[static_cast<size_t>(rank)];
    const auto collective = [&](const char* group, const char* name) {
      program.push_back({.group = GroupOf(job, group, rank), .name = name});
    };
    for (int step = 0; step < 4; ++step) {
      if (!first)
        program.push_back(
            {.group = GroupOf(job, "pp", rank), .name = "recv", .from = other, .to = rank});
      for (int layer = 0; layer < 2; ++layer) {
        collective("tp", "all_reduce");
        collective("ep", "all_to_all");
        collective("tp", "_all_gather_base");
      }
      if (first)
        program.push_back(
            {.group = GroupOf(job, "pp", rank), .name = "send", .from = rank, .to = other});
      collective("dp", "_reduce_scatter_base");
      collective("default_pg", "all_reduce");
    }
  }
}

inline void Number(Played& job) {
  for (auto& program : job.programs) {
    std::map<std::pair<size_t, bool>, int64_t> count;
    for (Operation& operation : program)
      operation.sequence = ++count[{operation.group, operation.message()}];
  }
}

inline const Operation* Front(const Played& job, int rank) {
  const auto at = static_cast<size_t>(rank);
  return job.done[at] < job.enqueued[at] ? &job.programs[at][job.done[at]] : nullptr;
}

inline bool Meet(const Operation& a, const Operation* b) {
  if (b == nullptr || a.group != b->group || a.message() != b->message()) return false;
  if (a.message()) return a.name != b->name && a.from == b->from && a.to == b->to;
  return a.sequence == b->sequence && a.name == b->name && a.size == b->size && a.type == b->type;
}

inline bool Finish(Played& job, int rank) {
  const Operation* front = Front(job, rank);
  if (front == nullptr) return false;
  std::vector<int> members = job.groups[front->group].members;
  if (front->message()) members = {front->from, front->to};
  for (const int member : members)
    if (member != rank && !Meet(*front, Front(job, member))) return false;
  bool moved = false;
  for (const int member : members) {
    const auto at = static_cast<size_t>(member);
    const auto stop = job.device_stops.find(member);
    if (stop != job.device_stops.end() && stop->second == job.done[at]) continue;
    ++job.done[at];
    moved = true;
  }
  return moved;
}

inline void Play(Played& job) {
  Number(job);
  for (bool moves = true; moves;) {
    moves = false;
    for (int rank = 0; rank < kWorld; ++rank) {
      const auto at = static_cast<size_t>(rank);
      const auto stop = job.host_stops.find(rank);
      const size_t last = stop == job.host_stops.end() ? job.programs[at].size() : stop->second;
      while (job.enqueued[at] < last && job.enqueued[at] - job.done[at] < job.ahead) {
        ++job.enqueued[at];
        moves = true;
      }
      moves |= Finish(job, rank);
    }
  }
}

inline json Dump(const Played& job, int rank) {
  const auto at = static_cast<size_t>(rank);
  json dump{{"version", "2.10"}, {"pg_config", json::object()}, {"entries", json::array()}};
  for (const Group& group : job.groups) {
    if (!job.names_members || std::ranges::find(group.members, rank) == group.members.end())
      continue;
    dump["pg_config"][group.name] = {
        {"name", group.name}, {"desc", group.description}, {"ranks", json(group.members).dump()}};
  }
  std::map<size_t, std::pair<int64_t, int64_t>> reached;  // by group: enqueued, finished
  for (size_t i = 0; i < job.enqueued[at]; ++i) {
    const Operation& operation = job.programs[at][i];
    auto& [enqueued, finished] = reached[operation.group];
    enqueued = std::max(enqueued, operation.sequence);
    if (i < job.done[at]) finished = std::max(finished, operation.sequence);
    const Group& group = job.groups[operation.group];
    const bool done = i < job.done[at];
    if (done && job.only_unfinished) continue;
    const auto place = [&](int member) {
      return std::ranges::find(group.members, member) - group.members.begin();
    };
    std::string name = "nccl:" + operation.name;
    if (operation.name == "send")
      name += fmt::format(" {}->{}", place(operation.from), place(operation.to));
    if (operation.name == "recv")
      name += fmt::format(" {}<-{}", place(operation.to), place(operation.from));
    dump["entries"].push_back({{"record_id", i},
                               {"process_group", {group.name, group.description}},
                               {"collective_seq_id", operation.message() ? 0 : operation.sequence},
                               {"p2p_seq_id", operation.message() ? operation.sequence : 0},
                               {"profiling_name", name},
                               {"time_created_ns", 1'758'580'155'000'000'000 + 1000 * i},
                               {"input_sizes", {{operation.size}}},
                               {"input_dtypes", {operation.type}},
                               {"output_sizes", {{operation.size}}},
                               {"state", done ? "completed" : "scheduled"},
                               {"retired", done},
                               {"is_p2p", operation.message()}});
  }
  // Ids count the groups of the process, names those of the job.
  int64_t id = 0;
  for (size_t group = 0; job.says_status && group < job.groups.size(); ++group) {
    if (std::ranges::find(job.groups[group].members, rank) == job.groups[group].members.end())
      continue;
    dump["pg_status"][std::to_string(id++)] = {
        {"last_enqueued_collective", reached[group].first},
        {"last_completed_collective", reached[group].second}};
  }
  return dump;
}

struct Answer {
  std::vector<RankDump> dumps;
  Job job;
  Judgement judgement;
  std::vector<int64_t> Roots() const {
    std::vector<int64_t> ranks;
    for (const Root& root : judgement.roots) ranks.push_back(root.rank);
    return ranks;
  }
  bool Proven() const { return std::ranges::all_of(judgement.roots, &Root::proven); }
  bool Are(Reason reason) const {
    return std::ranges::all_of(judgement.roots,
                               [&](const Root& root) { return root.reason == reason; });
  }
};

inline Answer AnswerOf(const Played& job) {
  Answer answer;
  for (int rank = 0; rank < kWorld; ++rank) {
    if (std::ranges::find(job.lost, rank) != job.lost.end()) continue;
    const std::string text = Dump(job, rank).dump();
    auto dump = ReadFlightDump(ByteSource::FromMemory(text), fmt::format("rank_{}", rank));
    EXPECT_TRUE(dump.has_value());
    if (dump) answer.dumps.push_back(std::move(*dump));
  }
  answer.job = JoinDumps(answer.dumps, 0);
  answer.judgement = Judge(answer.job);
  return answer;
}

// The rank's first operation of the step with this name.
inline size_t PlaceOf(const Played& job, int rank, int step, std::string_view name) {
  const auto& program = job.programs[static_cast<size_t>(rank)];
  const size_t per_step = program.size() / 4;
  for (size_t i = per_step * static_cast<size_t>(step); i < program.size(); ++i)
    if (program[i].name == name) return i;
  throw std::logic_error("no such operation");
}

struct Case {
  Played job = Layout();
  std::mt19937 random;
  int rank = 0, step = 0;

  explicit Case(unsigned seed, size_t ahead) : random(seed) {
    Program(job);
    job.ahead = ahead;
    job.names_members = seed % 2 == 0;
    job.only_unfinished = seed % 3 == 0 && job.names_members;
    rank = static_cast<int>(random() % kWorld);
    step = static_cast<int>(1 + random() % 2);
  }
  Operation& At(std::string_view name) {
    return job.programs[static_cast<size_t>(rank)][PlaceOf(job, rank, step, name)];
  }
  Answer Ask() {
    Play(job);
    return AnswerOf(job);
  }
};

}  // namespace stepscope::hang::testing
