// Joins activities with their operators or with the compiler's counts, and compares them with the
// device's peak.
#include "facts/derived/operators/recording_flops.h"

#include <set>

#include "base/stop.h"
#include "base/time_units.h"
#include "facts/derived/operators/operator_trees.h"
#include "facts/derived/operators/tensor_core_use.h"
#include "facts/operators/compiled_ops.h"
#include "facts/operators/operators.h"

namespace stepscope {
namespace {

// What one execution of an operator, or a kernel with the compiler's counts, adds.
struct CountedWork {
  StringId op = 0;
  OperatorCost cost;
  int64_t occurrences = 1;
  int64_t time = 0;  // ns of its activities
  uint32_t device_index = 0;
  bool tensor_cores = false;
  int32_t step = kNoStep;  // in which it was launched, as index into RankActivity::steps
};

class FlopsCounter {
 public:
  FlopsCounter(const Facts& facts, const RankActivity& rank, double given_peak)
      : facts_(facts),
        names_(*facts.names),
        tensor_cores_(TensorCoreUseOf(facts)),
        rank_(rank),
        ops_(names_, rank),
        roofs_(rank, given_peak) {
    MeasureTime();
  }

  RecordingFlops Measure() {
    sum_.rank = rank_.rank;
    sum_.window = rank_.window;
    sum_.devices = static_cast<int64_t>(rank_.devices.size());
    if (!roofs_.peaks().empty()) {
      sum_.chip = roofs_.peaks()[0].name;
      sum_.source = roofs_.given() ? "given" : roofs_.peaks()[0].source;
    }
    AddOperators();
    NamePeaks();
    return std::move(sum_);
  }

 private:
  // Steps that another follows in the same stretch are measured from start to start.
  void MeasureTime() {
    place_.assign(rank_.steps.size(), kNotMeasured);
    for (size_t s = 0; s + 1 < rank_.steps.size(); ++s) {
      const Step &step = rank_.steps[s], &next = rank_.steps[s + 1];
      if (step.stretch != next.stretch || next.start <= step.start) continue;
      place_[s] = sum_.steps.size();
      sum_.steps.push_back({.number = step.number, .time = next.start - step.start});
      sum_.time = AddSaturated(sum_.time, next.start - step.start);
      sum_.by_steps = true;
    }
    if (sum_.by_steps) return;
    for (const DeviceFacts& device : facts_.devices) {
      if (device.rank == &rank_) sum_.time = std::max(sum_.time, device.total.Span());
    }
  }

  // The step's place among those that are measured.
  size_t PlaceOf(int32_t step) const {
    return step == kNoStep ? kNotMeasured : place_[static_cast<size_t>(step)];
  }

  void AddOperators() {
    const HostOps& host = *rank_.host;
    const auto& counted = OperatorCostsOf(facts_, rank_);
    // The counted operator that each range is, or is inside of: index into `items`.
    std::vector<int32_t> item_of(host.ranges.size(), -1);
    std::vector<CountedWork> items;
    for (const auto& [range, cost] : counted) {
      const HostRange& op = host.ranges[static_cast<size_t>(range)];
      item_of[static_cast<size_t>(range)] = static_cast<int32_t>(items.size());
      items.push_back({.op = op.name, .cost = cost, .step = rank_.StepAt(op.start)});
    }
    StopChecks checks;
    for (size_t r = 0; r < host.ranges.size(); ++r) {
      checks.Turn();
      const int32_t parent = host.ranges[r].parent;
      if (item_of[r] < 0 && parent != kNoRange) item_of[r] = item_of[static_cast<size_t>(parent)];
    }
    for (const Activity& activity : rank_.activities) AddActivity(activity, item_of, items);
    for (const CountedWork& item : items) {
      if (item.time > 0) AddItem(item);
    }
  }

  void AddActivity(const Activity& activity, const std::vector<int32_t>& item_of,
                   std::vector<CountedWork>& items) {
    if (activity.kind != Kind::kCompute) return;
    sum_.kernel_time = AddSaturated(sum_.kernel_time, activity.duration());
    const uint32_t device = rank_.streams[activity.stream].device_index;
    const bool tensor_cores = tensor_cores_.MayUse(activity.name);
    const KernelDetail* kernel = rank_.KernelOf(activity);
    const auto call = rank_.CallOf(activity);
    const int32_t at =
        !call || call->range == kNoRange ? -1 : item_of[static_cast<size_t>(call->range)];
    if (kernel != nullptr && kernel->flops > 0) {
      sum_.covered = AddSaturated(sum_.covered, activity.duration());
      AddItem(OfCompiler(activity, *kernel, device, tensor_cores));
    } else if (at >= 0) {
      sum_.covered = AddSaturated(sum_.covered, activity.duration());
      CountedWork& item = items[static_cast<size_t>(at)];
      item.time = AddSaturated(item.time, activity.duration());
      item.tensor_cores |= tensor_cores;
      item.device_index = device;
    }
  }

  CountedWork OfCompiler(const Activity& activity, const KernelDetail& kernel, uint32_t device,
                         bool tensor_cores) const {
    // Its other kernels bring their time to the operation, and not its counts again.
    const StringId stands_for = ops_.StandsFor(activity, kernel);
    const bool stands = stands_for == activity.name;
    const double flops = stands ? static_cast<double>(kernel.flops) : 0;
    const double bytes = stands && kernel.bytes > 0 ? static_cast<double>(kernel.bytes) : 0;
    const StringId named = NamedOperator(names_, &kernel);
    return {.op = named == kNoString ? activity.name : named,
            .cost = {flops, flops, bytes, TypeOf(stands_for)},
            .occurrences = stands ? 1 : 0,
            .time = activity.duration(),
            .device_index = device,
            .tensor_cores = tensor_cores,
            .step = activity.step};
  }

  // The compiler's counts come without a type: 16 bit, unless the kernel's name says otherwise.
  NumberType TypeOf(StringId kernel) const {
    switch (PrecisionOfKernel(names_[kernel])) {
      case Precision::k8:
        return NumberType::kFp8;
      case Precision::k32:
        return NumberType::kFp32;
      default:
        return NumberType::kOther;
    }
  }

  // A peak that was given is that of every type.
  void NamePeaks() {
    if (sum_.source.empty() || roofs_.given()) return;
    for (size_t i = 0; std::string_view type : peak_types_) {
      sum_.source += i++ == 0 ? ": " : ", ";
      sum_.source += type;
    }
  }

  void AddItem(const CountedWork& item) {
    FlopsSum sum = roofs_.Of(item.cost, item.device_index, item.tensor_cores);
    sum.occurrences = item.occurrences;
    sum.time = item.time;
    sum_.operators[{item.op, item.cost.type}].Add(sum);
    const size_t place = PlaceOf(item.step);
    if (sum_.by_steps && place == kNotMeasured) return;
    const double peak = roofs_.PeakOf(item.cost.type, item.device_index, item.tensor_cores);
    const double model_at_peak = peak > 0 ? item.cost.model_flops / peak * kSecond : 0;
    if (sum_.by_steps) sum_.steps[place].model_peak_time += model_at_peak;
    sum_.flops += item.cost.flops;
    sum_.model += item.cost.model_flops;
    sum_.peak_time += sum.at_peak;
    sum_.model_peak_time += model_at_peak;
    sum_.has_peak |= peak > 0;
    if (peak > 0 && item.cost.flops > 0) peak_types_.insert(PeakTypeName(item.cost.type, sum.tf32));
    if (peak <= 0) sum_.without_peak += item.occurrences;
  }

  // Operands whose type is not known are set against the peak of 16 bit.
  static std::string_view PeakTypeName(NumberType type, bool tf32) {
    if (tf32) return "tf32";
    return type == NumberType::kOther ? "16 bit" : NumberTypeName(type);
  }

  static constexpr size_t kNotMeasured = SIZE_MAX;

  const Facts& facts_;
  const StringTable& names_;
  const TensorCoreUse& tensor_cores_;
  const RankActivity& rank_;
  const CompiledOps ops_;
  const Roofs roofs_;
  std::set<std::string_view> peak_types_;  // those that counted
  std::vector<size_t> place_;              // by step
  RecordingFlops sum_;
};

RecordingFlops AgainstOwnPeaks(const Facts& facts, const RankActivity& rank) {
  return FlopsCounter(facts, rank, 0).Measure();
}

}  // namespace

RecordingFlops MeasureFlops(const Facts& facts, const RankActivity& rank, double given_peak) {
  return FlopsCounter(facts, rank, given_peak).Measure();
}

const RecordingFlops& FlopsOf(const Facts& facts, const RankActivity& rank) {
  return facts.memo.Of<AgainstOwnPeaks>(facts, rank);
}

}  // namespace stepscope
