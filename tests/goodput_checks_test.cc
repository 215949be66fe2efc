// Published numbers of ../shared/goodput/checks.json, each asked of the model's front door. Two of
// them contradict what they can be computed from: there the disagreement must be found and said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>

#include "stepscope/goodput_model.h"
#include "tests/shared_data.h"

namespace stepscope::testing {
namespace {

using Json = nlohmann::json;
using Options = GoodputModelOptions;

constexpr double kHourS = 3600, kMinuteS = 60, kDayS = 86400, kNs = 1e9;

const Report* FindReport(const ReportSet& answer, const std::string& name) {
  for (const Report& report : answer.reports) {
    if (report.analysis == name) return &report;
  }
  ADD_FAILURE() << "no report " << name;
  return nullptr;
}

double Number(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  ADD_FAILURE() << "no number";
  return NAN;
}

// What was asked and answered, and how to read numbers from it.
class Answered {
 public:
  explicit Answered(const Options& options) : answer_(ModelGoodput(options)) {
    if (!answer_) ADD_FAILURE() << answer_.error().what << " " << answer_.error().where;
  }

  double Metric(const std::string& report, const std::string& key) const {
    const Report* found = answer_ ? FindReport(*answer_, report) : nullptr;
    if (found == nullptr) return NAN;
    for (const auto& metric : found->metrics) {
      if (metric.key == key) return Number(metric.value);
    }
    ADD_FAILURE() << "no metric " << key;
    return NAN;
  }

  double InTable(const std::string& report, const std::string& table, const Cell& row,
                 const std::string& column) const {
    const Report* found = answer_ ? FindReport(*answer_, report) : nullptr;
    if (found == nullptr) return NAN;
    for (const Table& t : found->tables) {
      for (size_t c = 0; t.key == table && c < t.columns.size(); ++c) {
        if (t.columns[c].key != column) continue;
        for (const auto& cells : t.rows) {
          if (cells[0] == row) return Number(cells[c]);
        }
      }
    }
    ADD_FAILURE() << "no cell " << table << " " << column;
    return NAN;
  }

  // Whether a finding says so, in its sentence or its evidence.
  bool Says(const std::string& report, const std::string& text) const {
    const Report* found = answer_ ? FindReport(*answer_, report) : nullptr;
    if (found == nullptr) return false;
    for (const Finding& finding : found->findings) {
      if ((finding.says + " " + finding.because).find(text) != std::string::npos) return true;
    }
    return false;
  }

 private:
  Result<ReportSet> answer_;
};

// The checks, and what has been reproduced of each.
class ChecksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = Shared("goodput/checks.json");
    std::ifstream in(path);
    if (!in) GTEST_SKIP() << "no published goodput numbers were tested: there is no " << path;
    for (Json& check : Json::parse(in)) {
      const std::string id = check["id"];
      checks_[id] = check;
    }
  }

  const Json& Input(const std::string& id) { return checks_.at(id)["input"]; }

  // Ours, in the unit of the check: what was computed apart from us, and what was published.
  void Reproduces(const std::string& id, double ours) {
    const Json& check = checks_.at(id);
    Reproduces(id, ours, check["computed"]);
    if (!check["published"].is_number() || !check["tolerance"].is_number()) return;
    EXPECT_NEAR(ours, check["published"].get<double>(), check["tolerance"].get<double>()) << id;
  }

  // One of several numbers of a check.
  void Reproduces(const std::string& id, double ours, const Json& computed) {
    ASSERT_TRUE(computed.is_number()) << id;
    EXPECT_NEAR(ours, computed.get<double>(), 1e-9 * std::fabs(computed.get<double>())) << id;
    done_.insert(id);
  }

  void ExpectDone(const std::vector<std::string>& prefixes) {
    for (const auto& [id, check] : checks_) {
      for (const std::string& prefix : prefixes) {
        EXPECT_TRUE(!id.starts_with(prefix) || done_.contains(id)) << id << " was not reproduced";
      }
    }
  }

  std::map<std::string, Json> checks_;
  std::set<std::string> done_;
};

std::vector<double> Numbers(const Json& list) { return list.get<std::vector<double>>(); }

TEST_F(ChecksTest, EveryCheckHasATest) {
  const std::vector<std::string> tested = {"ettr_",  "llama3_",     "young_daly_", "palm_",
                                           "mtnlg_", "byterobust_", "torchft_",    "opt175_",
                                           "async_", "mpg_",        "rg_models_"};
  for (const auto& [id, check] : checks_) {
    EXPECT_TRUE(std::ranges::any_of(tested, [&](const auto& p) { return id.starts_with(p); }))
        << id;
  }
  EXPECT_EQ(checks_.size(), 39u);
}

TEST_F(ChecksTest, TimeBetweenFailuresOfResearchClusters) {
  for (const char* id : {"ettr_mttf_16384", "ettr_mttf_131072"}) {
    const Json& in = Input(id);
    const Answered answer({.failures_per_node_day = in["r_f_per_node_day"], .chips = in["gpus"]});
    Reproduces(id, answer.Metric("goodput_failures", "modelled_mtbf") / kNs / kHourS);
  }
  // Negative: 1024 GPUs failed every 7.9 h. Both are shown, and that they disagree is said.
  const std::string id = "ettr_mttf_1024_negative";
  const double published_h = checks_.at(id)["published"];
  const Answered answer({.failures_per_node_day = Input(id)["r_f_per_node_day"],
                         .observed_mtbf_s = published_h * kHourS,
                         .chips = Input(id)["gpus"]});
  Reproduces(id, answer.Metric("goodput_failures", "modelled_mtbf") / kNs / kHourS,
             checks_.at(id)["computed"]);
  EXPECT_DOUBLE_EQ(answer.Metric("goodput_failures", "observed_mtbf") / kNs / kHourS, published_h);
  EXPECT_TRUE(answer.Says("goodput_failures", "disagree by a factor of 3.7"));
  ExpectDone({"ettr_mttf_"});
}

TEST_F(ChecksTest, EffectiveTrainingTimeOfTwelveThousand) {
  for (const auto& [id, least, most] :
       std::to_array<std::tuple<std::string, double, double>>({{"ettr_12000_w5min", 0, 0.9},
                                                               {"ettr_12000_rf1", 0.895, 0.905},
                                                               {"ettr_12000_w10s", 0.9, 1}})) {
    const Json& in = Input(id);
    const Answered answer({.failures_per_node_day = in["r_f"],
                           .chips = in["gpus"],
                           .save_s = in["w_min"].get<double>() * kMinuteS,
                           .restart_s = in["u0_min"].get<double>() * kMinuteS});
    const Json& computed = checks_.at(id)["computed"];
    const auto young = [&](const std::string& column) {
      return answer.InTable("goodput_model", "intervals", std::string("young"), column);
    };
    Reproduces(id, young("interval") / kNs / kMinuteS, computed["dt_opt_min"]);
    Reproduces(id, young("first_order"), computed["ettr"]);
    EXPECT_GE(young("first_order"), least) << id;
    EXPECT_LE(young("first_order"), most) << id;
  }
  ExpectDone({"ettr_12000"});
}

// Table 5 of arXiv 2407.21783. The shares are as printed there, of those that concern GPUs.
TEST_F(ChecksTest, FailuresOfLlama3) {
  const std::map<std::string, double> gpu = {{"faulty_gpu", 0.301}, {"hbm3", 0.172},
                                             {"sram", 0.045},       {"gpu_sysproc", 0.041},
                                             {"sdc", 0.014},        {"gpu_thermal", 0.014}};
  Options options;
  for (const auto& [cause, count] : Input("llama3_table5_sum").items()) {
    const auto printed = gpu.find(cause);
    const bool is_gpu = printed != gpu.end();
    options.causes.push_back({(is_gpu ? "gpu/" : "") + cause, count,
                              is_gpu ? std::optional(printed->second) : std::nullopt});
  }
  const Answered answer(options);
  Reproduces("llama3_table5_sum", answer.Metric("goodput_failures", "causes_sum"));

  // Negative: 148 of 419 are not 30.1 %, and the printed shares of GPUs add up to 58.7 %.
  const std::string id = "llama3_gpu_share_inconsistent";
  const Json& computed = checks_.at(id)["computed"];
  const auto share = [&](const char* table, const char* row, const char* column) {
    return 100 * answer.InTable("goodput_failures", table, std::string(row), column);
  };
  Reproduces(id, share("groups", "gpu", "share"), computed["by_counts"]);
  Reproduces(id, share("causes", "gpu/faulty_gpu", "share"), computed["faulty_gpu_by_counts"]);
  Reproduces(id, share("groups", "gpu", "printed_share"), computed["sum_printed"]);
  EXPECT_NEAR(share("groups", "gpu", "printed_share"), checks_.at(id)["published"], 1e-9);
  EXPECT_TRUE(answer.Says("goodput_failures", "148 of 419 are 35.3 %, printed is 30.1 %"));
  EXPECT_TRUE(answer.Says("goodput_failures", "268 of 419 are 64.0 %, printed is 58.7 %"));
}

TEST_F(ChecksTest, TimeBetweenFailuresOfLlama3) {
  const auto over = [](double failures) {
    return Options{
        .failures = failures, .over_s = 54 * kDayS, .nodes = 2048, .target_goodput = 0.9};
  };
  const auto observed_h = [&](const std::string& id) {
    const Json& in = Input(id);
    const Answered answer({.failures = in["n"], .over_s = in["days"].get<double>() * kDayS});
    return answer.Metric("goodput_failures", "observed_mtbf") / kNs / kHourS;
  };
  Reproduces("llama3_mtbf_unexpected", observed_h("llama3_mtbf_unexpected"));
  Reproduces("llama3_mtbf_all", observed_h("llama3_mtbf_all"));
  EXPECT_EQ(Input("llama3_rf")["nodes"], 2048);
  Reproduces("llama3_rf",
             Answered(over(419)).Metric("goodput_failures", "failures_per_1000_node_days"));

  // The budget is of all 466 interruptions, the time between failures of the 419 unexpected ones.
  const Json& computed = checks_.at("llama3_loss_budget")["computed"];
  Reproduces("llama3_loss_budget",
             Answered(over(466)).Metric("goodput_failures", "loss_budget") / kNs / kMinuteS,
             computed["max_mean_loss_min_per_interruption"]);
  Options options = over(419);
  options.save_s = 10;
  options.restart_s = 10 * kMinuteS;
  const Answered answer(options);
  const auto young = [&](const std::string& column) {
    return answer.InTable("goodput_model", "intervals", std::string("young"), column);
  };
  const Json& at_10s = computed["ettr_at_w10s_u10"];
  Reproduces("llama3_loss_budget", young("interval") / kNs / kMinuteS, at_10s["dt_opt_min"]);
  Reproduces("llama3_loss_budget", young("first_order"), at_10s["ettr"]);
}

TEST_F(ChecksTest, CheckpointIntervals) {
  for (const auto& [id, check] : checks_) {
    if (!id.starts_with("young_daly_")) continue;
    const Json& in = check["input"];
    const Answered answer({.mtbf_s = in["M_s"], .save_s = in["w_s"], .restart_s = in["R_s"]});
    const auto interval = [&](const char* rule) {
      return answer.InTable("goodput_model", "intervals", std::string(rule), "interval") / kNs;
    };
    Reproduces(id, interval("young"), check["computed"]["young"]);
    Reproduces(id, interval("daly"), check["computed"]["daly"]);
    Reproduces(id, interval("availability"), check["computed"]["avail"]);
  }
  ExpectDone({"young_daly_"});
}

TEST_F(ChecksTest, FormsOfTheModel) {
  for (const auto& [id, check] : checks_) {
    if (!id.starts_with("rg_models_")) continue;
    const Json& in = check["input"];
    const Answered answer({.mtbf_s = in["M_s"],
                           .checkpoint_interval_s = in["tau_s"],
                           .save_s = in["w_s"],
                           .restart_s = in["R_s"]});
    Reproduces(id, answer.Metric("goodput_model", "goodput"), check["computed"]["exact"]);
    Reproduces(id, answer.Metric("goodput_model", "first_order"), check["computed"]["meta"]);
    Reproduces(id, answer.Metric("goodput_model", "uptime"), check["computed"]["blog_uptime"]);
    EXPECT_NEAR(answer.Metric("goodput_model", "simulated"),
                answer.Metric("goodput_model", "goodput"),
                4 * answer.Metric("goodput_model", "simulated_error"))
        << id;
  }
  ExpectDone({"rg_models_"});
}

Options Dense(const Json& in, const char* chips) {
  return {.chips = in[chips],
          .parameters = in["N"],
          .layers = in["L"],
          .heads = in["H"],
          .head_dim = in["Q"],
          .sequence_length = in["T"],
          .tokens_per_second = in["tok_s"],
          .peak_tflops = in["peak"].get<double>() / 1e12};
}

TEST_F(ChecksTest, ModelFlopsUtilization) {
  const Answered palm(Dense(Input("palm_mfu"), "chips"));
  Reproduces("palm_mfu", 100 * palm.Metric("goodput_program", "mfu"));
  Reproduces("palm_mfu_no_attn", 100 * palm.Metric("goodput_program", "mfu_without_attention"));
  const Answered mtnlg(Dense(Input("mtnlg_mfu"), "gpus"));
  Reproduces("mtnlg_mfu", 100 * mtnlg.Metric("goodput_program", "mfu"));
  Reproduces("mtnlg_mfu_no_attn", 100 * mtnlg.Metric("goodput_program", "mfu_without_attention"));
  // From the published MFU, as PaLM's own table has it.
  const Answered hfu(
      {.tflops_per_chip = 0.462 * 275, .peak_tflops = 275, .executed_flops_ratio = 4.10 / 3.28});
  Reproduces("palm_hfu", 100 * hfu.Metric("goodput_program", "hfu"));
  for (const char* id : {"llama3_mfu_430", "llama3_mfu_400", "llama3_mfu_380"}) {
    const Answered answer({.tflops_per_chip = Input(id)["tflops"], .peak_tflops = 989});
    Reproduces(id, 100 * answer.Metric("goodput_program", "mfu"));
  }
  ExpectDone({"palm_", "mtnlg_", "llama3_mfu"});
}

TEST_F(ChecksTest, GainsOfByteRobustAndAsynchronousSaves) {
  const Json& t7 = Input("byterobust_t7");
  const Answered restarts(
      {.restart_before_s = Numbers(t7["requeue_s"]), .restart_after_s = Numbers(t7["hot_s"])});
  Reproduces("byterobust_t7", restarts.Metric("goodput_gains", "restart_speedup"));

  const Json& megatron = Input("byterobust_t8_vs_megatron");
  const auto saving = [&](const Json& before) {
    const Answered answer(
        {.save_before_s = Numbers(before), .save_after_s = Numbers(megatron["byterobust"])});
    return 100 * answer.Metric("goodput_gains", "save_saving");
  };
  Reproduces("byterobust_t8_vs_megatron", saving(megatron["megatron"]));
  Reproduces("byterobust_t8_vs_memory", saving(Input("byterobust_t8_vs_memory")["memory"]));

  std::vector<double> mfu = Numbers(Input("byterobust_t8_mfu_loss")["mfu"]);
  for (double& value : mfu) value /= 100;
  const Answered loss({.relative_mfu = mfu});
  Reproduces("byterobust_t8_mfu_loss", 100 * loss.Metric("goodput_gains", "mfu_loss"));

  const Answered saves({.save_before_s = {148.8}, .save_after_s = {6.3}});
  Reproduces("async_ckpt_ibm", saves.Metric("goodput_gains", "save_speedup"));
  ExpectDone({"byterobust_t7", "byterobust_t8", "async_"});
}

TEST_F(ChecksTest, RecoveriesAndStandbysOfByteRobust) {
  for (const char* id : {"byterobust_t4_dense", "byterobust_t4_moe"}) {
    Options options;
    for (const auto& [kind, count] : Input(id).items()) options.causes.push_back({kind, count, {}});
    const Answered answer(options);
    Reproduces(id, 100 * answer.InTable("goodput_failures", "causes", std::string("er"), "share"));
  }
  const std::string id = "byterobust_standby_p99";
  const Json& check = checks_.at(id);
  const auto machines = check["input"]["machines"].get<std::vector<int64_t>>();
  const Answered answer({.standby_machines = machines, .down_probability = check["input"]["p"]});
  for (size_t i = 0; i < machines.size(); ++i) {
    const double standby = answer.InTable("goodput_spares", "standby", machines[i], "standby");
    Reproduces(id, standby, check["computed"][i]);
    EXPECT_EQ(standby, check["published"][i]);
  }
  ExpectDone({"byterobust_t4", "byterobust_standby"});
}

TEST_F(ChecksTest, ChipTime) {
  const Json& steps = checks_.at("torchft_run1")["computed"];
  const Answered torchft(
      {.steps_tried = 6249, .steps_committed = 5145, .replicas = 30, .mean_replicas = 29.6});
  Reproduces("torchft_run1", 100 * torchft.Metric("goodput_product", "committed_steps"),
             steps["step_eff"]);
  Reproduces("torchft_run1", 100 * torchft.Metric("goodput_product", "committed_work"),
             steps["train_eff"]);

  const Answered opt({.over_s = 61 * kDayS, .chips = 992, .wasted_chip_s = 178000 * kHourS});
  Reproduces("opt175_waste", 100 * opt.Metric("goodput_product", "wasted"));

  const Json& in = Input("mpg_identity");
  const Json& computed = checks_.at("mpg_identity")["computed"];
  const Answered mpg({.capacity_chip_s = in["capacity_chip_s"],
                      .allocated_chip_s = in["all_up_chip_s"],
                      .saved_chip_s = in["saved_chip_s"],
                      .program_goodput = in["pg"]});
  for (const auto& [ours, theirs] : std::map<std::string, std::string>{
           {"scheduling", "SG"}, {"runtime", "RG"}, {"program", "PG"}, {"product", "MPG"}}) {
    Reproduces("mpg_identity", mpg.Metric("goodput_product", ours), computed[theirs]);
  }
  ExpectDone({"torchft_", "opt175_", "mpg_"});
}

}  // namespace
}  // namespace stepscope::testing
