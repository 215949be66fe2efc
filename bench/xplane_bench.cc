// Makes a profile as JAX writes them, to measure on, and measures the least that reading one costs:
//   xplane_bench make FILE MEGABYTES
//   xplane_bench walk FILE      finds every field of every event, and does nothing with them
// walk prints one line of JSON: events, fields, CPU seconds.
#include <fmt/format.h>

#include <charconv>
#include <ctime>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/proto.h"
#include "tests/support/sample_xspace.h"

namespace stepscope {
namespace {

// A training job on one GPU, of which Python's calls, the runtime's and XLA's are recorded: as many
// events of each, with the properties they have, as a profile of JAX on CUDA holds.
class Job {
 public:
  Job() {
    for (int i = 0; i < 200; ++i) {
      python_.push_back(
          fmt::format("$site-packages/jax/_src/module_{}.py:{} function_{}", i % 40, 100 + i, i));
      ops_.push_back(i % 3 == 0 ? fmt::format("gemm_fusion_dot.{}", i)
                                : fmt::format("loop_fusion.{}", i));
      kernels_.push_back(fmt::format("{}_kernel", ops_.back()));
      details_.push_back(fmt::format(
          "regs:{} static_shared:0 dynamic_shared:{} grid:{},1,1 block:256,1,1 occ_pct:{}",
          32 + i % 96, 1024 * (i % 48), 64 + i, 25 + i % 50));
    }
  }

  // One step of a thousand kernels: 14 ms.
  void Step(int64_t step) {
    const int64_t begin = step * 14'000'000;
    thread_.Event("train", begin, 13'500'000, {{"_r", 1}, {"step_num", step}});
    for (int64_t k = 0; k < 1000; ++k) Kernel(step, k, begin + k * 13'000);
  }
  std::string Bytes() { return file_.Bytes(); }
  size_t size() const {
    return thread_.bytes().size() + worker_.bytes().size() + stream_.bytes().size();
  }

 private:
  void Kernel(int64_t step, int64_t k, int64_t at) {
    const auto i = static_cast<size_t>(k * 7 % 200);
    const int64_t correlation = step * 1000 + k + 1;
    thread_.Event(python_[i], at, 9'000);
    thread_.Event(python_[(i + 1) % 200], at + 500, 8'000);
    thread_.Event("PjitFunction(train_step)", at + 1'000, 7'000);
    worker_.Event("Thunk::ExecuteOnStream", at + 2'000, 4'000);
    worker_.Event("cuLaunchKernelEx", at + 2'500, 3'000,
                  {{"device_id", 0}, {"correlation_id", correlation}});
    stream_.Event(kernels_[i], at + 6'000, 5'000 + k,
                  {{"device_id", 0},
                   {"context_id", SampleRef{"$$1"}},
                   {"correlation_id", correlation},
                   {"kernel_details", SampleRef{details_[i]}},
                   {"theoretical_occupancy_pct", 50.0},
                   {"hlo_op", SampleRef{ops_[i]}},
                   {"hlo_module", SampleRef{"jit_train_step"}},
                   {"program_id", 17},
                   {"tf_op", SampleRef{"jit(train_step)/layers/dot_general:"}}});
    if (k % 10 == 0) Memory(at + 3'000, k);
  }
  void Memory(int64_t at, int64_t k) {
    worker_.Event(k % 20 == 0 ? "MemoryAllocation" : "MemoryDeallocation", at, 0,
                  {{"allocator_name", SampleRef{"GPU_0_bfc"}},
                   {"bytes_reserved", 0},
                   {"bytes_allocated", 1'700'000'000 + k},
                   {"bytes_available", int64_t{70'000'000'000}},
                   {"fragmentation", 0.25},
                   {"peak_bytes_in_use", 1'739'215'104},
                   {"requested_bytes", 4'000'000},
                   {"allocation_bytes", 4'194'304},
                   {"addr", int64_t{0x7f00'0000'0000} + k * 4096},
                   {"tf_op", SampleRef{"jit_train_step"}},
                   {"region_type", SampleRef{"temp"}},
                   {"data_type", 1}});
  }

  SampleXSpace file_;
  SamplePlane& host_ = file_.Plane("/host:CPU");
  SampleLine& thread_ = host_.Line(4321, "python");
  SampleLine& worker_ = host_.Line(4322, "py_xla_execute/4322");
  SampleLine& stream_ = file_.Plane("/device:GPU:0").Line(13, "Stream #13(Compute)");
  std::vector<std::string> python_, ops_, kernels_, details_;
};

int Make(const std::string& path, size_t megabytes) {
  Job job;
  for (int64_t step = 0; job.size() < megabytes * 1'000'000; ++step) job.Step(step);
  const std::string bytes = job.Bytes();
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 2;
}

// Field 1 of a file holds planes, 3 of a plane lines, 4 of a line events, 4 of an event stats.
constexpr uint32_t kWithin[] = {1, 3, 4, 4};

struct Counts {
  int64_t events = 0, fields = 0;
  uint64_t sum = 0;
};

void Walk(std::string_view message, size_t depth, Counts& counts) {
  ReadFields(message, [&](pbf_reader& field) {
    ++counts.fields;
    if (field.wire_type() == WireType::varint) {
      counts.sum += field.get_uint64();
    } else if (depth < std::size(kWithin) && field.tag_and_type() == BytesField(kWithin[depth])) {
      if (depth == 2) ++counts.events;
      Walk(field.get_view(), depth + 1, counts);
    } else {
      field.skip();
    }
  });
}

int MeasureWalk(const std::string& path) {
  const auto cpu = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double before = cpu();
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string bytes(static_cast<size_t>(file.tellg()), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return 2;
  Counts counts;
  Walk(bytes, 0, counts);
  fmt::print(R"({{"events": {}, "fields": {}, "sum": {}, "cpu_s": {:.4f}}})"
             "\n",
             counts.events, counts.fields, counts.sum, cpu() - before);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  size_t megabytes = 0;
  if (argc == 4 && what == "make") {
    const std::string_view text = argv[3];
    std::from_chars(text.data(), text.data() + text.size(), megabytes);
    return stepscope::Make(argv[2], megabytes);
  }
  if (argc == 3 && what == "walk") return stepscope::MeasureWalk(argv[2]);
  fmt::print(stderr, "usage: xplane_bench make FILE MEGABYTES | walk FILE\n");
  return 2;
}
