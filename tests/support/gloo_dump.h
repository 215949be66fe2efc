// Writes dumps as gloo leaves them: no members of groups, no messages, states that stay
// "scheduled".
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::testing {

// The last `finished` operations of a group are finished, and the next one is not if it is `stuck`.
struct GlooGroup {
  std::string name, description;
  int64_t finished = 0;
  bool stuck = false;
  std::map<int64_t, int64_t> sizes = {};  // by sequence, where they are not 8
  int64_t messages = 0;  // sent and received before the last operation, without entries
};

// `ranks`: that the group made last has; gloo says so, and no names of them.
inline std::string GlooDump(const std::vector<GlooGroup>& groups, int64_t ranks) {
  using nlohmann::json;
  json members = json::array(), entries = json::array(), status = json::object();
  for (int64_t rank = 0; rank < ranks; ++rank) members.push_back(rank);
  for (const GlooGroup& group : groups) {
    const int64_t last = group.finished + (group.stuck ? 1 : 0);
    status[std::to_string(status.size())] = {
        {"last_enqueued_collective", last + group.messages},
        {"last_completed_collective", group.finished + group.messages}};
    for (int64_t sequence = 1; sequence <= last; ++sequence) {
      const auto at = group.sizes.find(sequence);
      const int64_t size = at == group.sizes.end() ? 8 : at->second;
      entries.push_back({{"record_id", entries.size()},
                         {"pg_id", status.size() - 1},
                         {"process_group", {group.name, group.description}},
                         {"collective_seq_id", sequence},
                         {"p2p_seq_id", 0},
                         {"profiling_name", "gloo:all_reduce"},
                         {"time_created_ns", 5},
                         {"input_sizes", {{size}}},
                         {"output_sizes", {{size}}},
                         {"input_dtypes", {"Float"}},
                         {"state", "scheduled"},
                         {"retired", sequence <= group.finished},
                         {"is_p2p", false}});
    }
  }
  return json{{"version", "2.10"},
              {"pg_config", {{"", {{"name", ""}, {"desc", ""}, {"ranks", members.dump()}}}}},
              {"pg_status", status},
              {"entries", entries}}
      .dump();
}

}  // namespace stepscope::testing
