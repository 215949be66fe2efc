// Measures how kernels of traces use their devices.
#include "facts/derived/operators/kernel_use.h"

#include <algorithm>
#include <tuple>

#include "facts/derived/operators/operator_trees.h"
#include "facts/devices/device_peaks.h"

namespace stepscope {

namespace {

// Whether there are devices, and all are such.
template <class IsSuch>
bool All(const std::vector<DeviceFacts>& devices, const IsSuch& is_such) {
  return !devices.empty() && std::ranges::all_of(devices, [&](const DeviceFacts& device) {
    return is_such(*device.rank, device.device);
  });
}

}  // namespace

KernelUse::KernelUse(const Facts& facts)
    : facts_(facts),
      names_(*facts.names),
      tensor_cores_(TensorCoreUseOf(facts)),
      missing_communication_(MissingCommunicationOf(facts)),
      eligible_(names_.size(), -1),
      plain_(names_.size(), -1),
      only_tpus_(All(facts.devices, IsTpu)),
      only_amd_(All(facts.devices, IsAmd)) {}

void KernelUse::Add(const RankActivity& rank, RankKernelUse& sums) {
  const OperatorTree& tree = OperatorTreeOf(facts_, rank);
  std::vector<Device> devices;
  for (const int64_t number : rank.devices)
    devices.push_back({LimitsOf(rank, number), HasTensorCores(rank, number).value_or(false)});
  // By kernel, operator and detail; the launches that these make are fewer.
  std::map<std::tuple<StringId, StringId, int32_t, uint32_t>, KernelSum> details;
  for (const Activity& activity : rank.activities) {
    if (IsMemory(activity.kind)) continue;
    const uint32_t device = rank.streams[activity.stream].device_index;
    const KernelDetail* kernel = rank.KernelOf(activity);
    const LaunchConfig* config = kernel == nullptr ? nullptr : &kernel->config;
    const StringId op = OperatorNameOf(rank, tree, activity, kernel);
    const double occupied =
        config == nullptr ? -1 : OccupancyOf(*config, devices[device].limits).value_or(-1);
    sums.kernels[activity.name].Add(activity, config, occupied);
    const int32_t detail =
        kernel == nullptr ? kNoDetail : static_cast<int32_t>(kernel - rank.kernels.data());
    details[{activity.name, op, detail, device}].Add(activity, config, occupied);
    AddToTotals(activity, op, config, occupied, devices[device]);
  }
  for (const auto& [key, sum] : details) {
    const auto [name, op, detail, device] = key;
    AddLaunch(
        sums, name, op,
        detail == kNoDetail ? LaunchConfig{} : rank.kernels[static_cast<size_t>(detail)].config,
        devices[device], sum);
  }
}

TensorCores KernelUse::Uses(StringId kernel) {
  if (only_tpus_) return TensorCores::kUnknown;
  return tensor_cores_.Of(kernel);
}

bool KernelUse::IsEligible(StringId op, StringId kernel) {
  if (Uses(kernel) == TensorCores::kYes) return true;
  if (op == kNoString) return false;
  int8_t& known = eligible_[op];
  if (known < 0) known = IsTensorCoreEligible(names_[op]) ? 1 : 0;
  return known > 0;
}

bool KernelUse::IsPlain(StringId kernel) {
  int8_t& known = plain_[kernel];
  if (known < 0) known = IsPlainMatrixKernel(names_[kernel]) ? 1 : 0;
  return known > 0;
}

StringId KernelUse::OperatorNameOf(const RankActivity& rank, const OperatorTree& tree,
                                   const Activity& activity, const KernelDetail* kernel) const {
  const StringId named = NamedOperator(names_, kernel);
  if (named != kNoString) return named;
  const int32_t op = OperatorOf(rank, tree, activity);
  return op == kNoRange ? kNoString : rank.host->ranges[static_cast<size_t>(op)].name;
}

void KernelUse::AddToTotals(const Activity& activity, StringId op, const LaunchConfig* config,
                            double occupied, const Device& device) {
  KernelTotals& t = totals_;
  const TensorCores use = Uses(activity.name);
  const int64_t time = activity.duration();
  t.time = AddSaturated(t.time, time);
  if (use == TensorCores::kYes) t.tensor_core = AddSaturated(t.tensor_core, time);
  if (use == TensorCores::kUnknown) t.unknown = AddSaturated(t.unknown, time);
  const bool eligible = IsEligible(op, activity.name);
  if (eligible) t.eligible = AddSaturated(t.eligible, time);
  if (occupied >= 0) {
    t.occupancy += occupied * static_cast<double>(time);
    t.occupancy_time += static_cast<double>(time);
  }
  const bool compute = activity.kind == Kind::kCompute;
  if (compute && eligible && device.has_tensor_cores && IsPlain(activity.name)) {
    t.missed[op] = AddSaturated(t.missed[op], time);
    t.missed_time = AddSaturated(t.missed_time, time);
  }
  // Matrix kernels, and those that may communicate, are made to run with few threads.
  if (compute && !eligible && use == TensorCores::kNo && occupied >= 0 &&
      occupied < kLowOccupancy && !missing_communication_.MayBe(activity.name)) {
    t.low[activity.name].Add(activity, config, occupied);
    t.low_time = AddSaturated(t.low_time, time);
    if (config->blocks_per_sm >= 0 && config->blocks_per_sm < 1)
      t.few_blocks = AddSaturated(t.few_blocks, time);
  }
}

void KernelUse::AddLaunch(RankKernelUse& sums, StringId name, StringId op,
                          const LaunchConfig& config, const Device& device, const KernelSum& sum) {
  LaunchSum& launch =
      sums.launches[{name, op, config.registers, config.shared_memory, config.block, config.grid}];
  launch.sum.Merge(sum);
  launch.theoretical = MostOccupancy(config, device.limits);
}

}  // namespace stepscope
