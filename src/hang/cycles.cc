// Tarjan's algorithm with a stack of its own.
#include "hang/cycles.h"

#include <algorithm>

namespace stepscope::hang {
namespace {

constexpr uint32_t kUnseen = UINT32_MAX;

class Tarjan {
 public:
  explicit Tarjan(const std::vector<std::vector<uint32_t>>& edges)
      : edges_(edges),
        order_(edges.size(), kUnseen),
        low_(edges.size()),
        open_(edges.size()),
        part_(edges.size(), kUnseen) {}

  void Run() {
    for (uint32_t node = 0; node < edges_.size(); ++node)
      if (order_[node] == kUnseen) Visit(node);
  }
  const std::vector<uint32_t>& part() const { return part_; }
  uint32_t parts() const { return parts_; }

 private:
  struct Frame {
    uint32_t node;
    size_t next;
  };

  void Enter(uint32_t node) {
    order_[node] = low_[node] = seen_++;
    stack_.push_back(node);
    open_[node] = true;
    frames_.push_back({node, 0});
  }

  void Visit(uint32_t root) {
    Enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const uint32_t node = frame.node;
      if (frame.next < edges_[node].size()) {
        const uint32_t to = edges_[node][frame.next++];
        if (order_[to] == kUnseen) {
          Enter(to);
        } else if (open_[to]) {
          low_[node] = std::min(low_[node], order_[to]);
        }
        continue;
      }
      Leave(node);
    }
  }

  void Leave(uint32_t node) {
    frames_.pop_back();
    if (!frames_.empty())
      low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
    if (low_[node] != order_[node]) return;
    for (bool more = true; more;) {
      const uint32_t member = stack_.back();
      stack_.pop_back();
      open_[member] = false;
      part_[member] = parts_;
      more = member != node;
    }
    ++parts_;
  }

  const std::vector<std::vector<uint32_t>>& edges_;
  std::vector<uint32_t> order_, low_;
  std::vector<bool> open_;
  std::vector<uint32_t> part_;
  std::vector<uint32_t> stack_;
  std::vector<Frame> frames_;
  uint32_t seen_ = 0, parts_ = 0;
};

}  // namespace

std::vector<std::vector<uint32_t>> EndsOf(const std::vector<std::vector<uint32_t>>& edges) {
  Tarjan tarjan(edges);
  tarjan.Run();
  std::vector<bool> left(tarjan.parts()), reached(tarjan.parts());
  for (uint32_t node = 0; node < edges.size(); ++node) {
    for (const uint32_t to : edges[node]) {
      reached[tarjan.part()[to]] = true;
      if (tarjan.part()[to] != tarjan.part()[node]) left[tarjan.part()[node]] = true;
    }
  }
  std::vector<std::vector<uint32_t>> members(tarjan.parts());
  for (uint32_t node = 0; node < edges.size(); ++node) members[tarjan.part()[node]].push_back(node);
  std::vector<std::vector<uint32_t>> ends;
  for (uint32_t part = 0; part < tarjan.parts(); ++part)
    if (!left[part] && reached[part]) ends.push_back(std::move(members[part]));
  return ends;
}

}  // namespace stepscope::hang
