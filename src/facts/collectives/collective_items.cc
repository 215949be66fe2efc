// Reads the collective arguments of each communication kernel.
#include "facts/collectives/collective_items.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace stepscope {
namespace {

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e37'79b9'7f4a'7c15u;
  return hash ^ (hash >> 29);
}

// The numbers of "[0, 1, 2]", ascending; none of another text.
std::vector<int64_t> ReadNumbers(std::string_view text) {
  std::vector<int64_t> numbers;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    if (std::string_view("[], ").contains(*at)) {
      ++at;
      continue;
    }
    const auto [next, error] = std::from_chars(at, end, numbers.emplace_back());
    if (error != std::errc() || numbers.back() < 0) return {};
    at = next;
  }
  std::ranges::sort(numbers);
  return numbers;
}

// Collects the kernels of all ranks.
class Collector {
 public:
  Collector(const StringTable& names, std::span<const RankActivity> ranks, CollectiveFacts& facts)
      : names_(names), ranks_(ranks), facts_(facts) {}

  CollectiveItems Collect() {
    for (uint32_t r = 0; r < ranks_.size(); ++r) {
      if (facts_.ranks.empty() || facts_.ranks.back().rank != ranks_[r].rank) {
        AddParticipants(r);
        CountLanes(r);
      }
      CollectFrom(r);
    }
    for (const auto& [group, rank] : present_) ++facts_.groups[group].present;
    return std::move(out_);
  }

 private:
  using GroupKey = std::tuple<StringId, StringId, int64_t, bool, uint32_t>;
  using DescriptionKey = std::tuple<StringId, StringId, StringId, int64_t, int64_t>;

  // Of the rank whose first recording this is: its devices, if several communicate. Thousands are
  // no devices, and each would be compared with each.
  void AddParticipants(uint32_t recording) {
    const int64_t number = ranks_[recording].rank;
    std::set<int64_t> devices;
    for (uint32_t r = recording; r < ranks_.size() && ranks_[r].rank == number; ++r) {
      const RankActivity& rank = ranks_[r];
      if (rank.devices.size() < 2) continue;
      for (const Activity& activity : rank.activities) {
        if (rank.IsCollective(activity)) devices.insert(rank.streams[activity.stream].device);
      }
    }
    constexpr size_t kMostDevices = 1024;
    if (devices.size() < 2 || devices.size() > kMostDevices) devices = {-1};
    for (const int64_t device : devices)
      facts_.ranks.push_back(
          {.rank = number, .device = device, .machine = ranks_[recording].machine});
  }

  void CollectFrom(uint32_t recording) {
    const RankActivity& rank = ranks_[recording];
    std::vector<uint32_t> members;
    for (const int64_t device : rank.devices) {
      const auto added = static_cast<uint32_t>(out_.member_rank.size());
      const auto [at, is_new] = members_.try_emplace({rank.rank, device}, added);
      if (is_new) out_.member_rank.push_back(facts_.ParticipantOf(rank.rank, device));
      members.push_back(at->second);
    }
    const std::vector<uint32_t> lanes = LanesOf(recording);
    for (uint32_t w = 0; w < rank.activities.size(); ++w) {
      const Activity& activity = rank.activities[w];
      if (!rank.IsCollective(activity)) continue;
      static const Collective kSilent;
      const Collective& c = activity.detail == kNoDetail
                                ? kSilent
                                : rank.collectives[static_cast<size_t>(activity.detail)];
      const uint32_t member = members[rank.streams[activity.stream].device_index];
      const uint32_t group = GroupOf(rank, c, lanes[activity.stream]);
      NotePresence(group, member);
      out_.items.push_back({.sequence = c.sequence,
                            .group = group,
                            .member = member,
                            .lane = c.group == kNoString ? lanes[activity.stream] : 0,
                            .recording = recording,
                            .activity = w,
                            .description = DescriptionOf(c, activity.name)});
    }
  }

  void NotePresence(uint32_t group, uint32_t member) {
    if (last_member_.size() <= group) last_member_.resize(group + 1, kNobody);
    if (last_member_[group] != member) present_.emplace(group, out_.member_rank[member]);
    last_member_[group] = member;
  }

  // Communication streams of each device of the rank, counted: communicators have streams of their
  // own, the same in every recording.
  std::vector<uint32_t> LanesOf(uint32_t recording) {
    const RankActivity& rank = ranks_[recording];
    std::vector<uint32_t> lanes;
    for (const Stream& s : rank.streams) {
      const auto known = lanes_.find({s.device, s.stream});
      lanes.push_back(known == lanes_.end() ? 0 : known->second);
    }
    return lanes;
  }

  // Of the rank whose first recording this is.
  void CountLanes(uint32_t recording) {
    lanes_.clear();
    for (uint32_t r = recording; r < ranks_.size() && ranks_[r].rank == ranks_[recording].rank;
         ++r) {
      std::vector<bool> communicates(ranks_[r].streams.size(), false);
      for (const Activity& activity : ranks_[r].activities) {
        if (ranks_[r].IsCollective(activity)) communicates[activity.stream] = true;
      }
      for (size_t i = 0; i < communicates.size(); ++i) {
        const Stream& s = ranks_[r].streams[i];
        if (communicates[i]) lanes_.try_emplace({s.device, s.stream}, 0);
      }
    }
    std::map<int64_t, uint32_t> next;  // by device
    for (auto& [stream, lane] : lanes_) lane = next[stream.first]++;
  }

  // Where the rank lists its groups, collectives that name none are told apart by them.
  uint32_t GroupOf(const RankActivity& rank, const Collective& c, uint32_t lane) {
    const bool numbered = c.sequence >= 0;
    const bool is_named = c.group != kNoString;
    const GroupKey key = {c.group, c.members, c.group_size, numbered,
                          numbered || is_named || !rank.group_members.empty() ? 0 : lane};
    if (!facts_.groups.empty() && key == last_group_key_) return last_group_;
    const auto added = static_cast<uint32_t>(facts_.groups.size());
    const auto [at, is_new] = groups_.try_emplace(key, added);
    if (is_new) {
      facts_.groups.push_back({.label = Label(c),
                               .size = c.group_size,
                               .members = MembersOf(rank, c),
                               .numbered = numbered});
      facts_.groups.back().description =
          c.description != kNoString ? std::string(names_[c.description])
                                     : ListedDescription(rank, facts_.groups.back().members);
      out_.named.push_back(is_named);
    }
    last_group_key_ = key;
    return last_group_ = at->second;
  }

  // As the collective lists them; else the one group of that size which the rank lists.
  std::vector<int64_t> MembersOf(const RankActivity& rank, const Collective& c) const {
    std::vector<int64_t> members;
    if (c.members != kNoString) members = ReadNumbers(names_[c.members]);
    if (std::ssize(members) == c.group_size) return members;
    const auto fits = [&](const auto& group) { return std::ssize(group) == c.group_size; };
    const auto& listed = rank.group_members;
    if (std::ranges::count_if(listed, fits) != 1) return {};
    return *std::ranges::find_if(listed, fits);
  }

  std::string Label(const Collective& c) {
    if (c.group == kNoString) return "unnamed";
    const auto same = same_name_.try_emplace(c.group, c.members, c.group_size).first;
    std::string label(names_[c.group]);
    if (same->second == std::pair(c.members, c.group_size)) return label;
    if (c.members != kNoString) return label + " " + std::string(names_[c.members]);
    return label + " of " + std::to_string(c.group_size);
  }

  uint32_t DescriptionOf(const Collective& c, StringId kernel) {
    const bool message = c.operation != kNoString;
    const DescriptionKey key = {c.operation, message ? 0 : kernel, c.type, c.in_elements,
                                c.out_elements};
    if (!out_.descriptions.empty() && key == last_description_key_) return last_description_;
    const auto added = static_cast<uint32_t>(out_.descriptions.size());
    const auto [at, is_new] = descriptions_.try_emplace(key, added);
    if (is_new) out_.descriptions.push_back(Describe(c, kernel));
    last_description_key_ = key;
    return last_description_ = at->second;
  }

  CollectiveDescription Describe(const Collective& c, StringId kernel) const {
    const bool message = c.operation != kNoString;
    CollectiveDescription d{
        .op = message ? OpOfOperation(names_[c.operation]) : OpOfKernel(names_[kernel]),
        .operation = c.operation};
    const int64_t element = c.type == kNoString ? 0 : ElementBytes(names_[c.type]);
    d.bytes = CollectiveBytes(d.op, c.in_elements, c.out_elements, element);
    d.label = Mix(1, static_cast<uint64_t>(d.op));
    if (d.op == CollectiveOp::kOther) d.label = Mix(d.label, message ? c.operation : kernel);
    if (const auto shared = SharedElements(d.op, c.in_elements, c.out_elements)) {
      d.label = Mix(Mix(d.label, c.type), static_cast<uint64_t>(*shared));
    }
    return d;
  }

  const StringTable& names_;
  std::span<const RankActivity> ranks_;
  CollectiveFacts& facts_;
  CollectiveItems out_;
  std::map<GroupKey, uint32_t> groups_;
  std::map<DescriptionKey, uint32_t> descriptions_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> members_;     // by rank and device
  std::map<std::pair<int64_t, int64_t>, uint32_t> lanes_;       // of one rank, by device and stream
  std::map<StringId, std::pair<StringId, int64_t>> same_name_;  // the first group of each name
  std::set<std::pair<uint32_t, uint32_t>> present_;             // group, participant
  std::vector<uint32_t> last_member_;  // of each group, so that most are not looked up
  GroupKey last_group_key_;
  DescriptionKey last_description_key_;
  uint32_t last_group_ = 0, last_description_ = 0;
};

}  // namespace

std::string ListedDescription(const RankActivity& rank, std::span<const int64_t> members) {
  const std::string* found = nullptr;
  if (members.empty()) return "";
  for (size_t g = 0; g < rank.group_descriptions.size(); ++g) {
    if (!std::ranges::equal(rank.group_members[g], members)) continue;
    if (found != nullptr && *found != rank.group_descriptions[g]) return "";
    found = &rank.group_descriptions[g];
  }
  return found == nullptr ? "" : *found;
}

CollectiveItems CollectItems(const StringTable& names, std::span<const RankActivity> ranks,
                             CollectiveFacts& facts) {
  return Collector(names, ranks, facts).Collect();
}

}  // namespace stepscope
