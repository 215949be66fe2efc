// Reads the text files of the golden tests.
//
// clang-format off
//   # any number of comment lines; nothing else stands between a trace and its runs
//   trace rank=0                        begins a trace file; options: rank=N, world=N (ranks in the
//                                       job), file=NAME; without a rank the file does not say it;
//                                       "gpu=A NAME" of device 0, capability=8.0 of it
//     stream 7 gemm 10..20.5            a kernel: stream, name, start..end in microseconds
//     stream 7 "a b" 30..40 launch=25   a name with spaces; the call that launched it began at 25
//                                       and took 1 us; launch=25..28: until then; call=NAME names it
//     stream 7 x 0..9 cat=gpu_memcpy device=1 collective=allreduce
//     stream 7 y 9..12 correlation=5    linked to whatever else carries that number
//     host aten::mm 0..5 cat=cpu_op     something on a host thread; thread=N on another one;
//                                       correlation=N as above
//     host [memory] 5..5 phase=i        an instant event; phase=C is a counter
//     ... "args.Group size=8"           on any event: one more argument
//     step 3 0..100                     the host's ProfilerStep#3 annotation
//   timeline file=NAME                  begins an exported memory timeline, a file like any other
//     change 10 create 64 activation    time, or "before"; action; bytes as in the file; use
//   run idle_time --steps 3 -p idle_time.consecutive_kernel_delay=5000
//   ----
//   status: ok                          also why: and headline:, or nothing but error: and its text
//   streams: rank stream host_wait      a table and the columns to compare; its rows follow,
//   0        7    9500                  their words apart by any number of spaces
//   metrics:                            "key value", a line each
//   findings:                           "[severity worth] says", a line each; the worth is in ns
//   notes:                              "name count" of the run's and the report's notes
//   files: rank window gpu_events       what became of the files, a line each
//
// Several "run" blocks may follow one another; a new "trace" after a run begins a new case.
// clang-format on
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::testing {

struct InlineEvent {
  bool on_stream = false;
  int64_t stream = 0, device = 0;
  std::string name, category, collective;
  int64_t start = 0, end = 0;  // ns
  int64_t launch = -1;         // ns; -1: no call launches it
  int64_t launch_end = -1;     // ns; -1: 1 us later
  std::string call;            // that launches it; empty: the usual one for its category
  int64_t correlation = -1;    // -1: a number of its own, if it is on a stream
  int64_t thread = -1;         // of the host; -1: the main one
  std::string phase = "X";
  std::vector<std::pair<std::string, std::string>> args;  // key, and JSON or plain text
};

// An entry of an exported memory timeline.
struct InlineChange {
  int64_t time = -1;  // ns; -1: before the recording
  int64_t action = 0, bytes = 0;
  std::string use;  // as it is to be written: a number, or a string in quotes
};

struct InlineTrace {
  int64_t rank = -1;       // -1: the file does not say
  int64_t world = -1;      // -1: the file does not say
  std::string gpu;         // the name of device 0; empty: the file does not say it
  std::string capability;  // "8.0": so it has 100 multiprocessors of 2048 threads
  std::string file;        // empty: named by its place among the files
  std::vector<InlineEvent> events;
  bool memory_timeline = false;
  std::vector<InlineChange> changes;  // of a memory timeline
};

struct GoldenRun {
  size_t first_line = 0,
         last_line = 0;  // of the expectation, as [first, last) into the file's lines
  std::string analysis, steps = "all";
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<InlineTrace> traces;
};

struct GoldenFile {
  std::vector<std::string> lines;
  std::vector<GoldenRun> runs;
};

// Throws std::runtime_error naming the line that could not be read.
GoldenFile ReadGoldenFile(const std::string& path);

// How a trace is written: the same trace to every analysis.
struct Variant {
  std::string name = "as written";
  int64_t shift = 0;                             // ns added to every time
  unsigned shuffle = 0;                          // seed; 0: in order
  int64_t stream_factor = 1, stream_offset = 0;  // stream s becomes s * factor + offset
  bool reverse_files = false;
  bool xplane = false;  // as profiles of TensorFlow and JAX: see tests/golden_xplane.h
};

// The trace as Kineto writes it, or the memory timeline as PyTorch exports it.
std::string ToFile(const InlineTrace& trace, const Variant& variant);

}  // namespace stepscope::testing
