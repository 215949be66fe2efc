// Selects all-reduces from the collectives, and finds what launched them.
#include "facts/derived/collectives/allreduces.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "facts/activity/compute_cover.h"
#include "facts/activity/range_phases.h"
#include "facts/derived/collectives/absent_ranks.h"

namespace stepscope {
namespace {

// An operator's first input type: `["float", "Scalar"]`.
int64_t BytesOfTypes(std::string_view types) {
  struct Size {
    std::string_view name;
    int64_t bytes;
  };
  constexpr auto kSizes = std::to_array<Size>({{"float", 4},
                                               {"double", 8},
                                               {"c10::BFloat16", 2},
                                               {"c10::Half", 2},
                                               {"long", 8},
                                               {"long int", 8},
                                               {"int", 4},
                                               {"unsigned char", 1},
                                               {"signed char", 1},
                                               {"bool", 1}});
  const size_t from = types.find('"');
  if (from == types.npos) return 0;
  const std::string_view first = types.substr(from + 1, types.find('"', from + 1) - from - 1);
  const auto size = std::ranges::find(kSizes, first, &Size::name);
  return size == kSizes.end() ? 0 : size->bytes;
}

struct Size {
  int64_t bytes = -1, elements = -1;
};

// What the operator that launched `activity` says of its tensors.
Size SizeByOperator(const StringTable& names, const RankActivity& rank, const Activity& activity) {
  const auto call = rank.CallOf(activity);
  int32_t range = !call ? kNoRange : call->range;
  constexpr int kNear = 4;  // operators of a framework's call are that deep
  for (int i = 0; i < kNear && range != kNoRange; ++i) {
    const HostRange& r = rank.host->ranges[static_cast<size_t>(range)];
    range = r.parent;
    const RangeDetail* detail = rank.host->DetailOf(r);
    const bool message =
        detail != nullptr && detail->shapes != kNoString && detail->types != kNoString;
    if (!message || OpOfOperation(names[r.name]) != CollectiveOp::kAllReduce) continue;
    const int64_t elements = ElementsOfShapes(names[detail->shapes]);
    const int64_t each = BytesOfTypes(names[detail->types]);
    int64_t bytes = 0;
    if (elements < 0 || each == 0 || __builtin_mul_overflow(elements, each, &bytes)) continue;
    return {bytes, elements};
  }
  return {};
}

Size SizeOf(const StringTable& names, const RankActivity& rank, const Activity& activity,
            int64_t bytes) {
  if (bytes < 0) return SizeByOperator(names, rank, activity);
  if (activity.detail == kNoDetail) return {bytes, -1};
  return {bytes, rank.collectives[static_cast<size_t>(activity.detail)].in_elements};
}

class Finder {
 public:
  explicit Finder(const Facts& facts) : facts_(facts), phases_(facts.ranks.size()) {
    for (uint32_t d = 0; d < facts.devices.size(); ++d) {
      const DeviceFacts& device = facts.devices[d];
      devices_[{device.rank, device.device_index}] = d;
    }
  }

  AllReduceFacts Find() {
    const CollectiveFacts& c = facts_.collectives;
    const AbsentWaits& absent = AbsentWaitsOf(facts_);
    for (const CollectiveMatch& match : c.matches) {
      if (match.op == CollectiveOp::kAllReduce && match.count > 0) AddMatch(match, absent);
    }
    for (const CollectiveMismatch& m : c.mismatches) {
      if (m.op == CollectiveOp::kAllReduce) ++out_.mismatched;
    }
    std::ranges::sort(out_.all, {}, [](const AllReduce& a) {
      return std::tuple(a.device, a.start, a.end, a.group, a.bytes);
    });
    FindUnions();
    SetBestAlike();
    return std::move(out_);
  }

 private:
  // How many ranks, and how far apart the first two are.
  using Axis = std::pair<int64_t, int64_t>;

  Axis AxisOf(uint32_t group) const {
    const CollectiveGroup& g = facts_.collectives.groups[group];
    return {g.size, g.members.size() > 1 ? g.members[1] - g.members[0] : 0};
  }

  void SetBestAlike() {
    out_.several_axes = best_.size() > 1;
    for (uint32_t g = 0; g < facts_.collectives.groups.size(); ++g) {
      const auto best = best_.find(AxisOf(g));
      out_.best_alike.push_back(best == best_.end() ? -1 : best->second);
    }
  }

  void AddMatch(const CollectiveMatch& match, const AbsentWaits& absent) {
    const int64_t for_absent =
        absent.by_match[static_cast<size_t>(&match - facts_.collectives.matches.data())];
    int64_t shortest = INT64_MAX, bytes = -1;
    for (const CollectivePart& part : facts_.collectives.Parts(match)) {
      const RankActivity& rank = facts_.ranks[part.recording];
      const Activity& activity = rank.activities[part.activity];
      const Size size = SizeOf(*facts_.names, rank, activity, match.bytes);
      AllReduce a{.device = devices_.at({&rank, rank.streams[activity.stream].device_index}),
                  .group = match.group,
                  .step = activity.step,
                  .start = part.start,
                  .end = part.end,
                  .wait = std::max<int64_t>(part.wait, 0) + for_absent,
                  .bytes = size.bytes,
                  .elements = size.elements};
      if (const auto call = rank.CallOf(activity)) {
        const RangePhases& phases = PhasesOf(part.recording);
        a.phase = phases.At(call->range, call->thread, call->start);
        a.phase_known = phases.HasBackward();
      }
      out_.all.push_back(a);
      shortest = std::min(shortest, part.duration());
      bytes = std::max(bytes, size.bytes);
    }
    if (bytes > 0 && shortest > 0) NoteBandwidth(match, bytes, shortest);
  }

  void NoteBandwidth(const CollectiveMatch& match, int64_t bytes, int64_t time) {
    const double rate = static_cast<double>(bytes) / (static_cast<double>(time) * 1e-9);
    out_.best_bandwidth = std::max(out_.best_bandwidth, rate);
    double& best = best_.try_emplace(AxisOf(match.group), rate).first->second;
    best = std::max(best, rate);
    const auto factor = BusFactor(match.op, facts_.collectives.groups[match.group].size);
    if (factor) out_.best_bus_bandwidth = std::max(out_.best_bus_bandwidth, rate * *factor);
  }

  const RangePhases& PhasesOf(uint32_t recording) {
    auto& phases = phases_[recording];
    if (!phases) phases.emplace(*facts_.names, facts_.ranks[recording]);
    return *phases;
  }

  void FindUnions() {
    const RankActivity* of = nullptr;
    std::vector<ComputeCover> covers;
    uint32_t device = UINT32_MAX;
    int64_t until = 0;
    for (AllReduce& a : out_.all) {
      const DeviceFacts& on = facts_.devices[a.device];
      if (on.rank != of) covers = ComputeCover::Of(*on.rank);
      of = on.rank;
      if (a.device != device) until = a.start;
      device = a.device;
      const int64_t from = std::max(a.start, until);
      until = std::max(until, a.end);
      if (from >= a.end) continue;
      a.alone = a.end - from;
      const ComputeCover& cover = covers[on.device_index];
      a.exposed = a.alone - cover.Within(from, a.end);
      const int64_t all_there = std::max(from, a.start + a.wait);
      a.exposed_transfer = a.end - all_there - cover.Within(all_there, a.end);
    }
  }

  const Facts& facts_;
  AllReduceFacts out_;
  std::map<Axis, double> best_;  // bytes/s
  std::map<std::pair<const RankActivity*, uint32_t>, uint32_t> devices_;
  std::vector<std::optional<RangePhases>> phases_;  // by recording
};

}  // namespace

AllReduceFacts FindAllReduces(const Facts& facts) { return Finder(facts).Find(); }

int64_t ElementsOfShapes(std::string_view shapes) {
  int64_t sum = 0, product = 1, number = -1;
  bool any = false, tensor = false;
  const auto end_number = [&] {
    if (number < 0) return true;
    tensor = true;
    const bool fits = !__builtin_mul_overflow(product, number, &product);
    number = -1;
    return fits;
  };
  for (const char c : shapes) {
    if (c >= '0' && c <= '9') {
      if (number < 0) number = 0;
      if (__builtin_mul_overflow(number, 10, &number) ||
          __builtin_add_overflow(number, c - '0', &number)) {
        return -1;
      }
      continue;
    }
    if (c != '[' && c != ']' && c != ',' && c != ' ' && c != '\n' && c != '\t') return -1;
    if (!end_number()) return -1;
    if (c != '[' && c != ']') continue;
    if (tensor && __builtin_add_overflow(sum, product, &sum)) return -1;
    any = any || tensor;
    product = 1;
    tensor = false;
  }
  return any ? sum : -1;
}

}  // namespace stepscope
