// Makes nodes of operators and activities, in the order of their starts.
#include "export/chakra.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/file_writer.h"
#include "base/stop.h"
#include "export/chakra_message.h"
#include "facts/collectives/collective_op.h"

namespace stepscope {
namespace {

using chakra::Attribute;
using chakra::CollectiveType;
using chakra::NodeType;

constexpr uint64_t kNone = UINT64_MAX;
constexpr int64_t kNsPerMicrosecond = 1000;

// One node, before it has its number, which is its place plus 1.
struct Place {
  int64_t start = 0;   // ns
  uint32_t index = 0;  // of a range of the host, or an activity
  bool on_device = false;
  auto Order() const { return std::tuple(start, on_device, index); }
};

uint64_t Microseconds(int64_t ns) {
  return static_cast<uint64_t>((std::max<int64_t>(ns, 0) + kNsPerMicrosecond / 2) /
                               kNsPerMicrosecond);
}

std::optional<CollectiveType> TypeOf(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::kAllReduce:
      return CollectiveType::kAllReduce;
    case CollectiveOp::kAllGather:
      return CollectiveType::kAllGather;
    case CollectiveOp::kReduceScatter:
      return CollectiveType::kReduceScatter;
    case CollectiveOp::kBarrier:
      return CollectiveType::kBarrier;
    case CollectiveOp::kAllToAll:
      return CollectiveType::kAllToAll;
    case CollectiveOp::kBroadcast:
      return CollectiveType::kBroadcast;
    case CollectiveOp::kReduce:
      return CollectiveType::kReduce;
    case CollectiveOp::kGather:
      return CollectiveType::kGather;
    case CollectiveOp::kScatter:
      return CollectiveType::kScatter;
    default:
      return std::nullopt;  // messages, and what may be one
  }
}

using Wait = std::pair<uint32_t, uint64_t>;  // an activity, and the node it waits for

class Graph {
 public:
  Graph(const RankActivity& rank, const StringTable& names, const KeptTimes& kept,
        std::span<const ReadsOf> data)
      : rank_(rank), names_(names), data_(data), own_(rank.host->ranges.size(), 0) {
    TakeRanges(kept);
    TakeActivities();
    std::ranges::sort(places_, {}, &Place::Order);
    for (uint64_t p = 0; p < places_.size(); ++p) {
      auto& nodes = places_[p].on_device ? node_of_activity_ : node_of_range_;
      nodes[places_[p].index] = p + 1;
    }
    FindWaits();
  }

  Result<ChakraCounts> Write(FileWriter& file) {
    std::string out;
    chakra::AppendMetadata(
        out, std::vector<Attribute>{{.name = "rank", .number = rank_.rank},
                                    {.name = "world_size", .number = rank_.world_size}});
    StopChecks checks;
    for (const Place& place : places_) {
      checks.Turn();
      chakra::AppendNode(out, place.on_device ? DeviceNode(place.index) : HostNode(place.index));
      ++counts_.nodes;
      constexpr size_t kAtOnce = size_t{1} << 20;
      if (out.size() < kAtOnce) continue;
      if (auto done = file.Append(out); !done) return std::unexpected(done.error());
      out.clear();
    }
    if (auto done = file.Append(out); !done) return std::unexpected(done.error());
    return counts_;
  }

 private:
  // The host's operators, and the time that each spends outside of those within it.
  void TakeRanges(const KeptTimes& kept) {
    const HostOps& host = *rank_.host;
    node_of_range_.assign(host.ranges.size(), kNone);
    for (uint32_t r = 0; r < host.ranges.size(); ++r) {  // parents come before their children
      const HostRange range = host.ranges[r];
      if (range.kind != Kind::kOperator || !kept.Has(range.kind, range.start, range.duration()))
        continue;
      own_[r] = range.duration();
      node_of_range_[r] = 0;  // it will have one
      places_.push_back({.start = range.start, .index = r});
      const int32_t above = WrittenAround(range.parent);
      if (above != kNoRange) own_[static_cast<size_t>(above)] -= range.duration();
    }
  }

  // The innermost operator that is written: the range, or one around it.
  int32_t WrittenAround(int32_t range) const {
    while (range != kNoRange && node_of_range_[static_cast<size_t>(range)] == kNone)
      range = rank_.host->ranges[static_cast<size_t>(range)].parent;
    return range;
  }

  // What computes on the host is there as an operator.
  void TakeActivities() {
    node_of_activity_.assign(rank_.activities.size(), kNone);
    for (uint32_t a = 0; a < rank_.activities.size(); ++a) {
      const Activity activity = rank_.activities[a];
      if (rank_.IsOfHost(activity) && !rank_.IsCollective(activity)) continue;
      places_.push_back({.start = activity.start, .index = a, .on_device = true});
    }
  }

  // Of each activity behind a wait of its stream: the last one that the stream waited for.
  void FindWaits() {
    for (const SyncRecord& sync : rank_.syncs) {
      if (sync.wait_stream < 0 || sync.stream < 0) continue;
      const auto [begins, ends] = Around(sync);
      if (begins && ends && *ends < *begins) waits_.emplace_back(*begins, node_of_activity_[*ends]);
    }
    std::ranges::sort(waits_);
  }

  // The first activity of the stream that starts when the wait is over, and the last one of the
  // other that has ended then.
  std::pair<std::optional<uint32_t>, std::optional<uint32_t>> Around(const SyncRecord& sync) {
    if (by_stream_.empty()) {
      by_stream_.resize(rank_.streams.size());
      for (uint32_t a = 0; a < rank_.activities.size(); ++a)
        by_stream_[rank_.activities[a].stream].push_back(a);
    }
    std::optional<uint32_t> begins, ends;
    for (size_t s = 0; s < rank_.streams.size(); ++s) {
      const Stream& stream = rank_.streams[s];
      if (stream.device != sync.device || stream.of_host) continue;
      const auto first = std::ranges::partition_point(
          by_stream_[s], [&](uint32_t a) { return rank_.activities[a].start < sync.end; });
      if (stream.stream == sync.stream && first != by_stream_[s].end()) begins = *first;
      if (stream.stream != sync.wait_stream || first == by_stream_[s].begin()) continue;
      const uint32_t before = *std::prev(first);
      if (rank_.activities[before].end <= sync.end) ends = before;
    }
    return {begins, ends};
  }

  chakra::Node HostNode(uint32_t r) {
    const HostOps& host = *rank_.host;
    const HostRange range = host.ranges[r];
    chakra::Node node{.id = node_of_range_[r],
                      .name = names_[range.name],
                      .start = Microseconds(range.start),
                      .duration = Microseconds(own_[r])};
    FollowLast(last_of_thread_, range.thread, node);
    for (const auto& [reader, writer] : std::ranges::equal_range(data_, r, {}, &ReadsOf::first)) {
      // Nodes are numbered by their starts: what is written later was not read.
      const uint64_t on = writer < node_of_range_.size() ? node_of_range_[writer] : kNone;
      if (on < node.id) node.data_deps.push_back(on);
    }
    if (const RangeDetail* detail = host.DetailOf(range)) {
      const auto text = [&](StringId id) {
        return id == kNoString ? std::string_view() : names_[id];
      };
      node.shapes = text(detail->shapes);
      node.types = text(detail->types);
      node.values = text(detail->values);
    }
    node.attributes = {{.name = "is_cpu_op", .type = Attribute::Type::kBool, .number = 1},
                       {.name = "tid", .number = range.thread}};
    return node;
  }

  chakra::Node DeviceNode(uint32_t a) {
    const Activity activity = rank_.activities[a];
    const Stream& stream = rank_.streams[activity.stream];
    chakra::Node node{.id = node_of_activity_[a],
                      .name = names_[activity.name],
                      .start = Microseconds(activity.start),
                      .duration = Microseconds(activity.end - activity.start)};
    FollowLast(last_of_stream_, activity.stream, node);
    if (const auto call = rank_.CallOf(activity)) {
      const int32_t range = WrittenAround(call->range);
      if (range != kNoRange) AddDependency(node_of_range_[static_cast<size_t>(range)], node);
    }
    for (const auto& [waiter, on] : std::ranges::equal_range(waits_, a, {}, &Wait::first))
      AddDependency(on, node);
    node.attributes = {{.name = "is_cpu_op", .type = Attribute::Type::kBool, .number = 0},
                       {.name = "device", .number = stream.device},
                       {.name = "stream", .number = stream.stream}};
    if (rank_.IsCollective(activity)) Describe(activity, node);
    return node;
  }

  // What the ranges around the call name, where a kernel only sends and receives.
  CollectiveOp OpAround(const Activity& activity) const {
    const auto call = rank_.CallOf(activity);
    int32_t range = call ? call->range : kNoRange;
    for (; range != kNoRange; range = rank_.host->ranges[static_cast<size_t>(range)].parent) {
      const HostRange around = rank_.host->ranges[static_cast<size_t>(range)];
      const CollectiveOp op = OpOfOperation(names_[around.name]);
      if (TypeOf(op)) return op;
    }
    return CollectiveOp::kExchange;
  }

  void Describe(const Activity& activity, chakra::Node& node) {
    const Collective* says = activity.detail == kNoDetail
                                 ? nullptr
                                 : &rank_.collectives[static_cast<size_t>(activity.detail)];
    const bool named = says != nullptr && says->operation != kNoString;
    CollectiveOp op =
        named ? OpOfOperation(names_[says->operation]) : OpOfKernel(names_[activity.name]);
    if (op == CollectiveOp::kExchange) op = OpAround(activity);
    const auto type = TypeOf(op);
    const bool send = op == CollectiveOp::kSend;
    const int64_t peer = says == nullptr ? -1 : (send ? says->to : says->from);
    const bool message = IsPointToPoint(op) && peer >= 0;
    if (!type && !message) {
      ++counts_.unknown;
      return;
    }
    ++(type ? counts_.collectives : counts_.messages);
    auto& attributes = node.attributes;
    if (type) {
      node.type = NodeType::kCollective;
      attributes.push_back({.name = "comm_type", .number = static_cast<int64_t>(*type)});
    } else {
      node.type = send ? NodeType::kSend : NodeType::kReceive;
      const auto add = [&](std::string_view name, int64_t number) {
        attributes.push_back({.name = name, .type = Attribute::Type::kInt32, .number = number});
      };
      add("comm_src", send ? rank_.rank : peer);
      add("comm_dst", send ? peer : rank_.rank);
      add("comm_tag", 0);
    }
    AddSize(says, op, attributes);
  }

  // What the rank puts in; of a receive what comes out.
  void AddSize(const Collective* says, CollectiveOp op, std::vector<Attribute>& attributes) {
    const bool typed = says != nullptr && says->type != kNoString;
    const int64_t each = typed ? ElementBytes(names_[says->type]) : 0;
    const int64_t elements = says == nullptr                ? -1
                             : op == CollectiveOp::kReceive ? says->out_elements
                                                            : says->in_elements;
    int64_t bytes = 0;
    if (each > 0 && elements >= 0 && !__builtin_mul_overflow(each, elements, &bytes))
      attributes.push_back({.name = "comm_size", .number = bytes});
    else
      ++counts_.without_size;
    if (says != nullptr && says->group != kNoString)
      attributes.push_back(
          {.name = "pg_name", .type = Attribute::Type::kText, .text = names_[says->group]});
  }

  static void AddDependency(uint64_t on, chakra::Node& node) {
    const bool known = std::ranges::find(node.ctrl_deps, on) != node.ctrl_deps.end();
    if (on != kNone && on != node.id && !known) node.ctrl_deps.push_back(on);
  }
  static void FollowLast(std::vector<uint64_t>& last, uint32_t lane, chakra::Node& node) {
    if (last.size() <= lane) last.resize(lane + size_t{1}, kNone);
    AddDependency(last[lane], node);
    last[lane] = node.id;
  }

  const RankActivity& rank_;
  const StringTable& names_;
  std::span<const ReadsOf> data_;
  std::vector<int64_t> own_;  // ns of each range that is written
  std::vector<Place> places_;
  std::vector<uint64_t> node_of_range_, node_of_activity_;
  std::vector<Wait> waits_;                       // ascending
  std::vector<std::vector<uint32_t>> by_stream_;  // activities, ascending
  std::vector<uint64_t> last_of_thread_, last_of_stream_;
  ChakraCounts counts_;
};

}  // namespace

Result<ChakraCounts> WriteChakra(const std::string& path, const RankActivity& rank,
                                 const StringTable& names, const KeptTimes& kept,
                                 std::span<const ReadsOf> data) {
  FileWriter file(path);
  if (auto created = file.Create(); !created) return std::unexpected(created.error());
  Graph graph(rank, names, kept, data);
  const auto counts = graph.Write(file);
  if (!counts) return counts;
  if (auto finished = file.Finish(); !finished) return std::unexpected(finished.error());
  if (auto named = file.Commit(); !named) return std::unexpected(named.error());
  return counts;
}

}  // namespace stepscope
