// Which operation waits for which, by kind.
#include "facts/derived/operations/operation_links.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

using Kind = OperationKind;

// Clocks of sender and receiver agree to this: a message that ends before, or starts after, all
// computing of its direction was recorded but never sent.
constexpr int64_t kClockError = 50 * kMicrosecond;

struct MessageKind {
  Kind kind;
  bool forward, send;
  // What it belongs to, and by how much its other end is further in the model.
  Kind Compute() const { return forward ? Kind::kForward : Kind::kBackward; }
  int64_t Towards() const { return forward == send ? 1 : -1; }
};
constexpr MessageKind kMessages[] = {{Kind::kForwardSend, true, true},
                                     {Kind::kForwardReceive, true, false},
                                     {Kind::kBackwardSend, false, true},
                                     {Kind::kBackwardReceive, false, false}};

class OperationLinker {
 public:
  OperationLinker(std::span<const Operation> operations, uint32_t stages)
      : operations_(operations), stages_(stages) {
    for (const Operation& operation : operations) {
      links_.nodes.push_back(
          {.kind = operation.kind, .stage = static_cast<uint32_t>(operation.stage)});
      chunks_ = std::max(chunks_, AddSaturated(operation.chunk, 1));
      overlapped_ = overlapped_ || operation.kind == Kind::kSeparateGrads;
    }
  }

  OperationLinks Link() {
    for (uint32_t stage = 0; stage < stages_; ++stage) {
      computes_ = ByStart(stage, {Kind::kForward, Kind::kBackward});
      Chain(computes_);
      LinkMessages(stage);
      LinkFirstBackward(stage);
      LinkReplicas(stage);
      LinkEnd(stage);
    }
    GroupReplicas();
    GroupAcrossStages();
    return std::move(links_);
  }

 private:
  const Operation& At(uint32_t node) const { return operations_[node]; }

  std::optional<uint32_t> Find(uint32_t stage, Kind kind, int64_t sequence) const {
    const auto key = [](const Operation& o) { return std::tuple(o.stage, o.kind, o.sequence); };
    const auto wanted = std::tuple(int64_t{stage}, kind, sequence);
    const auto found = std::ranges::lower_bound(operations_, wanted, {}, key);
    if (found == operations_.end() || key(*found) != wanted) return std::nullopt;
    return static_cast<uint32_t>(found - operations_.begin());
  }

  // Of these kinds, in the order they were recorded.
  std::vector<uint32_t> ByStart(uint32_t stage, std::initializer_list<Kind> kinds) const {
    std::vector<uint32_t> nodes;
    for (const Kind kind : kinds) {
      const auto key = [](const Operation& o) { return std::pair(o.stage, o.kind); };
      const auto same =
          std::ranges::equal_range(operations_, std::pair(int64_t{stage}, kind), {}, key);
      for (auto it = same.begin(); it != same.end(); ++it)
        nodes.push_back(static_cast<uint32_t>(it - operations_.begin()));
    }
    std::ranges::sort(
        nodes, {}, [&](uint32_t n) { return std::tuple(At(n).start, At(n).sequence, At(n).kind); });
    return nodes;
  }

  int64_t EndOf(uint32_t node) const { return AddSaturated(At(node).start, At(node).duration); }

  void After(uint32_t node, uint32_t before) { links_.nodes[node].after.push_back(before); }

  void Chain(const std::vector<uint32_t>& nodes) {
    for (size_t i = 1; i < nodes.size(); ++i) After(nodes[i], nodes[i - 1]);
  }

  uint32_t Group(std::vector<uint32_t> members, bool across_dp) {
    const auto group = static_cast<uint32_t>(links_.groups.size());
    for (const uint32_t member : members) links_.nodes[member].group = group;
    links_.groups.push_back({std::move(members), across_dp});
    return group;
  }

  // The latest start or the earliest end of computing in this direction; absent: there is none.
  std::optional<int64_t> Bound(Kind compute, bool latest_start) const {
    std::optional<int64_t> bound;
    for (const uint32_t node : computes_) {
      if (At(node).kind != compute) continue;
      const int64_t time = latest_start ? At(node).start : EndOf(node);
      if (!bound) bound = time;
      bound = latest_start ? std::max(*bound, time) : std::min(*bound, time);
    }
    return bound;
  }

  void LinkMessages(uint32_t stage) {
    for (const MessageKind& kind : kMessages) {
      const std::vector<uint32_t> messages = ByStart(stage, {kind.kind});
      Chain(messages);
      MatchMessages(stage, kind, messages);
    }
  }

  // The n-th message that was sent belongs to the n-th computing of its direction.
  void MatchMessages(uint32_t stage, const MessageKind& kind,
                     const std::vector<uint32_t>& messages) {
    const auto bound = Bound(kind.Compute(), !kind.send);
    std::vector<uint32_t> sent;
    for (const uint32_t node : messages) {
      const bool counts =
          bound && (kind.send ? EndOf(node) >= SubtractSaturated(*bound, kClockError)
                              : At(node).start <= AddSaturated(*bound, kClockError));
      if (counts) {
        sent.push_back(node);
      } else {
        Group({node}, false);
      }
    }
    const auto computes = static_cast<size_t>(
        std::ranges::count_if(computes_, [&](uint32_t n) { return At(n).kind == kind.Compute(); }));
    // The first part of the model receives nothing, and may have recorded nothing.
    int64_t sequence = !kind.send && sent.size() + 1 == computes ? 1 : 0;
    uint32_t matched = 0;
    for (const uint32_t node : sent) {
      const auto compute = Find(stage, kind.Compute(), sequence++);
      if (compute) LinkMessage(node, *compute, kind);
      if (compute && HasOtherEnd(At(*compute), kind)) {
        JoinEnds(node, stage, kind, matched++);
      } else {
        Group({node}, false);
      }
    }
  }

  // What is sent was computed before. What is received is asked for after the computing before, and
  // computing waits for it.
  void LinkMessage(uint32_t node, uint32_t compute, const MessageKind& kind) {
    if (kind.send) return After(node, compute);
    After(compute, node);
    const auto before = Find(links_.nodes[compute].stage, kind.Compute(), At(compute).sequence - 1);
    if (before) After(node, *before);
  }

  bool HasOtherEnd(const Operation& compute, const MessageKind& kind) const {
    const int64_t peer = AddSaturated(compute.place, kind.Towards());
    int64_t places = 0;
    if (__builtin_mul_overflow(chunks_, int64_t{stages_}, &places)) places = INT64_MAX;
    return peer >= 0 && peer < places;
  }

  // The n-th message of a stage is the n-th of the stage at its other end.
  void JoinEnds(uint32_t node, uint32_t stage, const MessageKind& kind, uint32_t matched) {
    const auto towards = static_cast<uint32_t>(kind.Towards() + stages_);
    const uint32_t sender = kind.send ? stage : (stage + towards) % stages_;
    const auto [known, added] = ends_.try_emplace({kind.forward, sender, matched}, 0);
    if (added) {
      known->second = Group({node}, false);
    } else {
      links_.nodes[node].group = known->second;
      links_.groups[known->second].members.push_back(node);
    }
  }

  // The first messages of backward passes are asked for two computations before the first of them.
  void LinkFirstBackward(uint32_t stage) {
    const auto first =
        std::ranges::find(computes_, Kind::kBackward, [&](uint32_t n) { return At(n).kind; });
    if (first == computes_.end() || first - computes_.begin() < 2) return;
    for (const Kind kind : {Kind::kBackwardReceive, Kind::kBackwardSend})
      if (const auto message = Find(stage, kind, 0)) After(*message, *(first - 2));
  }

  void LinkReplicas(uint32_t stage) {
    const std::vector<uint32_t> gathers = ByStart(stage, {Kind::kParamsGather});
    Chain(ByStart(stage, {Kind::kParamsGather, Kind::kGradsReduce}));
    // The last gather of a part of the model comes before its first forward pass.
    std::set<int64_t> done;
    for (const uint32_t gather : BySequence(gathers, true)) {
      if (!done.insert(At(gather).chunk).second) continue;
      const auto first = std::ranges::find_if(computes_, [&](uint32_t n) {
        return At(n).kind == Kind::kForward && At(n).chunk == At(gather).chunk;
      });
      if (first != computes_.end()) After(*first, gather);
    }
    if (overlapped_) LinkOverlappedGrads(stage);
  }

  // The first reduction of a part of the model comes after its last backward pass.
  void LinkOverlappedGrads(uint32_t stage) {
    std::set<int64_t> done;
    for (const uint32_t reduce : BySequence(ByStart(stage, {Kind::kGradsReduce}), false)) {
      if (!done.insert(At(reduce).chunk).second) continue;
      const auto last = LastToEnd([&](const Operation& o) {
        return o.kind == Kind::kBackward && o.chunk == At(reduce).chunk;
      });
      if (last) After(reduce, *last);
    }
  }

  std::vector<uint32_t> BySequence(std::vector<uint32_t> nodes, bool last_first) const {
    std::ranges::sort(nodes, {}, [&](uint32_t n) { return At(n).sequence; });
    if (last_first) std::ranges::reverse(nodes);
    return nodes;
  }

  template <class Counts>
  std::optional<uint32_t> LastToEnd(const Counts& counts) const {
    std::optional<uint32_t> last;
    for (const uint32_t node : computes_)
      if (counts(At(node)) && (!last || EndOf(node) > EndOf(*last))) last = node;
    return last;
  }

  // What ends a step, one after the other, after the last computing.
  void LinkEnd(uint32_t stage) {
    std::vector<uint32_t> before;
    if (const auto last = LastToEnd([](const Operation&) { return true; })) before = {*last};
    if (const auto collection = Find(stage, Kind::kCollection, 0)) {
      for (const uint32_t node : before) After(*collection, node);
      before = {*collection};
    }
    const std::vector<uint32_t> reduces = BySequence(ByStart(stage, {Kind::kGradsReduce}), false);
    if (overlapped_ && !reduces.empty()) before.push_back(reduces.back());
    std::vector<uint32_t> chain = First(stage, {Kind::kNormGrads});
    if (stage == 0 || stage + 1 == stages_)
      std::ranges::copy(First(stage, {Kind::kEmbeddingGrads}), std::back_inserter(chain));
    std::ranges::copy(overlapped_ ? First(stage, {Kind::kSeparateGrads}) : reduces,
                      std::back_inserter(chain));
    std::ranges::copy(First(stage, {Kind::kClipGrads, Kind::kOptimizer}),
                      std::back_inserter(chain));
    if (chain.empty()) return;
    for (const uint32_t node : before) After(chain.front(), node);
    Chain(chain);
  }

  // The first of each of these kinds, as far as there is one.
  std::vector<uint32_t> First(uint32_t stage, std::initializer_list<Kind> kinds) const {
    std::vector<uint32_t> nodes;
    for (const Kind kind : kinds)
      if (const auto node = Find(stage, kind, 0)) nodes.push_back(*node);
    return nodes;
  }

  void GroupReplicas() {
    for (uint32_t node = 0; node < links_.nodes.size(); ++node) {
      const Kind kind = links_.nodes[node].kind;
      if (kind == Kind::kParamsGather || kind == Kind::kGradsReduce ||
          kind == Kind::kSeparateGrads) {
        Group({node}, true);
      }
    }
  }

  void GroupAcrossStages() {
    std::vector<uint32_t> embeddings, clips;
    for (uint32_t stage = 0; stage < stages_; ++stage) {
      const bool outer = stage == 0 || stage + 1 == stages_;
      if (outer)
        std::ranges::copy(First(stage, {Kind::kEmbeddingGrads}), std::back_inserter(embeddings));
      std::ranges::copy(First(stage, {Kind::kClipGrads}), std::back_inserter(clips));
    }
    if (!embeddings.empty()) Group(std::move(embeddings), false);
    if (!clips.empty()) Group(std::move(clips), true);
  }

  std::span<const Operation> operations_;
  uint32_t stages_;
  int64_t chunks_ = 1;       // parts of the model on each stage
  bool overlapped_ = false;  // gradients are reduced while others are computed
  OperationLinks links_;
  std::vector<uint32_t> computes_;  // of the stage at hand, by start
  // (forward, stage of the sender, n): the group of the n-th message between two stages.
  std::map<std::tuple<bool, uint32_t, uint32_t>, uint32_t> ends_;
};

}  // namespace

OperationLinks LinkOperations(std::span<const Operation> operations, uint32_t stages) {
  return OperationLinker(operations, stages).Link();
}

}  // namespace stepscope
