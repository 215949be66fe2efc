// From the work of recordings to what their kernels make of the devices.
#include "facts/kernel_use.h"

#include <tuple>

#include "base/cuda_occupancy.h"
#include "facts/device_peaks.h"

namespace stepscope {
namespace {

// Bytes of shared memory a block may take without being allowed more; above, the profiler says 0 %
// of any kernel, as it asks for the occupancy without allowing more.
constexpr int32_t kProfilerLimit = 48 * 1024;
constexpr auto kNotAsked = static_cast<TensorCores>(UINT8_MAX);

}  // namespace

KernelUse::KernelUse(const StringTable& names)
    : names_(names), uses_(names_.size(), kNotAsked), eligible_(names_.size(), -1) {}

void KernelUse::Add(const RankWork& rank, RankKernelUse& sums) {
  const OperatorTree tree(names_, *rank.host);
  std::vector<Device> devices;
  for (const int64_t number : rank.devices) devices.push_back(DeviceOf(rank, number));
  // By kernel, operator and detail; the launches that these make are fewer.
  std::map<std::tuple<StringId, StringId, int32_t, uint32_t>, KernelSum> details;
  for (const Work& work : rank.work) {
    if (IsMemory(work.kind)) continue;
    const uint32_t device = rank.streams[work.stream].device_index;
    const KernelDetail* kernel = rank.KernelOf(work);
    const LaunchConfig* config = kernel == nullptr ? nullptr : &kernel->config;
    const StringId op = OperatorNameOf(rank, tree, work, kernel);
    const double occupied = OccupancyOf(config, devices[device]);
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
  TensorCores& use = uses_[kernel];
  if (use == kNotAsked) use = TensorCoresOfKernel(names_[kernel]);
  return use;
}
bool KernelUse::IsEligible(StringId op, StringId kernel) {
  if (Uses(kernel) == TensorCores::kYes) return true;
  if (op == kNoString) return false;
  int8_t& known = eligible_[op];
  if (known < 0) known = IsTensorCoreEligible(names_[op]) ? 1 : 0;
  return known > 0;
}

KernelUse::Device KernelUse::DeviceOf(const RankWork& rank, int64_t number) {
  Device device{.capability = ComputeCapabilityOf(rank, number),
                .has_tensor_cores = HasTensorCores(rank, number).value_or(false)};
  if (const DeviceProperties* p = PropertiesOf(rank, number)) {
    device.threads = p->threads_per_multiprocessor;
    device.multiprocessors = p->multiprocessors;
    device.without_occupancy = !device.capability;
  }
  return device;
}

std::optional<double> KernelUse::Theoretical(const LaunchConfig& config, const Device& device) {
  if (!device.capability || config.registers < 0 || config.shared_memory < 0) return std::nullopt;
  int64_t threads = 1;
  for (const int32_t size : config.block) threads *= std::clamp(size, 0, 1025);
  return TheoreticalOccupancy({threads, config.registers, config.shared_memory}, *device.capability,
                              device.threads);
}

// -1 where it is not known.
double KernelUse::OccupancyOf(const LaunchConfig* config, const Device& device) {
  if (config == nullptr) return -1;
  const auto said = static_cast<double>(config->occupancy);
  if (said > 1 || (said == 0 && device.without_occupancy)) return -1;
  if (said != 0 || config->shared_memory <= kProfilerLimit) return said;
  const auto most = Theoretical(*config, device);
  double threads = 1;
  for (const auto& sizes : {config->block, config->grid}) {
    for (const int32_t size : sizes) threads *= size;
  }
  if (!most || threads <= 0 || device.multiprocessors <= 0) return -1;
  return std::min(*most, threads / static_cast<double>(device.multiprocessors) /
                             static_cast<double>(device.threads));
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
  if (compute && eligible && use == TensorCores::kNo && device.has_tensor_cores) {
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
  launch.theoretical = Theoretical(config, device);
}

}  // namespace stepscope
