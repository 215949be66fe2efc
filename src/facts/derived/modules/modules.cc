// Adds up activities, operators and calls by module.
#include "facts/derived/modules/modules.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/activity/compute_cover.h"
#include "facts/derived/modules/module_memory.h"
#include "facts/derived/modules/module_places.h"
#include "facts/derived/operators/operator_trees.h"
#include "facts/operators/compiled_ops.h"
#include "trace/frame_name.h"
#include "trace/scope_name.h"

namespace stepscope {
namespace {

constexpr int kDeepest = 64;  // beyond, a module is not looked for among those around it

struct Place {
  ModuleId module = kNoModule;
  bool backward = false;
};

// The modules of all ranks.
class Tree {
 public:
  Tree(const StringTable& names, std::vector<Module>& modules) : names_(names), modules_(modules) {}

  // Of a frame's name. One module has one name, wherever it is called.
  ModuleId OfFrame(StringId name) {
    const auto [at, is_new] = by_frame_.try_emplace(name, static_cast<ModuleId>(modules_.size()));
    if (is_new) Add(std::string(ModuleOfFrame(names_[name])), kNoModule);
    return at->second;
  }

  // A module is where it was first called within another one: recomputation calls it alone.
  void CalledIn(ModuleId module, ModuleId around) {
    if (modules_[module].parent == kNoModule && !IsAround(module, around))
      modules_[module].parent = around;
  }

  // Of what the compiler keeps of an operator's name.
  Place OfScope(StringId name) {
    const auto [at, is_new] = by_operator_.try_emplace(name);
    if (is_new) at->second = FindScope(names_[name]);
    return at->second;
  }

  // The scope of such a name if an operator's name had it before; else none.
  ModuleId KnownScope(StringId name) const {
    ModuleId module = kNoModule;
    for (const std::string_view part : ParseScopeName(names_[name]).modules) {
      const auto at = by_scope_.find({module, std::string(part)});
      if (at == by_scope_.end()) return kNoModule;
      module = at->second;
    }
    return module;
  }

 private:
  // Whether `module` is `other` or around it; true where that takes too long.
  bool IsAround(ModuleId module, ModuleId other) const {
    for (int i = 0; i < kDeepest; ++i) {
      if (other == module) return true;
      if (other == kNoModule) return false;
      other = modules_[other].parent;
    }
    return true;
  }

  Place FindScope(std::string_view name) {
    const ScopeName scope = ParseScopeName(name);
    Place place{kNoModule, scope.backward};
    int depth = 0;
    for (const std::string_view part : scope.modules) {
      if (++depth > kDeepest) break;
      const auto [at, is_new] = by_scope_.try_emplace({place.module, std::string(part)},
                                                      static_cast<ModuleId>(modules_.size()));
      if (is_new) Add(std::string(part), place.module);
      place.module = at->second;
    }
    return place;
  }

  void Add(std::string name, ModuleId parent) {
    std::string type(TypeOfModule(name));
    modules_.push_back({.name = std::move(name), .type = std::move(type), .parent = parent});
  }

  const StringTable& names_;
  std::vector<Module>& modules_;
  std::unordered_map<StringId, ModuleId> by_frame_;
  std::unordered_map<StringId, Place> by_operator_;
  std::map<std::pair<ModuleId, std::string>, ModuleId> by_scope_;
};

// Adds one recording.
class Recording {
 public:
  Recording(const Facts& facts, const RankActivity& rank, Tree& tree, Modules& modules)
      : facts_(facts),
        rank_(rank),
        tree_(tree),
        modules_(modules),
        places_(*facts.names, rank),
        compute_(ComputeCover::Of(rank)) {}

  void Add() {
    if (places_.any()) {
      modules_.host_known = true;
      AddCalls();
      AddOperators();
    }
    AddActivities();
    AddMemory();
  }

 private:
  Place PlaceIn(const ModulePlace& place) {
    if (place.module == kNoString) return {kNoModule, place.backward};
    return {tree_.OfFrame(place.module), place.backward};
  }

  Place PlaceOf(const Activity& activity, const KernelDetail* kernel) {
    if (places_.any())
      return activity.call == kNoCall ? Place{} : PlaceIn(places_.OfCall(activity.call));
    const StringId name = kernel == nullptr ? kNoString : kernel->framework_op;
    return name == kNoString ? Place{} : tree_.OfScope(name);
  }

  void AddCalls() {
    StopChecks checks;
    for (uint32_t t = 0; t < rank_.host->frames.size(); ++t) {
      const HostFrames& frames = rank_.host->frames[t];
      for (size_t f = 0; f < frames.size(); ++f) {
        checks.Turn();
        if (places_.ModuleAt(t, static_cast<int32_t>(f)) != static_cast<int32_t>(f)) continue;
        const HostFrame frame = frames[f];
        if (facts_.Counts(rank_, frame.start)) AddCall(t, frame);
      }
    }
  }

  void AddCall(uint32_t thread, const HostFrame& frame) {
    const ModuleId own = tree_.OfFrame(frame.name);
    const int32_t around = places_.ModuleAt(thread, frame.parent);
    const ModuleId above =
        around == kNoRange
            ? kNoModule
            : tree_.OfFrame(rank_.host->frames[thread][static_cast<size_t>(around)].name);
    Module& module = modules_.modules[own];
    ++module.calls;
    module.host_self = AddSaturated(module.host_self, frame.duration());
    if (above != own) module.host = AddSaturated(module.host, frame.duration());
    if (above == kNoModule) return;
    Module& outer = modules_.modules[above];
    outer.host_self = AddSaturated(outer.host_self, -frame.duration());
    if (above != own) tree_.CalledIn(own, above);
  }

  void AddOperators() {
    for (const auto& [range, cost] : OperatorCostsOf(facts_, rank_)) {
      const HostRange at = rank_.host->ranges[static_cast<size_t>(range)];
      if (!facts_.Counts(rank_, at.start)) continue;
      const Place place = PlaceIn(places_.OfRange(range));
      modules_.operators[{at.name, place.module}] += cost.flops;
      if (place.module != kNoModule) modules_.modules[place.module].self.flops += cost.flops;
    }
  }

  void AddActivities() {
    const CompiledOps ops(*facts_.names, rank_);
    int64_t all = 0, outside = 0;
    StopChecks checks;
    for (const Activity& activity : rank_.activities) {
      checks.Turn();
      const KernelDetail* kernel = rank_.KernelOf(activity);
      const Place place = PlaceOf(activity, kernel);
      all = AddSaturated(all, activity.duration());
      modules_.activities[{activity.name, place.module}] +=
          static_cast<double>(activity.duration());
      const int64_t exposed = ExposedOf(activity);
      if (exposed > 0)
        modules_.exposed[{activity.name, place.module}] += static_cast<double>(exposed);
      if (place.module == kNoModule) {
        outside = AddSaturated(outside, activity.duration());
        continue;
      }
      ModuleSum& sum = modules_.modules[place.module].self;
      AddActivity(activity, place, sum);
      sum.exposed = AddSaturated(sum.exposed, exposed);
      const bool counted = kernel != nullptr && kernel->flops > 0 && !places_.any() &&
                           ops.StandsForExecution(activity, *kernel);
      if (counted) sum.flops += static_cast<double>(kernel->flops);
    }
    if (outside == all) return;  // nothing here names modules
    modules_.device_time = AddSaturated(modules_.device_time, all);
    modules_.outside = AddSaturated(modules_.outside, outside);
  }

  void AddActivity(const Activity& activity, const Place& place, ModuleSum& sum) {
    int64_t& time = place.backward ? sum.backward : sum.forward;
    time = AddSaturated(time, activity.duration());
    if (!IsMemory(activity.kind)) ++sum.kernels;
  }

  // ns of communication without concurrent compute; 0 of other activities.
  int64_t ExposedOf(const Activity& activity) const {
    if (activity.kind != Kind::kCommunication) return 0;
    const ComputeCover& cover = compute_[rank_.streams[activity.stream].device_index];
    return activity.duration() - cover.Within(activity.start, activity.end);
  }

  // Recordings that name no module say nothing of the memory of modules.
  void AddMemory() {
    if (modules_.modules.empty()) return;
    const TakenMemory taken = MemoryTakenOnDevices(facts_, rank_);
    modules_.memory_known = modules_.memory_known || taken.known;
    modules_.blocks_known = modules_.blocks_known || taken.blocks_known;
    const std::vector<ModulePlace> places = places_.OfMemory();
    for (const TakenBlock& block : taken.blocks) {
      const ModuleId module = ModuleOfMemory(places, block.event);
      if (module == kNoModule) continue;
      ModuleSum& sum = modules_.modules[module].self;
      sum.allocated = AddSaturated(sum.allocated, block.allocated);
      sum.at_peak = AddSaturated(sum.at_peak, block.at_peak);
    }
  }

  ModuleId ModuleOfMemory(const std::vector<ModulePlace>& places, uint32_t event) {
    if (places_.any()) return PlaceIn(places[event]).module;
    const MemoryDetail* detail = rank_.host->DetailOf(rank_.host->memory[event]);
    const bool named = detail != nullptr && detail->framework_op != kNoString;
    return named ? tree_.KnownScope(detail->framework_op) : kNoModule;
  }

  const Facts& facts_;
  const RankActivity& rank_;
  Tree& tree_;
  Modules& modules_;
  const ModulePlaces places_;
  const std::vector<ComputeCover> compute_;  // by device
};

// The deepest first.
std::vector<ModuleId> InnerFirst(const std::vector<Module>& modules) {
  std::vector<int32_t> depths(modules.size(), -1);
  std::vector<ModuleId> way, order;
  for (ModuleId m = 0; m < modules.size(); ++m) {
    order.push_back(m);
    ModuleId at = m;
    for (; at != kNoModule && depths[at] < 0; at = modules[at].parent) way.push_back(at);
    int32_t depth = at == kNoModule ? -1 : depths[at];
    for (; !way.empty(); way.pop_back()) depths[way.back()] = ++depth;
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](ModuleId m) { return depths[m]; });
  return order;
}

void AddUp(std::vector<Module>& modules) {
  for (Module& module : modules) {
    module.host_self = std::max<int64_t>(module.host_self, 0);
    module.all = module.self;
  }
  for (const ModuleId m : InnerFirst(modules)) {
    if (modules[m].parent != kNoModule) modules[modules[m].parent].all.Add(modules[m].all);
  }
}

}  // namespace

int64_t ModuleSum::Device() const { return AddSaturated(forward, backward); }

void ModuleSum::Add(const ModuleSum& o) {
  kernels += o.kernels;
  forward = AddSaturated(forward, o.forward);
  backward = AddSaturated(backward, o.backward);
  exposed = AddSaturated(exposed, o.exposed);
  flops += o.flops;
  allocated = AddSaturated(allocated, o.allocated);
  at_peak = AddSaturated(at_peak, o.at_peak);
}

std::string Modules::PathOf(ModuleId module) const {
  const auto add = [](std::string& path, std::string_view name) {
    if (!path.empty()) path += '/';
    for (const char c : name) path += c == '/' ? std::string("%2F") : std::string(1, c);
  };
  std::vector<ModuleId> way;
  for (ModuleId m = module; m != kNoModule; m = modules[m].parent) way.push_back(m);
  std::string path;
  for (; !way.empty(); way.pop_back()) add(path, modules[way.back()].name);
  return path;
}

std::string Modules::PlaceOf(StringId name, const AmountByModule& amounts) const {
  double all = 0, most = 0, most_of_type = 0;
  ModuleId largest = kNoModule;
  std::map<std::string_view, double> types;
  std::string_view type;
  for (auto at = amounts.lower_bound({name, 0}); at != amounts.end() && at->first.first == name;
       ++at) {
    const ModuleId module = at->first.second;
    all += at->second;
    if (module == kNoModule) continue;
    if (at->second > most) {
      most = at->second;
      largest = module;
    }
    double& of_type = types[modules[module].type];
    of_type += at->second;
    if (of_type > most_of_type) {
      most_of_type = of_type;
      type = modules[module].type;
    }
  }
  if (largest == kNoModule) return {};
  if (2 * most >= all) return modules[largest].name;
  return 2 * most_of_type >= all ? std::string(type) : std::string();
}

namespace {

// Most recordings do not, and are not looked at.
bool MayNameModules(const RankActivity& rank) {
  return rank.host->HasFrames() || std::ranges::any_of(rank.kernels, [](const KernelDetail& k) {
           return k.framework_op != kNoString;
         });
}

Modules MeasureModules(const Facts& facts) {
  Modules modules;
  Tree tree(*facts.names, modules.modules);
  for (const RankActivity& rank : facts.ranks) {
    StopIfAsked();
    if (!MayNameModules(rank)) continue;
    Recording(facts, rank, tree, modules).Add();
  }
  AddUp(modules.modules);
  return modules;
}

}  // namespace

const Modules& ModulesOf(const Facts& facts) { return facts.memo.Of<MeasureModules>(facts); }

}  // namespace stepscope
