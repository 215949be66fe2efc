// From the work of recordings to what their kernels make of the devices.
#include "facts/derived/kernel_use.h"

#include <algorithm>
#include <tuple>

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
      eligible_(names_.size(), -1),
      plain_(names_.size(), -1),
      only_tpus_(All(facts.devices, IsTpu)),
      only_amd_(All(facts.devices, IsAmd)) {}

void KernelUse::Add(const RankWork& rank, RankKernelUse& sums) {
  const OperatorTree& tree = OnDemand(facts_).Operators(facts_, rank);
  std::vector<Device> devices;
  for (const int64_t number : rank.devices)
    devices.push_back({LimitsOf(rank, number), HasTensorCores(rank, number).value_or(false)});
  // By kernel, operator and detail; the launches that these make are fewer.
  std::map<std::tuple<StringId, StringId, int32_t, uint32_t>, KernelSum> details;
  for (const Work& work : rank.work) {
    if (IsMemory(work.kind)) continue;
    const uint32_t device = rank.streams[work.stream].device_index;
    const KernelDetail* kernel = rank.KernelOf(work);
    const LaunchConfig* config = kernel == nullptr ? nullptr : &kernel->config;
    const StringId op = OperatorNameOf(rank, tree, work, kernel);
    const double occupied =
        config == nullptr ? -1 : OccupancyOf(*config, devices[device].limits).value_or(-1);
    sums.kernels[work.name].Add(work, config, occupied);
    const int32_t detail =
        kernel == nullptr ? kNoDetail : static_cast<int32_t>(kernel - rank.kernels.data());
    details[{work.name, op, detail, device}].Add(work, config, occupied);
    AddToTotals(work, op, config, occupied, devices[device]);
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
  return OnDemand(facts_).UseOfTensorCores(facts_, kernel);
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
  if (known < 0) known = IsPlainMatrixWork(names_[kernel]) ? 1 : 0;
  return known > 0;
}

StringId KernelUse::OperatorNameOf(const RankWork& rank, const OperatorTree& tree, const Work& work,
                                   const KernelDetail* kernel) const {
  const StringId named = NamedOperator(names_, kernel);
  if (named != kNoString) return named;
  const int32_t op = OperatorOf(rank, tree, work);
  return op == kNoRange ? kNoString : rank.host->ranges[static_cast<size_t>(op)].name;
}

void KernelUse::AddToTotals(const Work& work, StringId op, const LaunchConfig* config,
                            double occupied, const Device& device) {
  KernelTotals& t = totals_;
  const TensorCores use = Uses(work.name);
  const int64_t time = work.duration();
  t.time = AddSaturated(t.time, time);
  if (use == TensorCores::kYes) t.tensor_core = AddSaturated(t.tensor_core, time);
  if (use == TensorCores::kUnknown) t.unknown = AddSaturated(t.unknown, time);
  const bool eligible = IsEligible(op, work.name);
  if (eligible) t.eligible = AddSaturated(t.eligible, time);
  if (occupied >= 0) {
    t.occupancy += occupied * static_cast<double>(time);
    t.occupancy_time += static_cast<double>(time);
  }
  const bool compute = work.kind == Kind::kCompute;
  if (compute && eligible && device.has_tensor_cores && IsPlain(work.name)) {
    t.missed[op] = AddSaturated(t.missed[op], time);
    t.missed_time = AddSaturated(t.missed_time, time);
  }
  // Matrix kernels are made to run with few threads.
  if (compute && !eligible && use == TensorCores::kNo && occupied >= 0 &&
      occupied < kLowOccupancy) {
    t.low[work.name].Add(work, config, occupied);
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
