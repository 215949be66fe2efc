// Adds up activities by the call of an operator that launched them, and calls by their inputs.
#include "facts/derived/modules/shapes.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/modules/module_places.h"
#include "facts/derived/operators/operator_trees.h"
#include "facts/derived/operators/tensor_core_use.h"
#include "facts/operators/operator_call.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

constexpr uint32_t kNoItem = UINT32_MAX;

// One call of an operator, and what it launched.
struct Item {
  int32_t range = kNoRange;
  int32_t counted = -1;  // index into the counted operators
  int64_t time = 0;      // ns of activities
  int64_t kernels = 0;   // of which of compute kernels
  uint32_t device_index = 0;
  bool tensor_cores = false, communicates = false, between_memories = false;
};

// The operator that each range of a host is, or is inside of.
struct Owners {
  RangeLinks owner;              // kNoRange: none whose shapes are known
  std::vector<int32_t> counted;  // by range: index into the counted operators; -1: none
};

Owners OwnersOf(const HostOps& host, const OperatorTree& tree,
                const std::vector<CountedOperator>& counted) {
  Owners owners;
  owners.counted.assign(host.ranges.size(), -1);
  for (size_t i = 0; i < counted.size(); ++i)
    owners.counted[static_cast<size_t>(counted[i].range)] = static_cast<int32_t>(i);
  StopChecks checks;
  for (size_t r = 0; r < host.ranges.size(); ++r) {  // parents come before their children
    checks.Turn();
    const HostRange range = host.ranges[r];
    const RangeDetail* detail = host.DetailOf(range);
    const bool has_shapes = tree.IsOperator(r) && detail != nullptr && detail->shapes != kNoString;
    int32_t owner = kNoRange;
    if (range.parent != kNoRange) {
      const auto parent = static_cast<size_t>(range.parent);
      owner = owners.owner[parent];
      if (owners.counted[r] < 0) owners.counted[r] = owners.counted[parent];
    }
    const bool own = owners.counted[r] < 0 || owner == kNoRange ||
                     owners.counted[static_cast<size_t>(owner)] != owners.counted[r];
    owners.owner.Append(has_shapes && own ? static_cast<int32_t>(r) : owner);
  }
  return owners;
}

bool IsBetweenMemories(CopyPath path) {
  return path == CopyPath::kHostToDevice || path == CopyPath::kDeviceToHost ||
         path == CopyPath::kPeer;
}

// The module that has most of some time, where it has half of it or more; else the class of
// modules.
class ModuleTimes {
 public:
  void Add(StringId module, int64_t time) {
    int64_t& of_module = times_[module];
    of_module = AddSaturated(of_module, time);
  }

  std::string Most(const StringTable& names) const {
    int64_t all = 0;
    std::map<std::string_view, int64_t> modules, types;
    for (const auto& [id, time] : times_) {
      all = AddSaturated(all, time);
      if (id == kNoString) continue;
      const std::string_view module = ModuleOfFrame(names[id]);
      for (int64_t* sum : {&modules[module], &types[TypeOfModule(module)]})
        *sum = AddSaturated(*sum, time);
    }
    for (const auto* sums : {&modules, &types}) {
      const auto most =
          std::ranges::max_element(*sums, {}, [](const auto& sum) { return sum.second; });
      if (most != sums->end() && most->second >= all - most->second)
        return std::string(most->first);
    }
    return {};
  }

 private:
  std::unordered_map<StringId, int64_t> times_;
};

class Measure {
 public:
  Measure(const Facts& facts, double given_peak)
      : facts_(facts),
        names_(*facts.names),
        tensor_cores_(TensorCoreUseOf(facts)),
        given_peak_(given_peak) {}

  void Add(const RankActivity& rank) {
    const auto& counted = OperatorCostsOf(facts_, rank);
    const std::vector<Item> items =
        rank.on_host ? ItemsOfHost(rank, counted) : ItemsOf(rank, counted);
    const Roofs roofs(rank, given_peak_);
    std::optional<ModulePlaces> places;
    if (!items.empty() && rank.host->HasFrames()) places.emplace(names_, rank);
    std::unordered_map<uint64_t, size_t> groups;  // by name and detail, of this recording
    StopChecks checks;
    for (const Item& item : items) {
      checks.Turn();
      const HostRange range = rank.host->ranges[static_cast<size_t>(item.range)];
      const uint64_t key = uint64_t{range.name} << 32 | static_cast<uint32_t>(range.detail);
      const auto [group, is_new] = groups.try_emplace(key);
      if (is_new) group->second = GroupOf(range.name, *rank.host->DetailOf(range));
      AddItem(rank, range, item, group->second);
      ShapeUse& use = answer_.shapes[group->second];
      if (item.counted >= 0 && item.kernels > 0) {
        const OperatorCost& cost = counted[static_cast<size_t>(item.counted)].cost;
        FlopsSum sum = roofs.Of(cost, item.device_index, item.tensor_cores);
        sum.time = item.kernels;
        use.counted.Add(sum);
      }
      if (places) modules_[group->second].Add(places->OfRange(item.range).module, item.time);
    }
  }

  Shapes Finish() {
    for (size_t g = 0; g < answer_.shapes.size(); ++g)
      answer_.shapes[g].module = modules_[g].Most(names_);
    std::ranges::sort(answer_.shapes, {}, [&](const ShapeUse& use) {
      return std::tuple(-use.device_time, std::string_view(use.id), names_[use.op]);
    });
    return std::move(answer_);
  }

 private:
  std::vector<Item> ItemsOf(const RankActivity& rank, const std::vector<CountedOperator>& counted) {
    const OperatorTree& tree = OperatorTreeOf(facts_, rank);
    const Owners owners = OwnersOf(*rank.host, tree, counted);
    std::vector<uint32_t> item_of(rank.host->ranges.size(), kNoItem);
    std::vector<Item> items;
    StopChecks checks;
    for (const Activity& activity : rank.activities) {
      checks.Turn();
      answer_.device_time = AddSaturated(answer_.device_time, activity.duration());
      const auto call = rank.CallOf(activity);
      const int32_t owner = !call || call->range == kNoRange
                                ? kNoRange
                                : owners.owner[static_cast<size_t>(call->range)];
      if (owner == kNoRange) continue;
      answer_.with_shapes = AddSaturated(answer_.with_shapes, activity.duration());
      const auto o = static_cast<size_t>(owner);
      if (item_of[o] == kNoItem) {
        item_of[o] = static_cast<uint32_t>(items.size());
        items.push_back({.range = owner, .counted = owners.counted[o]});
      }
      AddActivity(rank, activity, items[item_of[o]]);
    }
    return items;
  }

  // Where threads compute, an operator's time is that of its range without what others have in it.
  std::vector<Item> ItemsOfHost(const RankActivity& rank,
                                const std::vector<CountedOperator>& counted) {
    const HostRanges& ranges = rank.host->ranges;
    const Owners owners = OwnersOf(*rank.host, OperatorTreeOf(facts_, rank), counted);
    const std::vector<int64_t> own = OwnTimes(rank);
    std::vector<uint32_t> item_of(ranges.size(), kNoItem);
    std::vector<Item> items;
    for (size_t r = 0; r < ranges.size(); ++r) {
      if (own[r] <= 0) continue;
      answer_.device_time = AddSaturated(answer_.device_time, own[r]);
      const int32_t owner = owners.owner[r];
      if (owner == kNoRange) continue;
      answer_.with_shapes = AddSaturated(answer_.with_shapes, own[r]);
      const auto o = static_cast<size_t>(owner);
      if (item_of[o] == kNoItem) {
        item_of[o] = static_cast<uint32_t>(items.size());
        items.push_back({.range = owner, .counted = owners.counted[o]});
      }
      Item& item = items[item_of[o]];
      item.time = item.kernels = AddSaturated(item.time, own[r]);
    }
    return items;
  }

  // By range, the time in no other range, of what computes: the operators that are activities, and
  // all within them.
  static std::vector<int64_t> OwnTimes(const RankActivity& rank) {
    using Key = std::tuple<int64_t, int64_t, StringId>;
    std::vector<Key> computing;
    for (const Activity& activity : rank.activities) {
      if (activity.kind == Kind::kCompute)
        computing.emplace_back(activity.start, activity.end, activity.name);
    }
    std::ranges::sort(computing);
    const HostRanges& ranges = rank.host->ranges;
    std::vector<int64_t> own(ranges.size());
    std::vector<bool> within(ranges.size());
    StopChecks checks;
    for (size_t r = 0; r < ranges.size(); ++r) {  // parents come before their children
      checks.Turn();
      const HostRange range = ranges[r];
      const bool of_parent = range.parent != kNoRange && within[static_cast<size_t>(range.parent)];
      within[r] = of_parent ||
                  std::ranges::binary_search(computing, Key(range.start, range.end, range.name));
      if (!within[r]) continue;
      own[r] = range.duration();
      if (of_parent) own[static_cast<size_t>(range.parent)] -= own[r];
    }
    return own;
  }

  void AddActivity(const RankActivity& rank, const Activity& activity, Item& item) {
    item.time = AddSaturated(item.time, activity.duration());
    item.communicates |= activity.kind == Kind::kCommunication;
    if (IsMemory(activity.kind) && activity.detail != kNoDetail)
      item.between_memories |=
          IsBetweenMemories(rank.copies[static_cast<size_t>(activity.detail)].path);
    if (activity.kind != Kind::kCompute) return;
    item.kernels = AddSaturated(item.kernels, activity.duration());
    item.tensor_cores |= tensor_cores_.MayUse(activity.name);
    item.device_index = rank.streams[activity.stream].device_index;
  }

  void AddItem(const RankActivity& rank, const HostRange& range, const Item& item, size_t group) {
    ShapeUse& use = answer_.shapes[group];
    ++use.calls;
    use.host_time = AddSaturated(use.host_time, range.duration());
    use.device_time = AddSaturated(use.device_time, item.time);
    use.communicates |= item.communicates;
    use.between_memories |= item.between_memories;
    if (use.calls > 1 && item.time <= use.longest) return;
    use.longest = item.time;
    use.longest_rank = rank.rank;
    use.longest_device = rank.device_name;
    use.inputs = *rank.host->DetailOf(range);
    const int32_t step = rank.StepAt(range.start);
    use.longest_step = step == kNoStep ? -1 : rank.steps[static_cast<size_t>(step)].number;
  }

  // The place of calls with these inputs among the shapes.
  size_t GroupOf(StringId op, const RangeDetail& detail) {
    const auto [known, is_new] =
        known_.try_emplace({op, detail.shapes, detail.types, detail.strides, detail.values});
    if (!is_new) return known->second;
    std::string id = IdOfCall(names_, op, detail);
    const auto [group, is_first] = groups_.try_emplace({op, id}, answer_.shapes.size());
    if (is_first) {
      answer_.shapes.push_back({.id = std::move(id), .op = op});
      modules_.emplace_back();
    }
    return known->second = group->second;
  }

  const Facts& facts_;
  const StringTable& names_;
  const TensorCoreUse& tensor_cores_;
  const double given_peak_;
  Shapes answer_;
  std::vector<ModuleTimes> modules_;                           // as answer_.shapes
  std::map<std::array<StringId, 5>, size_t> known_;            // by operator and texts
  std::map<std::pair<StringId, std::string>, size_t> groups_;  // by operator and id
};

}  // namespace

Shapes MeasureShapes(const Facts& facts, double given_peak) {
  Measure measure(facts, given_peak);
  for (const RankActivity& rank : facts.ranks) {
    StopIfAsked();
    if (!rank.activities.empty()) measure.Add(rank);
  }
  return measure.Finish();
}

}  // namespace stepscope
