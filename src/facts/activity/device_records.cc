// Builds a device's records from the columns of a trace.
#include "facts/activity/device_records.h"

#include <xxhash.h>

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

constexpr double kGigabyte = 1e9;

}  // namespace

ActivityDetails::ActivityDetails(const Trace& trace, RankActivity& out)
    : trace_(trace),
      out_(out),
      operations_(trace.Texts(TextField::kCollective)),
      groups_(trace.Texts(TextField::kGroupName)),
      descriptions_(trace.Texts(TextField::kGroupDescription)),
      members_(trace.Texts(TextField::kGroupRanks)),
      types_(trace.Texts(TextField::kDataType)),
      framework_ops_(trace.Texts(TextField::kFrameworkOp)),
      hlo_ops_(trace.Texts(TextField::kHloOp)),
      hlo_modules_(trace.Texts(TextField::kHloModule)),
      hlo_categories_(trace.Texts(TextField::kHloCategory)),
      sources_(trace.Texts(TextField::kSource)),
      configs_(trace.Ints(IntField::kLaunchConfig)),
      flops_(trace.Ints(IntField::kFlops)),
      accessed_(trace.Ints(IntField::kBytesAccessed)),
      in_(trace.Ints(IntField::kInElements)),
      out_elements_(trace.Ints(IntField::kOutElements)),
      sizes_(trace.Ints(IntField::kGroupSize)),
      sequences_(trace.Ints(IntField::kCollectiveSequence)),
      senders_(trace.Ints(IntField::kMessageFrom)),
      receivers_(trace.Ints(IntField::kMessageTo)),
      dispatches_(trace.Ints(IntField::kDispatch)),
      bytes_(trace.Ints(IntField::kBytes)),
      bandwidths_(trace.Reals(RealField::kBandwidth)) {}

int32_t ActivityDetails::Take(EventId event) {
  const Kind kind = trace_.kinds()[event];
  if (kind == Kind::kCommunication) return TakeCollective(event);
  if (kind == Kind::kCompute) return TakeKernel(event);
  return IsMemory(kind) ? TakeCopy(event) : kNoDetail;
}

size_t ActivityDetails::Hash::operator()(const KernelDetail& detail) const {
  // All but the launch configuration, which the others nearly decide.
  const std::array<int64_t, 6> parts = {
      detail.framework_op, detail.hlo_op,
      detail.hlo_module,   detail.flops,
      detail.bytes,        (int64_t{detail.config.grid[0]} << 32) + detail.config.registers};
  return XXH3_64bits(parts.data(), sizeof parts);
}

int32_t ActivityDetails::TakeKernel(EventId event) {
  KernelDetail detail{.framework_op = framework_ops_.At(event).value_or(kNoString),
                      .hlo_op = hlo_ops_.At(event).value_or(kNoString),
                      .hlo_module = hlo_modules_.At(event).value_or(kNoString),
                      .hlo_category = hlo_categories_.At(event).value_or(kNoString),
                      .source = sources_.At(event).value_or(kNoString),
                      .flops = flops_.At(event).value_or(-1),
                      .bytes = accessed_.At(event).value_or(-1)};
  if (const auto config = configs_.At(event))
    detail.config = trace_.launch_configs[static_cast<size_t>(*config)];
  if (detail == KernelDetail{}) return kNoDetail;
  const auto [at, is_new] = kernels_.try_emplace(detail, static_cast<int32_t>(out_.kernels.size()));
  if (is_new) out_.kernels.push_back(detail);
  return at->second;
}

int32_t ActivityDetails::TakeCollective(EventId event) {
  const Collective collective{.operation = operations_.At(event).value_or(kNoString),
                              .group = groups_.At(event).value_or(kNoString),
                              .description = descriptions_.At(event).value_or(kNoString),
                              .members = members_.At(event).value_or(kNoString),
                              .type = types_.At(event).value_or(kNoString),
                              .in_elements = in_.At(event).value_or(-1),
                              .out_elements = out_elements_.At(event).value_or(-1),
                              .group_size = sizes_.At(event).value_or(-1),
                              .sequence = sequences_.At(event).value_or(-1),
                              .from = senders_.At(event).value_or(-1),
                              .to = receivers_.At(event).value_or(-1),
                              .kernel = TakeKernel(event),
                              .dispatch = dispatches_.At(event).value_or(0) != 0};
  const bool says_something = collective.operation != kNoString || collective.dispatch;
  if (!says_something && collective.kernel == kNoDetail) return kNoDetail;
  out_.collectives.push_back(collective);
  return static_cast<int32_t>(out_.collectives.size() - 1);
}

int32_t ActivityDetails::TakeCopy(EventId event) {
  const auto bandwidth = bandwidths_.At(event);
  out_.copies.push_back(
      {.bytes = bytes_.At(event).value_or(-1),
       .bandwidth = bandwidth ? *bandwidth * kGigabyte : -1,
       .path = PathOfCopy(trace_.kinds()[event], trace_.strings[trace_.names()[event]])});
  return static_cast<int32_t>(out_.copies.size() - 1);
}

DeviceRecords::DeviceRecords(const Trace& trace, RankActivity& out)
    : trace_(trace),
      out_(out),
      correlations_(trace.Ints(IntField::kCorrelation)),
      wait_streams_(trace.Ints(IntField::kWaitStream)),
      wait_correlations_(trace.Ints(IntField::kWaitCorrelation)),
      values_(trace.Reals(RealField::kCounterValue)) {}

void DeviceRecords::Take(EventId e) {
  switch (trace_.kinds()[e]) {
    case Kind::kSync:
      return TakeSync(e);
    case Kind::kGpuAnnotation:
      return TakeRange(e);
    case Kind::kCounterRange:
      last_range_ = out_.counters.size();
      out_.counters.push_back({Start(e), End(e), trace_.names()[e], {}});
      return;
    case Kind::kCounter:
      return TakeCounter(e);
    default:
      return;
  }
}

void DeviceRecords::TakeSync(EventId e) {
  out_.syncs.push_back({.start = Start(e),
                        .end = End(e),
                        .name = trace_.names()[e],
                        .device = TrackOf(e).device,
                        .stream = TrackOf(e).stream,
                        .correlation = correlations_.At(e).value_or(-1),
                        .wait_stream = wait_streams_.At(e).value_or(-1),
                        .wait_correlation = wait_correlations_.At(e).value_or(-1)});
}

void DeviceRecords::TakeRange(EventId e) {
  out_.ranges.push_back({.start = Start(e),
                         .end = End(e),
                         .name = trace_.names()[e],
                         .device = TrackOf(e).device,
                         .stream = TrackOf(e).stream});
}

// The counters of a range follow it, as events that begin when it begins.
void DeviceRecords::TakeCounter(EventId e) {
  const auto value = values_.At(e);
  if (!value || last_range_ >= out_.counters.size()) return;
  CounterRange& range = out_.counters[last_range_];
  if (range.start == Start(e)) range.counters.emplace_back(trace_.names()[e], *value);
}

void DeviceRecords::Finish() {
  std::ranges::stable_sort(out_.syncs, {}, &SyncRecord::start);
  std::ranges::stable_sort(out_.ranges, {}, &DeviceRange::start);
  std::ranges::stable_sort(out_.counters, {}, &CounterRange::start);
}

}  // namespace stepscope
