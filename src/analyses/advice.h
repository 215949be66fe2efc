// Words advice for the job: its framework, its purpose, the maker of its devices. It never advises
// to record what was recorded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "facts/derived/python/called_communication.h"
#include "facts/facts.h"
#include "stepscope/phrase.h"

namespace stepscope {

// A hint in the terms of each framework; Say() picks the one that ran the job. What a recording
// lacks, a run that Stepscope captured gets by an option of that capture, where there is one, and a
// run that another profiler recorded by that one's.
struct Advice {
  std::string_view pytorch, tensorflow, jax;
  std::string_view capture_torch = "", capture_grpc = "";
  std::string_view rocprof = "", nsight = "";
};
Phrase Say(const Advice& advice, const Facts& facts);

// Advice that is the same in each framework.
constexpr Advice ForAll(std::string_view text) { return {text, text, text}; }

// A hint that depends on what the job is for. Where that is not known, it names nothing that only
// training or only inference has. An analysis that reads no operators knows it from annotations and
// kernels alone, and so less often.
struct AdviceByPurpose {
  Advice training, inference, unknown;
};
Phrase Say(const AdviceByPurpose& advice, const Facts& facts);

// The hint where devices wait for the next batch.
inline constexpr Advice kLoadAheadInTraining{
    "load ahead: more DataLoader workers (num_workers), a larger prefetch_factor, "
    "persistent_workers=True, pin_memory=True; reduce work per sample",
    "load ahead: prefetch(tf.data.AUTOTUNE) last, num_parallel_calls, cache(); reduce work per "
    "sample; see input_pipeline for the slow stage",
    "load ahead: prefetch batches to the device in a separate thread, more loader workers; reduce "
    "work per sample"};
inline constexpr AdviceByPurpose kLoadAhead{
    kLoadAheadInTraining,
    ForAll("prepare requests ahead: read, tokenize and batch them in other threads or processes "
           "than the one that launches"),
    kLoadAheadInTraining};

// The hint where devices wait for copies.
inline constexpr Advice kCopyAhead{
    "copy from pinned memory with non_blocking=True on a separate stream, and keep data on the "
    "device between steps",
    "copy input ahead (tf.data.experimental.prefetch_to_device), and keep data on the device "
    "between steps",
    "copy batches ahead (jax.device_put of the next one), donate buffers (donate_argnums), and "
    "keep data on the device between steps"};

// The hint where steps compile.
inline constexpr Advice kKeepShapes{
    "keep shapes constant or pad them to a few sizes (torch.compile with dynamic=True); keep "
    "compiled code between runs (TORCHINDUCTOR_CACHE_DIR)",
    "keep shapes constant or pad them to a few sizes; call the tf.function with tensors, not "
    "with "
    "Python numbers",
    "keep shapes constant or pad them to a few sizes; keep compiled code between runs "
    "(jax_compilation_cache_dir)"};

// The hint where communication is exposed, in the terms of what the job was seen to use: gradient
// buckets of DistributedDataParallel, prefetching of FSDP, or neither.
Phrase HideCommunication(const Facts& facts);

// Of collectives of Python objects.
inline constexpr std::string_view kSendTensors =
    "avoid object collectives in the loop (all_gather_object, broadcast_object_list): they pickle "
    "on the host and send sizes before bytes; send tensors, or do it every N steps";

// The hint where a function of the user's starts communication.
Phrase AdviseOnCalls(const CalledCommunication& called);

// The command that shows clocks and temperature of the devices.
Phrase CommandForClocks(const Facts& facts);

// What to look at where transfers are slow: links, their other users, the library's choice.
Phrase CheckLinks(const Facts& facts);

// How to test the network: "nccl-tests", or what the maker of the devices has instead.
std::string_view NetworkTest(const Facts& facts);

// How Python's functions are recorded.
inline constexpr Advice kRecordPython{
    "record with with_stack=True",
    "record with python_tracer_level=1",
    "record with python_tracer_level=1 (jax.profiler.ProfileOptions)",
    "capture it so: stepscope capture torch --stacks",
    "capture it so: stepscope capture grpc --python-level 1",
    "record with PyTorch's profiler and with_stack=True",
    "record with PyTorch's profiler and with_stack=True"};

// How to leave out what is done once.
inline constexpr Advice kRecordLater{
    "record later steps: torch.profiler.schedule(wait=5, warmup=2, active=3)",
    "record later steps, after the first ones have run",
    "record later steps, after the first ones have run"};

// How host operators and runtime calls are recorded.
inline constexpr Advice kRecordHost{
    "record with ProfilerActivity.CPU",
    "record with host_tracer_level=2",
    "record with host_tracer_level=2",
    "",
    "capture it so: stepscope capture grpc --host-level 2",
    "record with `rocprofv3 --sys-trace`, operators with torch.autograd.profiler.emit_nvtx()",
    "record with `nsys profile --trace=cuda,nvtx`, operators with "
    "torch.autograd.profiler.emit_nvtx()"};

// How the allocator's events are recorded.
inline constexpr Advice kRecordMemory{"record with profile_memory=True",
                                      "record with the BFC allocator",
                                      "record with the BFC allocator",
                                      "",
                                      "",
                                      "record with PyTorch's profiler and profile_memory=True",
                                      "record with PyTorch's profiler and profile_memory=True"};

// How steps are marked. What PyTorch calls NVTX records ROCTX ranges on ROCm.
inline constexpr std::string_view kMarkWithRanges =
    "mark steps with torch.cuda.nvtx.range(\"step N\")";
inline constexpr Advice kMarkSteps{"mark steps with profiler.step()",
                                   "mark steps with tf.profiler.experimental.Trace",
                                   "mark steps with jax.profiler.StepTraceAnnotation",
                                   "",
                                   "",
                                   kMarkWithRanges,
                                   kMarkWithRanges};

// How a part of the program gets a name.
inline constexpr Advice kAnnotate{"torch.profiler.record_function(\"name\")",
                                  "tf.profiler.experimental.Trace(\"name\")",
                                  "jax.profiler.TraceAnnotation(\"name\")"};

// Why launches cannot be analyzed: no activity has its launch call.
Phrase WhyNothingLinked(const Facts& facts);

// What to do about time in which nothing was recorded of the host: look at the Python functions of
// these moments, and first record them where they were not.
Phrase FollowPython(const Facts& facts);

// Why ranks are not among those of the answer: "has no trace", "were left out". `ranks`: empty
// where only their `count` is known.
Phrase SayWhyAbsent(const Facts& facts, std::span<const int64_t> ranks, int64_t count);

// How to learn what they do: "record rank 2 too", "ask about ranks 4 to 7 too".
Phrase SayAddRanks(const Facts& facts, std::span<const int64_t> ranks, const Phrase& names);

// A hint about communication, where ranks of the job are not at hand: it may be waiting for them.
Phrase AllowForAbsent(const Facts& facts, Phrase hint);

// Why no operator's FLOPs are known: shapes were not recorded, or say nothing.
Phrase WhyNoFlops(const Facts& facts);

}  // namespace stepscope
