// Tests numbers against PyTorch's TensorBoard plugin (torch_tb_profiler 0.4.3).
//
// ../shared/goldens/tb_plugin holds what its own code says about traces. Its times are whole
// microseconds, as are those of these traces. Every number that is compared must be equal;
// docs/coming-from-tensorboard.md names those that are not and why.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::tb_plugin_test {
namespace {

using Json = nlohmann::json;

Json ReadGolden(const std::string& name) {
  std::ifstream in(Shared("goldens/tb_plugin/" + name + ".json"));
  return Json::parse(in);
}

ReportSet Ask(const std::string& trace) {
  const std::vector<std::string> paths = {Shared("traces/kineto/" + trace)};
  const auto session = Session::Open(paths, {.analyses = {"overview", "operators", "kernels"}});
  if (!session) throw std::runtime_error(session.error().what);
  return *session->Analyze();
}

int64_t Us(const Row& row, const char* column) { return row.Int(column) / 1000; }

struct Sides {
  std::map<std::string, Row> host, device;
};

Sides OperatorsOf(const ReportSet& answer) {
  Sides sides;
  for (const Row& row : RowsOf(answer, "operators", "operators")) {
    (row.Text("side") == "host" ? sides.host : sides.device).emplace(row.Text("name"), row);
  }
  return sides;
}

// The value of an operator on a side; 0 where it has none there, as theirs is.
int64_t Value(const std::map<std::string, Row>& side, const std::string& name, const char* column) {
  const auto row = side.find(name);
  return row == side.end() ? 0 : Us(row->second, column);
}

// In percent; 0 where it launched no kernel, as theirs is.
double TensorCoreShare(const std::map<std::string, Row>& side, const std::string& name,
                       const char* column) {
  const auto row = side.find(name);
  return row == side.end() || !row->second.Has(column) ? 0 : 100 * row->second.Real(column);
}

void ExpectOperator(const Json& their, const Sides& ours) {
  const std::string name = their["name"];
  SCOPED_TRACE(name);
  ASSERT_TRUE(ours.host.contains(name));
  const Row& host = ours.host.at(name);
  EXPECT_EQ(host.Int("occurrences"), their["calls"]);
  EXPECT_EQ(Us(host, "total"), their["host_total_duration"]);
  EXPECT_EQ(Us(host, "self"), their["host_self_duration"]);
  EXPECT_EQ(Value(ours.device, name, "total"), their["device_total_duration"]);
  EXPECT_EQ(Value(ours.device, name, "self"), their["device_self_duration"]);
  EXPECT_EQ(host.Text("tensor_core_eligible"), their["tc_eligible"] == "Yes" ? "yes" : "no");
  EXPECT_NEAR(TensorCoreShare(ours.device, name, "tensor_core"),
              their["tc_self_ratio"].get<double>(), 0.00501);
  EXPECT_NEAR(TensorCoreShare(ours.device, name, "tensor_core_total"),
              their["tc_total_ratio"].get<double>(), 0.00501);
}

// Their pies hold every operator that is not 0 in their measure.
void ExpectPie(const Json& pie, const std::map<std::string, Row>& side, const char* column) {
  size_t not_zero = 0;
  for (const auto& [name, row] : side) not_zero += Us(row, column) > 0 ? 1 : 0;
  EXPECT_EQ(not_zero, pie["rows"].size()) << column;
  for (const Json& row : pie["rows"]) {
    EXPECT_EQ(Value(side, row[0], column), row[1].get<int64_t>()) << row[0] << " " << column;
  }
}

// What steps go to, by the plugin's roles, and how full the device is.
void ExpectOverview(const Json& average, const Json& utilization, const Json& sm_efficiency,
                    const ReportSet& answer) {
  const std::map<std::string, std::string> theirs = {{"kernel", "Kernel"},
                                                     {"memcpy", "Memcpy"},
                                                     {"memset", "Memset"},
                                                     {"runtime", "Runtime"},
                                                     {"data loader", "DataLoader"},
                                                     {"CPU exec", "CpuOp"},
                                                     {"other", "Other"},
                                                     {"communication", "Communication"}};
  const auto roles = RowsOf(answer, "overview", "roles");
  ASSERT_EQ(roles.size(), theirs.size());
  for (const Row& row : roles) {
    const double their = average[theirs.at(row.Text("role"))];
    EXPECT_NEAR(static_cast<double>(row.Int("mean")) / 1000, their, 0.001) << row.Text("role");
  }
  EXPECT_EQ(SumOf(RowsOf(answer, "overview", "steps"), "time") / 1000,
            std::llround(average["Total"].get<double>() *
                         static_cast<double>(RowsOf(answer, "overview", "steps").size())));
  const Row device = RowsOf(answer, "overview", "devices").at(0);
  EXPECT_NEAR(device.Real("utilization"), utilization.begin().value().get<double>(), 1e-9);
  EXPECT_NEAR(device.Real("sm_efficiency"), sm_efficiency.begin().value().get<double>(), 1e-6);
}

struct Span {
  const char* trace;
  size_t index;
};
const Span kSpans[] = {
    {"resnet50_workers0/worker0.1623143089861.pt.trace.json.gz", 0},
    {"resnet50_workers0/worker0.1623143566756.pt.trace.json.gz", 1},
};

class TbPluginTest : public SharedDataTest, public ::testing::WithParamInterface<Span> {};

TEST_P(TbPluginTest, Overview) {
  const Json their = ReadGolden("resnet50_workers0")["spans"][GetParam().index];
  ExpectOverview(their["avg_costs_us"], their["gpu_utilization"], their["est_sm_efficiency"],
                 Ask(GetParam().trace));
}

TEST_P(TbPluginTest, Operators) {
  const Json their = ReadGolden("resnet50_workers0")["spans"][GetParam().index];
  const ReportSet answer = Ask(GetParam().trace);
  const Sides ours = OperatorsOf(answer);
  EXPECT_EQ(ours.host.size(), their["operator_table_by_name_count"]);
  for (const Json& op : their["operator_table_by_name_top40"]) ExpectOperator(op, ours);
  const Json& pies = their["operation_pie_by_name"];
  ExpectPie(pies["host_total_time"], ours.host, "total");
  ExpectPie(pies["host_self_time"], ours.host, "self");
  ExpectPie(pies["device_total_time"], ours.device, "total");
  ExpectPie(pies["device_self_time"], ours.device, "self");
}

std::string Yes(bool yes) { return yes ? "yes" : "no"; }

void ExpectKernel(const Json& their, const Row& our) {
  EXPECT_EQ(our.Text("tensor_core"), Yes(their[1] == "Yes"));
  EXPECT_EQ(our.Int("occurrences"), their[2]);
  EXPECT_EQ(Us(our, "total"), their[3]);
  EXPECT_NEAR(static_cast<double>(our.Int("mean")) / 1000, their[4].get<double>(), 0.5);
  EXPECT_EQ(Us(our, "max"), their[5]);
  EXPECT_EQ(Us(our, "min"), their[6]);
  EXPECT_NEAR(our.Real("blocks_per_sm"), their[7].get<double>(), 0.00501);
  EXPECT_NEAR(our.Real("occupancy") * 100, their[8].get<double>(), 0.00501);
}

TEST_P(TbPluginTest, Kernels) {
  const Json their = ReadGolden("resnet50_workers0")["spans"][GetParam().index];
  const ReportSet answer = Ask(GetParam().trace);
  std::map<std::string, Row> ours;
  for (const Row& row : RowsOf(answer, "kernels", "kernels")) ours.emplace(row.Text("name"), row);
  EXPECT_EQ(ours.size(), their["kernel_count"]);
  for (const Json& row : their["kernel_table_top40"]) {
    SCOPED_TRACE(row[0]);
    ASSERT_TRUE(ours.contains(row[0]));
    ExpectKernel(row, ours.at(row[0]));
  }
  EXPECT_NEAR(std::get<double>(MetricOf(answer, "kernels", "tensor_core_ratio")),
              their["tc_used_ratio"], 1e-9);
  EXPECT_NEAR(std::get<double>(MetricOf(answer, "kernels", "eligible_ratio")),
              their["tc_eligible_ops_kernel_ratio"], 1e-9);
  EXPECT_NEAR(std::get<double>(MetricOf(answer, "kernels", "occupancy")) * 100,
              their["est_achieved_occupancy_pct"]["0"].get<double>(), 1e-5);
}

TEST_P(TbPluginTest, KernelsByOperatorAndLaunch) {
  const Json their = ReadGolden("resnet50_workers0")["spans"][GetParam().index];
  const ReportSet answer = Ask(GetParam().trace);
  using Key = std::tuple<std::string, std::string, std::string, std::string, int64_t, int64_t>;
  std::map<Key, Row> ours;
  for (const Row& row : RowsOf(answer, "kernels", "launches")) {
    ours.emplace(
        Key{row.Text("name"), row.Has("operator") ? row.Text("operator") : "", row.Text("grid"),
            row.Text("block"), row.Int("registers"), row.Int("shared_memory")},
        row);
  }
  for (const Json& row : their["kernel_op_table_top20"]) {
    SCOPED_TRACE(row.dump());
    const auto our =
        ours.find(Key{row[0], row[1], row[2], row[3], std::stoll(row[4].get<std::string>()),
                      std::stoll(row[5].get<std::string>())});
    ASSERT_NE(our, ours.end());
    EXPECT_EQ(our->second.Text("tensor_core"), Yes(row[6] == "Yes"));
    EXPECT_EQ(our->second.Text("tensor_core_eligible"), Yes(row[7] == "Yes"));
    EXPECT_EQ(our->second.Int("occurrences"), row[8]);
    EXPECT_EQ(Us(our->second, "total"), row[9]);
    EXPECT_EQ(Us(our->second, "max"), row[11]);
    EXPECT_EQ(Us(our->second, "min"), row[12]);
    EXPECT_NEAR(our->second.Real("blocks_per_sm"), row[13].get<double>(), 0.00501);
    EXPECT_NEAR(our->second.Real("occupancy") * 100, row[14].get<double>(), 0.00501);
  }
}

// Two workers made by hand, of which one kernel in three uses Tensor Cores.
TEST_F(SharedDataTest, TbPluginOnTwoWorkers) {
  const Json golden = ReadGolden("two_workers_synthetic");
  for (const std::string worker : {"worker_0", "worker_1"}) {
    SCOPED_TRACE(worker);
    const Json& their = golden["workers"][worker];
    const ReportSet answer =
        Ask("two_workers_synthetic/" + worker + ".1700000000000.pt.trace.json");
    ExpectOverview(their["avg"], their["gpu_util"], their["sm_eff"], answer);
    const Sides ours = OperatorsOf(answer);
    EXPECT_EQ(ours.host.size(), their["operator_table"].size());
    for (const Json& op : their["operator_table"]) ExpectOperator(op, ours);
    std::map<std::string, Row> kernels;
    for (const Row& row : RowsOf(answer, "kernels", "kernels")) {
      kernels.emplace(row.Text("name"), row);
    }
    EXPECT_EQ(kernels.size(), their["kernel_table"]["rows"].size());
    for (const Json& row : their["kernel_table"]["rows"]) ExpectKernel(row, kernels.at(row[0]));
    EXPECT_NEAR(std::get<double>(MetricOf(answer, "kernels", "tensor_core_ratio")),
                their["tc_used_ratio"], 1e-9);
    EXPECT_NEAR(std::get<double>(MetricOf(answer, "kernels", "eligible_ratio")),
                their["tc_eligible_ops_kernel_ratio"], 1e-9);
    EXPECT_NEAR(std::get<double>(MetricOf(answer, "kernels", "occupancy")) * 100,
                their["occ"].begin().value().get<double>(), 1e-5);
  }
}

std::string SpanName(const ::testing::TestParamInfo<Span>& info) {
  return "Span" + std::to_string(info.param.index);
}

INSTANTIATE_TEST_SUITE_P(TbPlugin, TbPluginTest, ::testing::ValuesIn(kSpans), SpanName);

}  // namespace
}  // namespace stepscope::testing::tb_plugin_test
