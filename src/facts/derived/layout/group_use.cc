// Compares when the collectives of different groups run within steps.
#include "facts/derived/layout/group_use.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stop.h"
#include "facts/derived/job/data_parallel.h"

namespace stepscope {
namespace {

constexpr double kAfterMost = 0.5;  // of the others' collectives have begun: behind them
constexpr double kAmongFirst =
    0.25;  // before more of them have begun: within layers from the start
constexpr double kManyPerStep = 4;

InferredKind KnownUse(ParallelKind kind, std::string by) {
  return {kind, std::string(ParallelKindName(kind)), std::move(by)};
}
InferredKind OpenUse(std::string label, std::string why) {
  return {ParallelKind::kUnknown, std::move(label), std::move(why)};
}

// When the collectives of a form run, over all steps of all ranks.
struct UseTiming {
  double earlier = 0;  // sum of shares of the others' that had begun when its first one did
  double calls = 0, steps = 0;

  bool Behind() const { return steps > 0 && earlier >= kAfterMost * steps; }
  bool WithinLayers() const {
    return steps > 0 && earlier <= kAmongFirst * steps && calls >= kManyPerStep * steps;
  }
};

class UseReader {
 public:
  UseReader(const Facts& facts, const std::vector<GroupForm>& forms, bool others)
      : facts_(facts), groups_(ProcessGroupsOf(facts)), forms_(forms), others_(others) {}

  std::vector<InferredKind> Read() {
    std::vector<InferredKind> kinds;
    int64_t reducing = 0;
    for (const GroupForm& form : forms_) reducing += IsPartial(form) && Reduces(form) ? 1 : 0;
    if (reducing > 0 && (forms_.size() > 1 || others_)) Time();
    for (size_t f = 0; f < forms_.size(); ++f) kinds.push_back(Infer(f, reducing));
    return kinds;
  }

 private:
  bool IsPartial(const GroupForm& form) const { return form.size != groups_.world; }
  static bool Reduces(const GroupForm& form) {
    const GroupUse& use = form.use;
    return !form.of_messages && 2 * (use.reductions + use.gathers) > use.Total() &&
           use.reductions > 0;
  }

  InferredKind Infer(size_t f, int64_t reducing) const {
    const GroupForm& form = forms_[f];
    if (form.of_messages) return OfMessages(form);
    if (2 * form.use.all_to_alls >= form.use.Total() && form.use.all_to_alls > 0)
      return OfAllToAll(form);
    if (2 * form.use.of_experts > form.use.Total()) {
      return KnownUse(ParallelKind::kExpert, "kernels that dispatch tokens to experts");
    }
    if (form.size == groups_.world) return OfAll(form);
    if (!Reduces(form)) return OpenUse("unknown", "no description, and no telling use");
    return OfReductions(f, reducing);
  }

  InferredKind OfMessages(const GroupForm& form) const {
    const bool chains =
        std::ranges::all_of(form.groups, [&](uint32_t g) { return groups_.groups[g].is_chain; });
    if (chains) {
      return KnownUse(ParallelKind::kPipeline, "a chain of sends and receives");
    }
    return OpenUse("pp or cp", "sends and receives in no chain");
  }

  // Experts move as many tokens as were routed to them; so do embeddings that are looked up.
  InferredKind OfAllToAll(const GroupForm& form) const {
    const std::string name = NameOfExperts();
    if (!name.empty()) return KnownUse(ParallelKind::kExpert, "all-to-all, in a job with " + name);
    if (form.size == groups_.world)
      return KnownUse(ParallelKind::kAllRanks, "members, with all-to-alls");
    return OpenUse("all-to-all", "experts, sequences or embeddings");
  }

  std::string NameOfExperts() const {
    const StringTable& names = *facts_.names;
    std::vector<uint8_t> seen(names.size());
    StopChecks checks;
    for (const RankActivity& rank : facts_.ranks) {
      for (const Activity& activity : rank.activities) {
        checks.Turn();
        if (std::exchange(seen[activity.name], uint8_t{1}) != 0) continue;
        if (IsOfExperts(names[activity.name])) return std::string(names[activity.name]);
      }
      for (const HostRange& range : rank.host->ranges) {
        checks.Turn();
        if (std::exchange(seen[range.name], uint8_t{1}) != 0) continue;
        if (IsOfExperts(names[range.name])) return std::string(names[range.name]);
      }
    }
    return "";
  }

  static bool IsOfExperts(std::string_view name) {
    if (name.size() > 200) return false;
    return KindOfDescription(name).kind == ParallelKind::kExpert || name.contains("MoE") ||
           name.contains("expert");
  }

  InferredKind OfAll(const GroupForm& form) const {
    const bool alone = forms_.size() == 1 && !others_;
    if (!alone) return KnownUse(ParallelKind::kAllRanks, "members");
    // Replicas that also exchange parts of a model: embeddings, or experts.
    if (form.use.all_to_alls + form.use.exchanges > 0)
      return KnownUse(ParallelKind::kAllRanks, "members, which also exchange");
    const DataParallel& wrappers = DataParallelOf(facts_);
    if (wrappers.ddp) return KnownUse(ParallelKind::kData, "DDP ran");
    if (wrappers.fsdp || wrappers.fsdp2) return KnownUse(ParallelKind::kData, "FSDP ran");
    if (!Reduces(form)) return KnownUse(ParallelKind::kAllRanks, "members");
    return OpenUse("dp or tp", "one kind of group only");
  }

  InferredKind OfReductions(size_t f, int64_t reducing) const {
    const auto timed = timings_.find(f);
    if (timed == timings_.end()) return OpenUse("dp or tp", "one kind of group only");
    if (timed->second.Behind())
      return KnownUse(ParallelKind::kData, "reductions at the end of steps");
    const DataParallel& wrappers = DataParallelOf(facts_);
    const GroupUse& use = forms_[f].use;
    const bool shards = use.gathers > 0 && use.reductions > use.all_reduces;
    const bool sharded = wrappers.fsdp || wrappers.fsdp2;
    if (shards && sharded && reducing == 1)
      return KnownUse(ParallelKind::kData, "FSDP ran; only these shard");
    // A sharded model is gathered within layers too.
    if (timed->second.WithinLayers() && !shards && !sharded && forms_[f].stride == 1) {
      return KnownUse(ParallelKind::kTensor, "neighbours reduce within layers");
    }
    return OpenUse("dp or tp", "its use fits both");
  }

  // Form of each group; kNobody: of none.
  std::vector<uint32_t> FormOf() const {
    std::vector<uint32_t> form_of(groups_.groups.size(), kNobody);
    for (uint32_t f = 0; f < forms_.size(); ++f) {
      for (const uint32_t g : forms_[f].groups) form_of[g] = f;
    }
    return form_of;
  }

  // Of each step of each recording, the starts of what communicates, by form; those with a
  // description count as others.
  void Time() {
    using Starts = std::vector<std::pair<int64_t, uint32_t>>;
    const std::vector<uint32_t> form_of = FormOf();
    const CollectiveFacts& c = facts_.collectives;
    std::map<std::pair<uint32_t, int32_t>, Starts> steps;
    for (const CollectiveMatch& match : c.matches) {
      for (const CollectivePart& part : c.Parts(match)) {
        const uint32_t group = groups_.Of(c, match, part);
        if (group == kNobody || groups_.groups[group].size == groups_.world) continue;
        const int32_t step = facts_.ranks[part.recording].activities[part.activity].step;
        if (step != kNoStep) steps[{part.recording, step}].emplace_back(part.start, form_of[group]);
      }
    }
    for (auto& [step, starts] : steps) {
      std::ranges::sort(starts);
      AddStep(starts);
    }
  }

  void AddStep(const std::vector<std::pair<int64_t, uint32_t>>& starts) {
    std::map<uint32_t, double> calls, before;  // of each form; all others before its first
    double all = 0;
    for (const auto& [start, form] : starts) {
      if (calls[form]++ == 0) before[form] = all;
      ++all;
    }
    for (const auto& [form, count] : calls) {
      if (form == kNobody || count == all) continue;
      UseTiming& timing = timings_[form];
      timing.earlier += before[form] / (all - count);
      timing.calls += count;
      ++timing.steps;
    }
  }

  const Facts& facts_;
  const ProcessGroups& groups_;
  const std::vector<GroupForm>& forms_;
  const bool others_;
  std::map<size_t, UseTiming> timings_;  // by form, of those that have others beside them
};

}  // namespace

std::vector<InferredKind> InferKinds(const Facts& facts, const std::vector<GroupForm>& forms,
                                     bool others) {
  return UseReader(facts, forms, others).Read();
}

}  // namespace stepscope
