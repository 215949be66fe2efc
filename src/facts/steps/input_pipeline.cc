// Finds the operations and stages of input pipelines among host ranges.
#include "facts/steps/input_pipeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/intervals.h"
#include "base/saturate.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

constexpr std::string_view kIteratorPrefix = "Iterator::";

// The TensorFlow Profiler's rules: what reads from files is told by the end of the iterator's path,
// and reads in advance if something on the path keeps or fetches ahead.
constexpr auto kReaders = std::to_array<std::string_view>(
    {"TFRecord", "TextLine", "FixedLengthRecord", "SSTable", "RecordIO", "ArrayRecord"});
constexpr auto kAhead = std::to_array<std::string_view>(
    {"::MemoryReader", "::MemoryWriter", "::Interleave", "::Prefetch", "::ParallelMap"});

// "Iterator::Root::ForeverRepeat[0]::Map[3]" is a "Map".
std::string_view TypeOfIterator(std::string_view path) {
  path.remove_prefix(path.rfind("::") + 2);
  return path.substr(0, path.find('['));
}

InputCategory CategoryOfIterator(std::string_view path) {
  const std::string_view type = TypeOfIterator(path);
  if (std::ranges::find(kReaders, type) == kReaders.end()) return InputCategory::kPreprocessing;
  const bool ahead =
      std::ranges::any_of(kAhead, [&](std::string_view part) { return path.contains(part); });
  return ahead ? InputCategory::kReadInAdvance : InputCategory::kReadOnDemand;
}

bool IsLoader(std::string_view name) { return name.starts_with("enumerate(Data"); }

// Whether a range prepares input, and what it does for it.
std::optional<InputCategory> CategoryOfRange(std::string_view name) {
  if (name.starts_with(kIteratorPrefix)) return CategoryOfIterator(name);
  if (IsLoader(name)) {
    return name.contains("_MultiProcessing") ? InputCategory::kLoaderWorkers
                                             : InputCategory::kPreprocessing;
  }
  if (name.contains("InfeedEnqueue") || name.contains("TransferToInfeed") ||
      Lower(name).starts_with("memcpyhtod"))
    return InputCategory::kEnqueuing;
  const bool loads = HostActivityOfName(name) == HostActivity::kInputWait &&
                     !name.starts_with("IteratorGetNext");  // which only waits for iterators
  return loads ? std::optional(InputCategory::kOther) : std::nullopt;
}

void AddTo(int64_t& sum, int64_t time) { sum = AddSaturated(sum, time); }

class Collector {
 public:
  Collector(const RankActivity& rank, const StringTable& names, bool only_steps)
      : rank_(rank), host_(*rank.host), names_(names), only_steps_(only_steps) {}

  InputPipeline Collect() {
    FindOwners();
    CountOperators();
    CountStages();
    return std::move(out_);
  }

 private:
  static constexpr int32_t kNobody = kNoRange;
  struct Stage {
    StringId name = kNoString;
    int64_t parent = INT64_MIN;  // key of the stage that asks it; INT64_MIN: nobody recorded
    std::vector<Interval> calls;
    int64_t longest = 0;
  };

  std::optional<InputCategory> CategoryOf(StringId name) {
    const auto [at, is_new] = categories_.try_emplace(name);
    if (is_new) at->second = CategoryOfRange(names_[name]);
    return at->second;
  }

  // For each range the innermost one around it, itself included, that prepares input.
  void FindOwners() {
    for (size_t r = 0; r < host_.ranges.size(); ++r) {
      const HostRange& range = host_.ranges[r];
      if (CategoryOf(range.name))
        owner_.Append(static_cast<int32_t>(r));
      else
        owner_.Append(OwnerAround(range.parent));
    }
  }

  // Whether the range prepares input itself, where that counts.
  bool Counts(size_t r) const {
    if (owner_[r] != static_cast<int32_t>(r)) return false;
    return !only_steps_ || rank_.StepAt(host_.ranges[r].start) != kNoStep;
  }

  int32_t OwnerAround(int32_t parent) const {
    return parent == kNoRange ? kNobody : owner_[static_cast<size_t>(parent)];
  }

  void CountOperators() {
    std::unordered_map<int32_t, int64_t> within;
    for (size_t r = 0; r < owner_.size(); ++r) {
      if (!Counts(r)) continue;
      const int32_t around = OwnerAround(host_.ranges[r].parent);
      if (around != kNobody) AddTo(within[around], host_.ranges[r].duration());
    }
    std::map<StringId, InputOperator> by_name;
    for (size_t r = 0; r < owner_.size(); ++r) {
      if (!Counts(r)) continue;
      const HostRange& range = host_.ranges[r];
      InputOperator& op = by_name[range.name];
      op.name = range.name;
      op.category = CategoryOf(range.name).value_or(InputCategory::kOther);
      ++op.count;
      AddTo(op.total, range.duration());
      const int64_t self = std::max<int64_t>(range.duration() - within[static_cast<int32_t>(r)], 0);
      AddTo(op.self, self);
      const int32_t step = rank_.StepAt(range.start);
      if (step == kNoStep) continue;
      auto& times = out_.by_step[rank_.steps[static_cast<size_t>(step)].number];
      AddTo(times[static_cast<size_t>(op.category)], self);
    }
    for (const auto& [name, op] : by_name) out_.operators.push_back(op);
    std::ranges::stable_sort(out_.operators, std::ranges::greater{}, &InputOperator::self);
  }

  // Iterators that the trace does not number are told apart by their paths.
  int64_t KeyOf(const HostRange& range) const {
    const RangeDetail* detail = host_.DetailOf(range);
    if (detail != nullptr && detail->iterator >= 0) return detail->iterator;
    return -2 - static_cast<int64_t>(range.name);
  }

  void AddCall(size_t r) {
    const HostRange& range = host_.ranges[r];
    Stage& stage = stages_[KeyOf(range)];
    stage.name = range.name;
    stage.calls.push_back({range.start, range.end});
    stage.longest = std::max(stage.longest, range.duration());
    const RangeDetail* detail = host_.DetailOf(range);
    if (detail != nullptr && detail->iterator_parent >= 0) {
      stage.parent = detail->iterator_parent;
    } else if (const int32_t around = OwnerAround(range.parent); around != kNobody) {
      const int64_t parent = KeyOf(host_.ranges[static_cast<size_t>(around)]);
      if (stage.parent == INT64_MIN && parent != KeyOf(range)) stage.parent = parent;
    }
  }

  // From those who are asked by nobody down: a stage is waited for while its asker is, and it runs.
  void CountStages() {
    for (size_t r = 0; r < owner_.size(); ++r) {
      const std::string_view name = names_[host_.ranges[r].name];
      const bool stage = name.starts_with(kIteratorPrefix) || IsLoader(name);
      if (stage && Counts(r)) AddCall(r);
    }
    std::map<int64_t, std::vector<int64_t>> asked_by;
    std::vector<std::pair<int64_t, IntervalSet>> next;  // stages, and when they are waited for
    for (auto& [key, stage] : stages_) {
      if (stages_.contains(stage.parent) && stage.parent != key) {
        asked_by[stage.parent].push_back(key);
      } else {
        next.emplace_back(key, UnionOf(stage.calls));
        AddTo(out_.waited, LengthOf(next.back().second));
      }
    }
    while (!next.empty()) {
      auto [key, waited] = std::move(next.back());
      next.pop_back();
      std::vector<Interval> of_children;
      for (const int64_t child : asked_by[key]) {
        next.emplace_back(child, Intersection(UnionOf(stages_[child].calls), waited));
        of_children.insert(of_children.end(), next.back().second.begin(), next.back().second.end());
      }
      AddStage(stages_[key], LengthOf(waited) - LengthOf(UnionOf(std::move(of_children))));
    }
    std::ranges::stable_sort(out_.stages, std::ranges::greater{}, &PipelineStage::waited);
  }

  void AddStage(const Stage& stage, int64_t waited) {
    const std::string_view name = names_[stage.name];
    out_.stages.push_back(
        {.name = stage.name,
         .type =
             std::string(name.starts_with(kIteratorPrefix) ? TypeOfIterator(name) : "DataLoader"),
         .calls = static_cast<int64_t>(stage.calls.size()),
         .longest = stage.longest,
         .waited = waited});
  }

  const RankActivity& rank_;
  const HostOps& host_;
  const StringTable& names_;
  const bool only_steps_;
  InputPipeline out_;
  std::unordered_map<StringId, std::optional<InputCategory>> categories_;
  RangeLinks owner_;  // by range
  std::map<int64_t, Stage> stages_;
};

}  // namespace

std::string_view InputCategoryName(InputCategory category) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"reading data from files on demand", "reading data from files in advance",
       "data preprocessing", "enqueuing data to be transferred to device",
       "other data reading or processing", "waiting for loader workers"});
  static_assert(kNames.size() == kInputCategories);
  return kNames[static_cast<size_t>(category)];
}

InputPipeline InputPipelineOf(const RankActivity& rank, const StringTable& names, bool only_steps) {
  return Collector(rank, names, only_steps).Collect();
}

}  // namespace stepscope
