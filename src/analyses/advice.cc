// Picks the words of advice for a job.
#include "analyses/advice.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "facts/derived/job/compiled_code.h"
#include "facts/derived/job/data_parallel.h"
#include "facts/derived/job/job_purpose.h"
#include "facts/derived/python/python_time.h"
#include "facts/devices/device_peaks.h"

namespace stepscope {
namespace {

// Whether the job runs on AMD's devices.
bool RunsOnAmd(const Facts& facts) {
  return !facts.OnHost() && !facts.devices.empty() &&
         IsAmd(*facts.devices.front().rank, facts.devices.front().device);
}

// Whether it runs on Ascend's NPUs.
bool RunsOnAscend(const Facts& facts) {
  return !facts.ranks.empty() && facts.ranks.front().recorded_by == RecordedBy::kAscend;
}

// Code that is compiled already is not advised to be.
std::string WithoutCompiling(std::string hint, const Facts& facts) {
  for (const std::string_view words :
       {"torch.compile, or ", "torch.compile, ", ", or fuse kernels (torch.compile)"}) {
    const size_t at = hint.find(words);
    if (at != hint.npos && HasCompiledCode(facts)) hint.erase(at, words.size());
  }
  return hint;
}

void Replace(std::string& text, std::string_view words, std::string_view others) {
  for (size_t at = text.find(words); at != text.npos; at = text.find(words, at + others.size()))
    text.replace(at, words.size(), others);
}

// Graphs of kernels by the name that the maker of the devices has for them.
std::string WithMakersGraphs(std::string hint, const Facts& facts) {
  if (RunsOnAmd(facts)) Replace(hint, "CUDA graph", "HIP graph");
  if (!RunsOnAscend(facts)) return hint;
  Replace(hint, "a CUDA graph", "an NPU graph");
  Replace(hint, "CUDA graph", "NPU graph");
  Replace(hint, "torch.cuda.CUDAGraph", "torch.npu.NPUGraph");
  return hint;
}

// Flags for GPUs are no advice for processors: leaves out each way that names one. Ways are
// separated by ", " and ", or ".
std::string WithoutGpuFlags(std::string hint, const Facts& facts) {
  if (!facts.OnHost()) return hint;
  for (size_t flag = hint.find(" (--xla_gpu"); flag != hint.npos; flag = hint.find(" (--xla_gpu")) {
    size_t begin = hint.find_last_of(":,", flag) + 2, end = hint.find(')', flag) + 1;
    if (const std::string_view next = ", or "; hint.substr(end).starts_with(next))
      end += next.size();
    else if (hint.substr(end).starts_with(", "))
      end += 2;
    else
      begin -= 2;
    hint.erase(begin, end - begin);
  }
  return hint;
}

constexpr std::string_view kEarlier =
    "start communication earlier, so that it overlaps with compute";
constexpr std::string_view kOverlapInXla =
    "communicate less, or behind compute: XLA's latency hiding scheduler "
    "(--xla_gpu_enable_latency_hiding_scheduler=true in XLA_FLAGS), or a sharding that sends less";
constexpr std::string_view kSendLess =
    "communicate less per token: tensor parallelism over fewer devices, replicas instead of "
    "shards, or larger batches; for small messages, a custom all-reduce of the server";

// Of training with PyTorch.
Phrase HideInPyTorch(const Facts& facts) {
  const DataParallel& used = DataParallelOf(facts);
  Phrase ways;
  if (used.ddp) ways += "smaller gradient buckets (bucket_cap_mb), ";
  if (used.fsdp) ways += "FSDP prefetching (forward_prefetch, backward_prefetch), ";
  if (used.fsdp2)
    ways +=
        "prefetching of FSDP (set_modules_to_forward_prefetch, set_modules_to_backward_prefetch), ";
  const Phrase last = ways.empty() ? "asynchronous collectives (async_op=True), or communicate less"
                                   : "asynchronous collectives (async_op=True)";
  return Phrase(kEarlier) + ": " + ways + last;
}

bool RecordedShapes(const RankActivity& rank) {
  const HostRanges& ranges = rank.host->ranges;
  for (const HostRange& range : ranges) {
    const RangeDetail* detail = rank.host->DetailOf(range);
    if (detail != nullptr && detail->shapes != kNoString) return true;
  }
  return false;
}

enum class Absence : uint8_t { kUnrecorded, kLeftOut, kEither };

// Of ranks that are not among those of the answer; of unknown ones where there are none.
Absence AbsenceOf(const Facts& facts, std::span<const int64_t> ranks) {
  if (facts.left_out.empty()) return Absence::kUnrecorded;
  if (ranks.empty()) return Absence::kEither;
  const auto left_out = [&](int64_t rank) { return facts.left_out.contains(rank); };
  if (std::ranges::all_of(ranks, left_out)) return Absence::kLeftOut;
  return std::ranges::any_of(ranks, left_out) ? Absence::kEither : Absence::kUnrecorded;
}

RecordedBy RecorderOf(const Facts& facts) {
  return facts.ranks.empty() ? RecordedBy::kFramework : facts.ranks.front().recorded_by;
}

Framework FrameworkOf(const Facts& facts) {
  return facts.ranks.empty() ? Framework::kPyTorch : facts.ranks.front().framework;
}

}  // namespace

Phrase Say(const Advice& advice, const Facts& facts) {
  if (facts.captured == "torch" && !advice.capture_torch.empty()) return advice.capture_torch;
  if (facts.captured == "grpc" && !advice.capture_grpc.empty()) return advice.capture_grpc;
  const RecordedBy recorder = RecorderOf(facts);
  if (recorder == RecordedBy::kRocprof && !advice.rocprof.empty()) return advice.rocprof;
  if (recorder == RecordedBy::kNsight && !advice.nsight.empty()) return advice.nsight;
  switch (FrameworkOf(facts)) {
    case Framework::kTensorFlow:
      return advice.tensorflow;
    case Framework::kJax:
      return WithoutGpuFlags(std::string(advice.jax), facts);
    case Framework::kPyTorch:
      break;
  }
  return WithMakersGraphs(WithoutCompiling(std::string(advice.pytorch), facts), facts);
}

Phrase Say(const AdviceByPurpose& advice, const Facts& facts) {
  switch (PurposeOfJob(facts)) {
    case Purpose::kTraining:
      return Say(advice.training, facts);
    case Purpose::kInference:
      return Say(advice.inference, facts);
    case Purpose::kUnknown:
      break;
  }
  return Say(advice.unknown, facts);
}

Phrase AdviseOnCalls(const CalledCommunication& called) {
  if (called.of_objects) return kSendTensors;
  return Say(
      "call {function} in {caller} less often, for several tensors at once, "
      "or with async_op=True and wait later",
      Phrase::Name(std::string(called.function)), Phrase::Name(LabelOf(called.caller)));
}

Phrase HideCommunication(const Facts& facts) {
  const Purpose purpose = PurposeOfJob(facts);
  const Framework framework = FrameworkOf(facts);
  if (purpose == Purpose::kInference || framework == Framework::kJax)
    return Say(Advice{kSendLess, kSendLess, kOverlapInXla}, facts);
  if (framework == Framework::kPyTorch) return HideInPyTorch(facts);
  Phrase hint = kEarlier;
  if (purpose == Purpose::kTraining)
    hint += ": smaller gradient packs (CommunicationOptions(bytes_per_pack=...))";
  // NCCL is of NVIDIA's devices, and gloo of processors.
  if (!facts.OnHost()) hint += ", and use NCCL for collectives";
  return hint;
}

Phrase CommandForClocks(const Facts& facts) {
  if (facts.OnHost()) return "turbostat; other processes with top";
  if (RunsOnAscend(facts)) return "npu-smi info";
  return RunsOnAmd(facts) ? "rocm-smi --showclocks --showtemp"
                          : "nvidia-smi -q -d CLOCK,TEMPERATURE,PERFORMANCE";
}

Phrase CheckLinks(const Facts& facts) {
  if (RunsOnAscend(facts))
    return "check the links between these ranks: errors (hccn_tool -i N -stat -g), other jobs on "
           "them, and the path that HCCL chose (its log)";
  if (RunsOnAmd(facts))
    return "check the links between these ranks: errors (rocm-smi --showxgmierr, ibstat, ethtool "
           "-S), other jobs on them, and the path that RCCL chose (NCCL_DEBUG=INFO)";
  return "check the links between these ranks: errors (nvidia-smi nvlink -e, ibstat, ethtool "
         "-S), other jobs on them, and the path that NCCL chose (NCCL_DEBUG=INFO)";
}

std::string_view NetworkTest(const Facts& facts) {
  if (facts.OnHost()) return "iperf3";
  if (RunsOnAscend(facts)) return "hccl_test";
  return RunsOnAmd(facts) ? "rccl-tests" : "nccl-tests";
}

Phrase WhyNothingLinked(const Facts& facts) {
  return Say(
      "no device activity has its launch call in the trace: {record}, so that runtime calls are "
      "included",
      Say(kRecordHost, facts));
}

Phrase FollowPython(const Facts& facts) {
  if (RecordedPython(facts))
    return "call the Python functions of these moments less often, or in another process; if they "
           "wait for a lock (py-spy dump), look at the thread that holds it; see python";
  return Say("find what Python does in these moments ({record}); see python",
             Say(kRecordPython, facts));
}

Phrase SayWhyAbsent(const Facts& facts, std::span<const int64_t> ranks, int64_t count) {
  const bool one = count == 1;
  switch (AbsenceOf(facts, ranks)) {
    case Absence::kLeftOut:
      return one ? "was left out" : "were left out";
    case Absence::kUnrecorded:
      return one ? "has no trace" : "have no trace";
    case Absence::kEither:
      break;
  }
  return one ? "was left out or has no trace" : "were left out or have no trace";
}

Phrase SayAddRanks(const Facts& facts, std::span<const int64_t> ranks, const Phrase& names) {
  switch (AbsenceOf(facts, ranks)) {
    case Absence::kLeftOut:
      return Say("ask about {ranks} too", names);
    case Absence::kUnrecorded:
      return Say("record {ranks} too", names);
    case Absence::kEither:
      break;
  }
  return Say("ask about {ranks} too, or record what has no trace", names);
}

Phrase AllowForAbsent(const Facts& facts, Phrase hint) {
  int64_t all = 0;
  std::set<int64_t> given;
  for (const RankActivity& rank : facts.ranks) {
    all = std::max(all, rank.world_size);
    if (!rank.memory_only) given.insert(rank.rank);
  }
  if (given.size() > 1) all = std::max(all, *given.rbegin() - *given.begin() + 1);
  all = std::max(all, std::ssize(given) + std::ssize(facts.left_out));
  const int64_t absent = all - std::ssize(given);
  if (absent <= 0) return hint;
  const Phrase ranks = all == 2 ? Phrase("both ranks") : Say("all {count} ranks", all);
  if (absent == std::ssize(facts.left_out)) {
    return Say("ask about {ranks}: this may be waiting for {absent}; if it is not: {hint}", ranks,
               absent == 1 ? "the one left out" : "those left out", hint);
  }
  return Say("give the traces of {ranks}: this may be waiting for {absent}; if it is not: {hint}",
             ranks, absent == 1 ? "the absent one" : "absent ones", hint);
}

Phrase WhyNoFlops(const Facts& facts) {
  if (std::ranges::any_of(facts.ranks, RecordedShapes))
    return "no FLOPs are known: no operator with recorded shapes is one whose FLOPs are counted";
  const auto counted = [](const RankActivity& rank) {
    return std::ranges::any_of(rank.programs, [](const auto& p) { return p.flops >= 0; });
  };
  if (std::ranges::any_of(facts.ranks, counted))
    return "FLOPs are known of whole compiled programs, not of what ran: see programs";
  constexpr Advice kRecordShapes{"record with record_shapes=True",
                                 "the profile has no cost analysis of the compiler (XLA)",
                                 "the profile has no cost analysis of the compiler (XLA)",
                                 "capture it so: stepscope capture torch --shapes",
                                 "",
                                 "record with PyTorch's profiler and record_shapes=True",
                                 "record with PyTorch's profiler and record_shapes=True"};
  return "no FLOPs are known: " + Say(kRecordShapes, facts);
}

}  // namespace stepscope
