// Tests numbers against HTA (Holistic Trace Analysis 0.6.1), wherever HTA is right.
//
// ../shared/goldens/hta holds the tables HTA prints for real traces. The list below names each set
// and, table by table, why it cannot agree; all other tables must, in every number. The reasons:
//
//   B2   fractional microseconds were rounded: every event is up to 1 us shorter at each side
//   B3   the device's annotations are taken for the host's steps: of some steps they are left out
//   B4   host operators of Triton that carry a stream are taken for kernels
//   B5   synchronization that lies on a stream is taken for busy time
//   B12  a trace without GPU events is an error
//   B16  a gap begins where the previous piece of work ends, not where all of them have: where work
//        overlaps gaps are negative
//   B18  communication of other libraries than NCCL is taken for compute
//   ts   doubles do not hold the times: launches and ends less than 0.25 us apart change places
//   #0   work whose launch is not in the trace is taken to be launched by the file's first event
//   #1   the job computes on its host, whose threads are no device to HTA
//
// HTA leaves out the last profiler step, and work that no call launched: `steps` selects what it
// counts. Where it ran with the last step as well, that is a second row, of fewer tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "tests/answer.h"
#include "tests/invariants.h"
#include "tests/shared_data.h"

namespace stepscope::testing::hta_test {
namespace {

struct HtaSet {
  const char* name;           // of the folder in goldens/hta
  const char* trace;          // under traces/: a folder or a file
  const char* steps = "all";  // that HTA looks at
  bool with_last_step = false;
  // Fractional microseconds, with HTA's rounding switched off: correct to what a double holds of
  // 1.7e15 us. Time by kind is then cut to whole microseconds, stretch by stretch: not compared.
  bool fractional = false;
  // Why a table is not compared.
  const char *temporal = nullptr, *overlap = nullptr, *kernels = nullptr, *kinds = nullptr;
  const char* idle = nullptr;
  const char* annotations = nullptr;
};

constexpr const char* kResnetA = "kineto/resnet50_workers0/worker0.1623143089861.pt.trace.json.gz";
constexpr const char* kResnetB = "kineto/resnet50_workers0/worker0.1623143566756.pt.trace.json.gz";
constexpr const char* kCheckpoint = "torch2/mi300_resnet_act_checkpoint";

const HtaSet kSets[] = {
    {.name = "dlrm_8ranks", .trace = "param/dlrm_8ranks"},
    {.name = "two_ranks", .trace = "hta/two_ranks", .steps = "551"},
    {.name = "queue_length", .trace = "hta/queue_length", .steps = "550..553"},
    {.name = "queue_length",
     .trace = "hta/queue_length",
     .steps = "550..554",
     .with_last_step = true},
    {.name = "trace_diff__control", .trace = "hta/trace_diff/control", .steps = "1009..1013"},
    {.name = "trace_diff__control", .trace = "hta/trace_diff/control", .with_last_step = true},
    {.name = "trace_diff__test", .trace = "hta/trace_diff/test", .steps = "1009..1013"},
    {.name = "trace_diff__test",
     .trace = "hta/trace_diff/test",
     .steps = "1009..1014",
     .with_last_step = true},
    {.name = "kineto_resnet50_workers0_a", .trace = kResnetA, .steps = "5..9"},
    {.name = "kineto_resnet50_workers0_a", .trace = kResnetA, .with_last_step = true},
    {.name = "kineto_resnet50_workers0_b", .trace = kResnetB, .steps = "16..20"},
    {.name = "kineto_resnet50_workers0_b", .trace = kResnetB, .with_last_step = true},
    {.name = "execution_trace", .trace = "hta/execution_trace/trace.json.gz"},
    {.name = "critical_path__alexnet", .trace = "hta/critical_path/alexnet", .temporal = "B5"},
    {.name = "critical_path__cuda_event_sync",
     .trace = "hta/critical_path/cuda_event_sync",
     .temporal = "B5"},
    {.name = "critical_path__simple_add",
     .trace = "hta/critical_path/simple_add",
     .temporal = "B5"},
    {.name = "cpu_only",
     .trace = "hta/cpu_only",
     .temporal = "B12",
     .overlap = "#1",
     .kernels = "#1",
     .kinds = "#1",
     .idle = "B12",
     .annotations = "B2"},
    {.name = "cupti_profiler", .trace = "hta/cupti_profiler", .temporal = "B12", .idle = "B12"},
    {.name = "rank_non_gpu", .trace = "hta/rank_non_gpu", .temporal = "B12", .idle = "B12"},

    {.name = "amd_mi250", .trace = "hta/amd_mi250", .fractional = true},
    {.name = "h100_bert", .trace = "torch2/h100_bert", .fractional = true},
    {.name = "h100_qwen", .trace = "torch2/h100_qwen", .fractional = true, .idle = "#0"},
    {.name = "sglang_decode", .trace = "torch2/sglang_decode", .fractional = true},
    {.name = "nccl", .trace = "hta/nccl", .steps = "4..5", .fractional = true},
    {.name = "nccl", .trace = "hta/nccl", .with_last_step = true, .fractional = true},
    {.name = "ns_resolution",
     .trace = "hta/ns_resolution",
     .steps = "101..104",
     .fractional = true,
     .idle = "ts",
     .annotations = "B3"},
    {.name = "ns_resolution",
     .trace = "hta/ns_resolution",
     .with_last_step = true,
     .fractional = true},
    {.name = "mi300_resnet_act_checkpoint",
     .trace = kCheckpoint,
     .steps = "15..17",
     .fractional = true,
     .annotations = "B3"},
    {.name = "mi300_resnet_act_checkpoint",
     .trace = kCheckpoint,
     .steps = "15..17",
     .with_last_step = true,
     .fractional = true},
    {.name = "b200_eager",
     .trace = "torch2/b200_eager",
     .fractional = true,
     .temporal = "B4 B18",
     .overlap = "B18",
     .kernels = "B4 B18",
     .idle = "B16"},
    {.name = "triton",
     .trace = "hta/triton",
     .fractional = true,
     .temporal = "B4",
     .kernels = "B4"},
    {.name = "torch_compile_triton",
     .trace = "torch2/torch_compile_triton",
     .fractional = true,
     .temporal = "B4",
     .kernels = "B4"},
    {.name = "normalization",
     .trace = "torch2/normalization",
     .temporal = "B2",
     .kernels = "B2",
     .kinds = "B2",
     .idle = "B2"},
    {.name = "xdit_sd35",
     .trace = "torch2/xdit_sd35",
     .temporal = "B2",
     .kernels = "B2",
     .kinds = "B2",
     .idle = "B2"},
};

// Single streams that HTA gets wrong in tables that are right otherwise.
struct WrongStream {
  const char *set, *why;
  int64_t rank, stream;
};
constexpr WrongStream kWrongStreams[] = {
    {"queue_length", "B16", 0, 27},
    {"trace_diff__test", "B16", 1, 7},
    {"dlrm_8ranks", "#0", 1, 7},
    {"dlrm_8ranks", "#0", 3, 7},
};

void PrintTo(const HtaSet& set, std::ostream* out) { *out << set.name << " --steps " << set.steps; }

using HtaRow = std::map<std::string, std::string>;

double Ns(const HtaRow& row, const std::string& column) { return std::stod(row.at(column)) * 1000; }

// "COMPUTATION overlapping MEMORY" is what we call "compute + memory".
std::string OurKinds(std::string kinds) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"COMPUTATION", "compute"},
      {"COMMUNICATION", "communication"},
      {"MEMORY", "memory"},
      {" overlapping ", " + "},
  };
  for (const auto& [theirs, ours] : kNames) {
    for (size_t at = 0; (at = kinds.find(theirs)) != std::string::npos;) {
      kinds.replace(at, theirs.size(), ours);
    }
  }
  return kinds;
}

class HtaTest : public SharedDataTest, public ::testing::WithParamInterface<HtaSet> {
 protected:
  static const HtaSet& set() { return GetParam(); }

  static std::vector<HtaRow> Rows(const std::string& file) {
    return ReadCsv(Shared("goldens/hta") / set().name / (file + ".csv"));
  }

  // HTA calls the rank of a single trace 0, whatever it is.
  int64_t OurRank(const HtaRow& row) const {
    return answer_.run.ranks == 1 ? answer_.run.files[0].rank : std::stoll(row.at("rank"));
  }

  void Near(double ours, double theirs, double tolerance, const std::string& what) {
    EXPECT_NEAR(ours, theirs, tolerance) << what;
    ++compared_;
  }
  // Times, ours in ns, of tables whose numbers come from starts and ends.
  void SameTime(int64_t ours, double theirs, const std::string& what) {
    Near(static_cast<double>(ours), theirs, set().fractional ? 100 : 0.01, what);
  }

  void CompareTemporal();
  void CompareOverlap();
  void CompareKernels();
  void CompareKinds();
  void CompareIdle();
  void CompareAnnotations();
  void CompareLaunches();

  // The names of the files of the set: those of dlrm_8ranks are of another run.
  std::string KernelFile(const char* table, const char* number) const {
    if (std::string_view(set().name) == "dlrm_8ranks")
      return "gpu_kernel_breakdown.all." + std::string(number);
    return fmt::format("gpu_kernel_breakdown.{}.{}",
                       set().with_last_step ? "include_last_step" : "all", table);
  }
  std::string IdleFile() const {
    return std::string_view(set().name) == "dlrm_8ranks" ? "idle_time_breakdown.0"
                                                         : "idle_time_breakdown.delay30";
  }

  ReportSet answer_;
  int compared_ = 0;
};

void HtaTest::CompareTemporal() {
  std::map<int64_t, Row> ours;
  for (const Row& row : RowsOf(answer_, "temporal_breakdown", "ranks"))
    ours.emplace(row.Int("rank"), row);
  const auto rows =
      Rows(set().with_last_step ? "temporal_breakdown.include_last_step" : "temporal_breakdown");
  EXPECT_EQ(rows.size(), ours.size());
  for (const HtaRow& row : rows) {
    const Row& our = ours.at(OurRank(row));
    SameTime(our.Int("idle"), Ns(row, "idle_time(us)"), "idle");
    SameTime(our.Int("compute"), Ns(row, "compute_time(us)"), "compute");
    SameTime(our.Int("non_compute"), Ns(row, "non_compute_time(us)"), "non_compute");
    SameTime(our.Int("span"), Ns(row, "kernel_time(us)"), "span");
  }
}

void HtaTest::CompareOverlap() {
  std::map<int64_t, Row> ours;
  for (const Row& row : RowsOf(answer_, "comm_overlap", "ranks"))
    ours.emplace(row.Int("rank"), row);
  for (const HtaRow& row : Rows("comm_comp_overlap")) {
    const std::string& percent = row.at("comp_comm_overlap_pctg");
    if (percent.empty()) {
      EXPECT_EQ(ReportOf(answer_, "comm_overlap").status, Status::kUnavailable);
    } else {
      const double ratio = ours.at(OurRank(row)).Real("overlap_ratio");
      Near(ratio * 100, std::stod(percent), 0.0050001, "percent of communication hidden");
    }
  }
}

void HtaTest::CompareKernels() {
  std::map<std::tuple<int64_t, std::string, std::string>, Row> ours;
  for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kernels")) {
    ours.emplace(std::tuple(row.Int("rank"), row.Text("kind"), row.Text("name")), row);
  }
  const auto rows = Rows(KernelFile("kernels", "1"));
  EXPECT_EQ(rows.size(), ours.size());
  for (const HtaRow& row : rows) {
    const std::string& name = row.at("name");
    const auto at = ours.find(std::tuple(OurRank(row), OurKinds(row.at("kernel_type")), name));
    ASSERT_NE(at, ours.end()) << name;
    // To the nanosecond, which means and deviations are rounded to: doubles do hold durations.
    for (const auto& [column, theirs] :
         {std::pair("sum", "sum (us)"), std::pair("max", "max (us)"), std::pair("min", "min (us)"),
          std::pair("mean", "mean (us)"), std::pair("stddev", "stddev")}) {
      Near(static_cast<double>(at->second.Int(column)), Ns(row, theirs), 0.501,
           name + " " + column);
    }
  }
}

void HtaTest::CompareKinds() {
  std::map<std::string, int64_t> ours;
  for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kinds")) {
    if (row.At("rank") == Cell("all")) ours[row.Text("kinds")] = row.Int("time");
  }
  for (const HtaRow& row : Rows(KernelFile("kernel_type", "0"))) {
    const std::string kinds = OurKinds(row.at("kernel_type"));
    SameTime(ours[kinds], Ns(row, "sum"), kinds);
    ours.erase(kinds);
  }
  EXPECT_TRUE(ours.empty()) << "HTA has no " << ours.begin()->first;
}

void HtaTest::CompareIdle() {
  std::map<std::pair<int64_t, int64_t>, Row> ours;
  for (const Row& row : RowsOf(answer_, "idle_time", "streams")) {
    ours.emplace(std::pair(row.Int("rank"), row.Int("stream")), row);
  }
  for (const HtaRow& row : Rows(IdleFile())) {
    const std::pair<int64_t, int64_t> key(OurRank(row), std::stoll(row.at("stream")));
    const bool wrong = std::ranges::any_of(kWrongStreams, [&](const WrongStream& w) {
      return set().name == std::string_view(w.set) && key == std::pair(w.rank, w.stream);
    });
    const std::string& category = row.at("idle_category");
    if (!wrong) SameTime(ours.at(key).Int(category), Ns(row, "idle_time"), category);
  }
}

// The ranges' own times, which HTA adds up by name.
void HtaTest::CompareAnnotations() {
  std::map<std::tuple<int64_t, std::string, std::string>, Row> ours;
  for (const Row& row : RowsOf(answer_, "user_annotations", "annotations")) {
    ours.emplace(std::tuple(row.Int("rank"), row.Text("side"), row.Text("annotation")), row);
  }
  for (const auto& [file, side] : {std::pair("user_annotation_breakdown.cpu", "host"),
                                   std::pair("user_annotation_breakdown.gpu", "device")}) {
    // HTA writes no table where it finds no annotations on that side.
    if (!std::filesystem::exists(Shared("goldens/hta") / set().name /
                                 (std::string(file) + ".csv"))) {
      continue;
    }
    for (const HtaRow& row : Rows(file)) {
      const auto at = ours.find(std::tuple(OurRank(row), std::string(side), row.at("name")));
      ASSERT_NE(at, ours.end()) << row.at("name");
      for (const auto& [column, theirs] :
           {std::pair("sum", "sum (us)"), std::pair("max", "max (us)"),
            std::pair("min", "min (us)"), std::pair("mean", "mean (us)")}) {
        Near(static_cast<double>(at->second.Int(column)), Ns(row, theirs), 1.001,
             row.at("name") + " " + column);
      }
    }
  }
}

// HTA lists launch by launch, of some calls only; where it lists all, sums are the same.
void HtaTest::CompareLaunches() {
  for (const Row& row : RowsOf(answer_, "launch_stats", "ranks")) {
    const int64_t rank = answer_.run.ranks == 1 ? 0 : row.Int("rank");
    const std::string file = fmt::format("cuda_kernel_launch_stats.mem1.rank{}", rank);
    if (!std::filesystem::exists(Shared("goldens/hta") / set().name / (file + ".csv"))) continue;
    const auto launches = Rows(file);
    if (static_cast<int64_t>(launches.size()) != row.Int("with_launch")) continue;
    double delays = 0;
    for (const HtaRow& launch : launches) delays += Ns(launch, "launch_delay");
    // Each delay is rounded by as much as its two ends are.
    const double each = set().fractional ? 1 : 0.001;
    Near(static_cast<double>(row.Int("delay_sum")), delays,
         each * static_cast<double>(launches.size()) * 1000, "launch delays");
  }
}

TEST_P(HtaTest, AgreesWhereHtaIsRight) {
  answer_ = AnswerTo({Shared("traces") / set().trace}, set().steps);
  EXPECT_EQ(BrokenInvariants(answer_), std::vector<std::string>{});
  if (set().temporal == nullptr) CompareTemporal();
  if (set().kernels == nullptr) CompareKernels();
  if (set().kinds == nullptr && !set().fractional) CompareKinds();
  if (set().overlap == nullptr && !set().with_last_step) CompareOverlap();
  if (set().idle == nullptr && !set().with_last_step) CompareIdle();
  if (set().annotations == nullptr && set().kernels == nullptr && !set().with_last_step) {
    CompareAnnotations();
  }
  if (set().kernels == nullptr && !set().with_last_step) CompareLaunches();
  if (set().temporal == nullptr || set().idle == nullptr) {
    EXPECT_GT(compared_, 0) << "no number was compared";
  }
}

std::string TestName(const ::testing::TestParamInfo<HtaSet>& info) {
  return std::string(info.param.name) + (info.param.with_last_step ? "_with_last_step" : "");
}

INSTANTIATE_TEST_SUITE_P(Hta, HtaTest, ::testing::ValuesIn(kSets), TestName);

}  // namespace
}  // namespace stepscope::testing::hta_test
