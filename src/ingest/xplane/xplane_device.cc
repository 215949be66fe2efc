// Converts device planes to activities on streams.
#include "ingest/xplane/xplane_device.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "ingest/xplane/xplane_details.h"
#include "trace/communication_names.h"
#include "trace/kernel_vocabulary.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

constexpr std::string_view kGpu = "/device:GPU:";
constexpr std::string_view kTpu = "/device:TPU:";

// Lines that repeat or sum up what other lines of a GPU hold.
constexpr auto kDerivedLines = std::to_array<std::string_view>(
    {"Steps", "XLA Modules", "XLA Ops", "XLA TraceMe", "Framework Name Scope", "Framework Ops",
     "TensorFlow Name Scope", "TensorFlow Ops", "Source code", "Launch Stats"});

// The activities of a TPU; its other lines explain these.
constexpr auto kTpuWork = std::to_array<std::string_view>({"XLA Ops", "Async XLA Ops"});

// Those of a SparseCore.
constexpr auto kSparseWork = std::to_array<std::string_view>({"Sparse Core Ops", "XLA Ops"});
// Its streams are numbered behind those of the device.
constexpr int64_t kStreamsOfCore = 100;
constexpr int64_t kMostCores = 1'000'000;

template <size_t N>
bool Contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view NameOf(const XEvent& event) {
  if (event.metadata == nullptr) return {};
  // Of TPUs the name is the operation's whole text.
  return event.metadata->display_name.empty() ? event.metadata->name : event.metadata->display_name;
}

// The compiler's operation that an activity is.
std::string_view OpOf(const XEvent& event, bool is_tpu) {
  const std::string_view op = event.stats.Text(StatKey::kHloOp);
  return is_tpu && op.empty() ? NameOf(event) : op;
}

// Loops and calls of a TPU's program span the operations within, which have events of their own.
bool SpansOthers(std::string_view name) {
  for (const std::string_view prefix : {"while", "conditional", "call"}) {
    if (!name.starts_with(prefix)) continue;
    if (name.size() == prefix.size() || name[prefix.size()] == '.') return true;
  }
  return false;
}

}  // namespace

bool IsDevicePlane(std::string_view name) {
  return name.starts_with(kGpu) || name.starts_with(kTpu);
}

int64_t DeviceOfPlane(std::string_view name) {
  const std::string_view number = name.substr(kGpu.size());
  int64_t device = -1;
  std::from_chars(number.data(), number.data() + number.size(), device);
  return device;
}

int64_t SparseCoreOfPlane(std::string_view name) {
  constexpr std::string_view kSparseCore = " SparseCore";
  const size_t at = name.find(kSparseCore);
  if (!name.starts_with(kTpu) || at == name.npos) return -1;
  const size_t digits = name.find_first_of("0123456789", at);
  int64_t core = 0;
  if (digits != name.npos) std::from_chars(name.data() + digits, name.data() + name.size(), core);
  return core;
}

DevicePlanes::LineUse DevicePlanes::UseOf(std::string_view line) const {
  if (sparse_core_ >= 0) return Contains(kSparseWork, line) ? LineUse::kActivity : LineUse::kNone;
  if (!is_tpu_) return Contains(kDerivedLines, line) ? LineUse::kNone : LineUse::kActivity;
  if (line == "Steps") return LineUse::kSteps;
  if (line == "XLA Modules") return LineUse::kModules;
  return Contains(kTpuWork, line) ? LineUse::kActivity : LineUse::kNone;
}

void DevicePlanes::Read(const XPlane& plane, LineReader& lines) {
  is_tpu_ = plane.name.starts_with(kTpu);
  names_.Forget();
  texts_.Forget();
  is_collective_.Forget();
  is_call_.Forget();
  configs_.Forget();
  members_.clear();
  device_ = DeviceOfPlane(plane.name);
  sparse_core_ = std::min(SparseCoreOfPlane(plane.name), kMostCores);
  if (sparse_core_ < 0) AddProperties(plane);
  int64_t stream_of_line = (sparse_core_ + 1) * kStreamsOfCore;
  for (const ByteRange& range : plane.lines) {
    LineUse use = LineUse::kNone;
    lines.Read(
        plane, range,
        [&](const XLine& line) {
          use = UseOf(line.name);
          track_ = static_cast<TrackId>(trace_.tracks.size());
          const int64_t stream = is_tpu_ ? stream_of_line++ : line.id;
          if (use == LineUse::kActivity) {
            trace_.tracks.push_back(
                {.is_stream = true, .device = device_, .stream = stream, .name = line.name});
          }
          return use != LineUse::kNone;
        },
        [&](const XEvent& event, const XTime& time) {
          if (use == LineUse::kActivity) TakeActivity(event, time);
          if (use == LineUse::kSteps) TakeStep(event, time);
          if (use == LineUse::kModules) TakeModule(event, time);
        });
  }
}

void DevicePlanes::AddProperties(const XPlane& plane) {
  constexpr double kKilohertz = 1e3;
  constexpr double kTera = 1e12;
  constexpr double kGiga = 1e9;
  const XStats& stats = plane.stats;
  const auto small = [&](StatKey key) {
    return static_cast<int32_t>(std::clamp<int64_t>(stats.Int(key), -1, INT32_MAX));
  };
  DeviceProperties device{.device = device_,
                          .name = std::string(stats.Text(StatKey::kDeviceName)),
                          .memory_bytes = stats.Int(StatKey::kMemorySize),
                          .compute_major = small(StatKey::kComputeMajor),
                          .compute_minor = small(StatKey::kComputeMinor),
                          .multiprocessors = small(StatKey::kCoreCount),
                          .memory_bandwidth = stats.Real(StatKey::kMemoryBandwidth)};
  if (stats.Has(StatKey::kClockRate))
    device.clock_hz = stats.Real(StatKey::kClockRate) * kKilohertz;
  if (stats.Real(StatKey::kPeakTeraflops) > 0)
    device.peak_flops = stats.Real(StatKey::kPeakTeraflops) * kTera;
  if (device.memory_bandwidth <= 0 && stats.Real(StatKey::kPeakMemoryBandwidth) > 0)
    device.memory_bandwidth = stats.Real(StatKey::kPeakMemoryBandwidth) * kGiga;
  if (device.name.empty()) device.name = stats.Text(StatKey::kDeviceType);
  // Where it has no name of its own, whose it is.
  if (device.name.empty() && stats.Has(StatKey::kDeviceVendor))
    device.name = std::string(stats.Text(StatKey::kDeviceVendor)) + " GPU";
  if (trace_.meta.device_name.empty()) trace_.meta.device_name = device.name;
  trace_.meta.devices.push_back(std::move(device));
}

StringId DevicePlanes::Intern(const XStats& stats, StatKey key) {
  return texts_.Get(stats.Entry(key), [&] { return trace_.strings.Intern(stats.Text(key)); });
}

void DevicePlanes::SetText(TextField field, const XStats& stats, StatKey key) {
  if (!stats.Text(key).empty()) trace_.Set(field, Intern(stats, key));
}

void DevicePlanes::SetText(TextField field, std::string_view text) {
  if (!text.empty()) trace_.Set(field, trace_.strings.Intern(text));
}

// A TPU's activity is classified by its operation, a GPU's by its name.
DevicePlanes::Name DevicePlanes::NameFor(const XEvent& event) {
  return names_.Get(event.metadata == nullptr ? 0 : event.metadata->number, [&] {
    const std::string_view name = NameOf(event);
    return Name{trace_.strings.Intern(name), is_tpu_ ? Kind::kCompute : KindOfActivityName(name),
                is_tpu_ && SpansOthers(name)};
  });
}

// What a GPU's activity is: what it says, or else its name. Where that leaves it open: the
// collective of the program that it is, or the range of the library's call around its launch.
Kind DevicePlanes::KindOfGpuWork(const XEvent& event, Kind by_name) {
  const XStats& stats = event.stats;
  if (stats.Has(StatKey::kMemsetDetails)) return Kind::kMemset;
  if (stats.Has(StatKey::kMemcpyDetails)) return Kind::kMemcpy;
  if (by_name != Kind::kCompute) return by_name;
  const bool is_collective = is_collective_.Get(stats.Entry(StatKey::kHloOp), [&] {
    const std::string_view op = stats.Text(StatKey::kHloOp);
    return !op.empty() && KindOfHloOp({}, op) == Kind::kCommunication;
  });
  const bool is_call = is_call_.Get(stats.Entry(StatKey::kNvtxRange), [&] {
    return IsCollectiveCall(stats.Text(StatKey::kNvtxRange));
  });
  const bool communicates = (is_collective || is_call) && !IsComputeName(NameOf(event));
  return communicates ? Kind::kCommunication : by_name;
}

void DevicePlanes::TakeActivity(const XEvent& event, const XTime& time) {
  ++trace_.events_in_file;
  const Name name = NameFor(event);
  if (name.spans_others) return;
  const Kind kind = is_tpu_ ? KindOfHloOp(event.stats.Text(StatKey::kHloCategory), NameOf(event))
                            : KindOfGpuWork(event, name.kind);
  ++trace_.gpu_events_in_file;
  if (!keep_.Has(kind)) return;
  if (trace_.size() >= kNotKept - 1) return trace_.notes.Add(NoteKind::kUnreadableEvent);
  trace_.Add({time.start, time.duration, name.id, track_, kind});
  ++work_;
  const int64_t correlation = event.stats.Int(StatKey::kCorrelation);
  if (correlation > 0) trace_.Set(IntField::kCorrelation, correlation);
  AddDetails(kind, event);
  if (groups_.roots().empty() && !event.stats.Text(StatKey::kHloModule).empty()) {
    runs_.Add(Intern(event.stats, StatKey::kHloModule), Intern(event.stats, StatKey::kHloOp),
              event.stats.Int(StatKey::kRunId), correlation, time.start,
              time.start + time.duration);
  }
}

// Operations of one line run again and again.
StringId DevicePlanes::SourceOf(const HloOp& op) {
  if (op.source >= sources_.size()) sources_.resize(op.source + 1, kNoString);
  StringId& id = sources_[op.source];
  if (id == kNoString) id = trace_.strings.Intern(programs_.Source(op.source));
  return id;
}

const HloOp* DevicePlanes::Program(const XEvent& event) const {
  return programs_.Find(event.stats.Text(StatKey::kHloModule), event.stats.Int(StatKey::kProgramId),
                        OpOf(event, is_tpu_));
}

// Where a program's replicas are as many as the recording's devices, they are these in their order.
StringId DevicePlanes::MembersOf(const HloCollective& collective) {
  const auto [at, is_new] = members_.try_emplace(&collective, kNoString);
  if (!is_new || expected_.size() < 2) return at->second;
  for (size_t i = 0; i < expected_.size(); ++i) {
    if (expected_[i] != static_cast<int64_t>(i)) return at->second;
  }
  for (const auto& group : collective.groups.Covering(std::ssize(expected_))) {
    if (std::ranges::find(group, device_) == group.end()) continue;
    std::string members;
    for (const int64_t replica : group)
      members += (members.empty() ? "[" : ", ") + std::to_string(replica);
    at->second = trace_.strings.Intern(members + "]");
  }
  return at->second;
}

void DevicePlanes::AddCollective(const HloCollective& collective) {
  if (collective.operation.empty()) return;
  SetText(TextField::kCollective, collective.operation);
  SetText(TextField::kDataType, collective.type);
  if (collective.in_elements >= 0) trace_.Set(IntField::kInElements, collective.in_elements);
  if (collective.out_elements >= 0) trace_.Set(IntField::kOutElements, collective.out_elements);
  const int64_t size = collective.groups.GroupSize();
  if (size > 0) trace_.Set(IntField::kGroupSize, size);
  const StringId members = MembersOf(collective);
  if (members == kNoString) return;
  SetText(TextField::kGroupName, "replicas");
  trace_.Set(TextField::kGroupRanks, members);
}

void DevicePlanes::AddDetails(Kind kind, const XEvent& event) {
  const XStats& stats = event.stats;
  if (IsMemory(kind)) {
    const bool set = kind == Kind::kMemset;
    const int64_t bytes =
        BytesOfDetails(stats.Text(set ? StatKey::kMemsetDetails : StatKey::kMemcpyDetails));
    if (bytes >= 0) trace_.Set(IntField::kBytes, bytes);
    return;
  }
  const bool communicates = kind == Kind::kCommunication;
  if (!keep_.kernels && !communicates) return;
  const HloOp* hlo = Program(event);
  if (communicates && hlo != nullptr) AddCollective(hlo->collective);
  if (!keep_.kernels) return;
  if (stats.Has(StatKey::kKernelDetails)) {
    LaunchConfig config = configs_.Get(stats.Entry(StatKey::kKernelDetails), [&] {
      return LaunchConfigOfDetails(stats.Text(StatKey::kKernelDetails));
    });
    const double occupancy = stats.Real(StatKey::kOccupancy) / 100;
    if (config.occupancy < 0 && occupancy > 0 && occupancy <= 1)
      config.occupancy = static_cast<float>(occupancy);
    trace_.Set(IntField::kLaunchConfig, trace_.launch_configs.Intern(config));
  }
  if (stats.Has(StatKey::kHloOp))
    SetText(TextField::kHloOp, stats, StatKey::kHloOp);
  else
    SetText(TextField::kHloOp, OpOf(event, is_tpu_));
  SetText(TextField::kHloModule, stats, StatKey::kHloModule);
  if (hlo != nullptr && stats.Text(StatKey::kHloCategory).empty())
    SetText(TextField::kHloCategory, hlo->category);
  else
    SetText(TextField::kHloCategory, stats, StatKey::kHloCategory);
  // XLA writes "XlaModule:" where it knows no operator, and the program's own name elsewhere.
  const std::string_view framework_op = stats.Text(StatKey::kTfOp);
  if (!framework_op.empty() && !framework_op.ends_with(':'))
    SetText(TextField::kFrameworkOp, stats, StatKey::kTfOp);
  else if (hlo != nullptr && !hlo->op_name.empty())
    SetText(TextField::kFrameworkOp, hlo->op_name);
  else
    SetText(TextField::kFrameworkOp, stats, StatKey::kName);
  if (stats.Has(StatKey::kSource))
    SetText(TextField::kSource, stats, StatKey::kSource);
  else if (hlo != nullptr && hlo->source != kNoString)
    trace_.Set(TextField::kSource, SourceOf(*hlo));
  const int64_t flops = stats.Int(StatKey::kFlops, hlo == nullptr ? -1 : hlo->flops);
  const int64_t bytes = stats.Int(StatKey::kBytesAccessed, hlo == nullptr ? -1 : hlo->bytes);
  if (flops >= 0) trace_.Set(IntField::kFlops, flops);
  if (bytes >= 0) trace_.Set(IntField::kBytesAccessed, bytes);
}

// Events of a TPU's line "Steps" are named by the number of their step.
void DevicePlanes::TakeStep(const XEvent& event, const XTime& time) {
  ++trace_.events_in_file;
  const std::string_view name = NameOf(event);
  const size_t digits = name.find_first_of("0123456789");
  int64_t number = -1;
  if (digits != name.npos) std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (number < 0) number = event.stats.Int(StatKey::kStepNumber);
  if (number >= 0) device_steps_.push_back({number, time.start, time.start + time.duration});
}

// An execution of a program, "jit_step(7)"; cores that execute it together say the same run.
void DevicePlanes::TakeModule(const XEvent& event, const XTime& time) {
  ++trace_.events_in_file;
  if (!groups_.roots().empty() || event.metadata == nullptr) return;
  const StringId module = trace_.strings.Intern(WithoutNumber(event.metadata->name));
  runs_.Add(module, kNoString, event.stats.Int(StatKey::kRunId), -1, time.start,
            time.start + time.duration);
}

}  // namespace stepscope
