// Divides groups into classes, and checks that these form a grid.
#include "facts/derived/layout/parallel_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "facts/derived/layout/group_use.h"

namespace stepscope {
namespace {

// The distance of neighbours, if it is the same for all; else 0.
int64_t StrideOf(const ProcessGroup& group) {
  if (!group.complete || group.members.size() < 2) return 0;
  const int64_t stride = group.members[1] - group.members[0];
  for (size_t i = 2; i < group.members.size(); ++i) {
    if (group.members[i] - group.members[i - 1] != stride) return 0;
  }
  return stride;
}

// As people say them: replicas, stages, parts of sequences, parts of layers.
int OrderOf(const GroupClass& c) {
  switch (c.kind) {
    case ParallelKind::kData:
      return c.label == "dp_shard" ? 1 : 0;
    case ParallelKind::kPipeline:
      return 2;
    case ParallelKind::kContext:
      return 3;
    case ParallelKind::kTensor:
      return 5;
    case ParallelKind::kExpert:
      return 6;
    case ParallelKind::kExpertData:
      return 7;
    case ParallelKind::kExpertTensor:
      return 8;
    case ParallelKind::kUnknown:
      return c.label == "pp or cp" ? 2 : c.label == "dp or tp" ? 4 : 10;
    case ParallelKind::kCombined:
      return c.label == "dp+cp" ? 0 : 9;
    case ParallelKind::kEmbedding:
      return 11;
    case ParallelKind::kAllRanks:
      return 12;
  }
  return 13;
}

class LayoutFinder {
 public:
  explicit LayoutFinder(const Facts& facts) : facts_(facts), groups_(ProcessGroupsOf(facts)) {}

  ParallelLayout Find() {
    Describe();
    Infer();
    std::ranges::stable_sort(out_.classes, {}, [](const GroupClass& c) {
      return std::tuple(OrderOf(c), c.label, -c.stride, -c.size);
    });
    MakeLabelsUnique();
    out_.class_of.assign(groups_.groups.size(), kNobody);
    for (uint32_t c = 0; c < out_.classes.size(); ++c) {
      for (const uint32_t g : out_.classes[c].groups) out_.class_of[g] = c;
    }
    Seat();
    ChooseAxes();
    return std::move(out_);
  }

 private:
  // Jobs have a handful. Each seat has a coordinate in every class, so that one for each group of
  // thousands would take memory by their square: those beyond are one class of any size.
  static constexpr size_t kMostClasses = 64;
  static constexpr int64_t kAnySize = -1;

  const ProcessGroup& Group(uint32_t g) const { return groups_.groups[g]; }

  void Describe() {
    std::map<std::pair<std::string, int64_t>, size_t> by_label;
    for (uint32_t g = 0; g < groups_.groups.size(); ++g) {
      const ProcessGroup& group = Group(g);
      if (group.size == 1) continue;
      DescribedKind described = KindOfDescription(group.description);
      if (described.kind == ParallelKind::kUnknown) {
        AddToForm(g);
        continue;
      }
      if (out_.classes.size() >= kMostClasses) {
        AddToForm(g);
        continue;
      }
      const auto [at, is_new] =
          by_label.try_emplace({described.label, group.size}, out_.classes.size());
      if (is_new) {
        out_.classes.push_back({.kind = described.kind,
                                .label = std::move(described.label),
                                .described = true,
                                .known_by = "described as " + group.description,
                                .size = group.size,
                                .stride = StrideOf(group)});
      }
      GroupClass& c = out_.classes[at->second];
      c.groups.push_back(g);
      if (c.stride != StrideOf(group)) c.stride = 0;
    }
  }

  void AddToForm(uint32_t g) {
    const ProcessGroup& group = Group(g);
    if (group.use.Total() == 0) return;
    GroupForm* form = FindForm(group.of_messages, group.size, StrideOf(group));
    if (form == nullptr) form = FindForm(group.of_messages, kAnySize, 0);
    form->groups.push_back(g);
    form->use.Add(group.use);
  }

  // Makes it where there is none. Null: there are too many, but for those of any size.
  GroupForm* FindForm(bool of_messages, int64_t size, int64_t stride) {
    const auto at = std::ranges::find_if(forms_, [&](const GroupForm& f) {
      return f.of_messages == of_messages && f.size == size && f.stride == stride;
    });
    if (at != forms_.end()) return &*at;
    if (forms_.size() >= kMostClasses && size != kAnySize) return nullptr;
    forms_.push_back({.of_messages = of_messages, .size = size, .stride = stride});
    return &forms_.back();
  }

  // Where the same kind is described with the same size, what was inferred is of that class.
  void Infer() {
    const bool others = std::ranges::any_of(
        out_.classes, [&](const GroupClass& c) { return c.size != groups_.world; });
    std::vector<InferredKind> kinds = InferKinds(facts_, forms_, others);
    for (size_t f = 0; f < forms_.size(); ++f) {
      out_.classes.push_back({.kind = kinds[f].kind,
                              .label = std::move(kinds[f].label),
                              .known_by = std::move(kinds[f].known_by),
                              .size = forms_[f].size,
                              .stride = forms_[f].stride,
                              .groups = std::move(forms_[f].groups)});
    }
  }

  // "dp or tp (stride 4)", "dp of 2" where several have one label.
  void MakeLabelsUnique() {
    std::map<std::string, int> count;
    for (const GroupClass& c : out_.classes) ++count[c.label];
    std::set<std::string> used;
    for (GroupClass& c : out_.classes) {
      std::string label = c.label;
      if (count[label] > 1 && c.size > 0) label += fmt::format(" of {}", c.size);
      if (used.contains(label) && c.stride > 0) label += fmt::format(", stride {}", c.stride);
      for (int more = 2; used.contains(label); ++more)
        label = fmt::format("{} ({})", c.label, more);
      used.insert(label);
      c.label = std::move(label);
    }
  }

  // The coordinates of all seats that are known, and which classes divide them.
  void Seat() {
    for (const RankCollectives& rank : facts_.collectives.ranks) {
      const auto p = static_cast<uint32_t>(&rank - facts_.collectives.ranks.data());
      SeatAt(groups_.SeatOf(facts_.collectives, p));
    }
    for (uint32_t c = 0; c < out_.classes.size(); ++c) {
      out_.classes[c].divides = true;
      std::set<std::vector<int64_t>> seen;
      for (const uint32_t g : out_.classes[c].groups) {
        const ProcessGroup& group = Group(g);
        if (!group.complete) out_.classes[c].divides = false;
        if (group.complete && seen.insert(group.members).second) SeatMembers(group.members, c);
      }
    }
  }

  std::vector<int64_t>& SeatAt(int64_t seat) {
    return out_.seats.try_emplace(seat, out_.classes.size(), -1).first->second;
  }

  void SeatMembers(const std::vector<int64_t>& members, uint32_t c) {
    for (size_t i = 0; i < members.size(); ++i) {
      int64_t& coordinate = SeatAt(members[i])[c];
      if (coordinate != -1) out_.classes[c].divides = false;
      coordinate = static_cast<int64_t>(i);
    }
  }

  bool MayBeAxis(const GroupClass& c) const {
    if (c.size < 2 || !c.divides) return false;
    switch (c.kind) {
      case ParallelKind::kData:
      case ParallelKind::kPipeline:
      case ParallelKind::kContext:
      case ParallelKind::kTensor:
        return true;
      case ParallelKind::kUnknown:
        return c.label.starts_with("dp or tp") || c.label.starts_with("pp or cp");
      // Replicas of what sequences are divided among, where these are no groups of their own.
      case ParallelKind::kCombined:
        return c.label == "dp+cp" && out_.OfKind(ParallelKind::kData) == nullptr;
      default:
        return false;
    }
  }

  void ChooseAxes() {
    for (uint32_t c = 0; c < out_.classes.size(); ++c) {
      if (MayBeAxis(out_.classes[c])) out_.axes.push_back(c);
    }
    DropRepeated();
    if (TryGrid()) return;
    // Experts may be an axis of their own, or divide the ranks of others once more.
    const std::vector<uint32_t> before = out_.axes;
    const Phrase problem = out_.problem;
    for (uint32_t c = 0; c < out_.classes.size(); ++c) {
      const GroupClass& of = out_.classes[c];
      if (of.kind == ParallelKind::kExpert && of.size >= 2 && of.divides) out_.axes.push_back(c);
    }
    if (out_.axes.size() > before.size() && TryGrid()) return;
    if (before.empty()) return;
    out_.axes = before;
    out_.problem = problem;
  }

  // Two classes of the same groups are one axis.
  void DropRepeated() {
    std::set<std::set<std::vector<int64_t>>> seen;
    std::erase_if(out_.axes, [&](uint32_t c) {
      std::set<std::vector<int64_t>> members;
      for (const uint32_t g : out_.classes[c].groups) members.insert(Group(g).members);
      return !seen.insert(std::move(members)).second;
    });
  }

  bool TryGrid() {
    out_.problem.clear();
    out_.is_grid = false;
    if (out_.axes.empty()) {
      out_.problem = "no group has a known kind and known members";
      return false;
    }
    double product = 1;
    for (const uint32_t c : out_.axes) product *= static_cast<double>(out_.classes[c].size);
    for (size_t i = 0; i < out_.axes.size(); ++i) {
      for (size_t k = i + 1; k < out_.axes.size(); ++k) {
        if (Meet(out_.axes[i], out_.axes[k])) continue;
        out_.problem = Say("groups of {kind} and {other} share several ranks",
                           out_.classes[out_.axes[i]].label, out_.classes[out_.axes[k]].label);
        return false;
      }
    }
    if (product != static_cast<double>(groups_.world)) {
      const std::string sizes = fmt::format("{:.0f}", product);
      out_.problem =
          groups_.devices
              ? Say("the sizes of known groups multiply to {product}, and the job has {count} "
                    "devices",
                    sizes, groups_.world)
              : Say("the sizes of known groups multiply to {product}, and the job has {count} "
                    "ranks",
                    sizes, groups_.world);
      return false;
    }
    return out_.is_grid = true;
  }

  // Each group of one with each of the other in at most one rank.
  bool Meet(uint32_t a, uint32_t b) const {
    std::map<int64_t, uint32_t> group_of;
    for (const uint32_t g : out_.classes[a].groups) {
      for (const int64_t seat : Group(g).members) group_of[seat] = g;
    }
    std::set<std::vector<int64_t>> done;
    for (const uint32_t g : out_.classes[b].groups) {
      if (!done.insert(Group(g).members).second) continue;
      std::set<uint32_t> met;
      for (const int64_t seat : Group(g).members) {
        const auto at = group_of.find(seat);
        if (at != group_of.end() && !met.insert(at->second).second) return false;
      }
    }
    return true;
  }

  const Facts& facts_;
  const ProcessGroups& groups_;
  std::vector<GroupForm> forms_;  // of groups without a telling description
  ParallelLayout out_;
};

ParallelLayout FindLayout(const Facts& facts) { return LayoutFinder(facts).Find(); }

}  // namespace

std::string ParallelLayout::Say() const {
  std::string text;
  for (const uint32_t c : axes) {
    if (!text.empty()) text += is_grid ? " x " : ", ";
    text += fmt::format("{} {}", classes[c].label, classes[c].size);
  }
  return text;
}

const GroupClass* ParallelLayout::OfKind(ParallelKind kind) const {
  const auto at = std::ranges::find(classes, kind, &GroupClass::kind);
  return at == classes.end() ? nullptr : &*at;
}

const ParallelLayout& ParallelLayoutOf(const Facts& facts) {
  return facts.memo.Of<FindLayout>(facts);
}

}  // namespace stepscope
