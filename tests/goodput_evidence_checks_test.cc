// Reproduces published numbers on program goodput, gains, standby machines and chip time.
#include "stepscope/program_goodput.h"
#include "tests/goodput_checks.h"

namespace stepscope::testing::goodput_evidence_checks_test {
namespace {

std::vector<double> Numbers(const Json& list) { return list.get<std::vector<double>>(); }

ProgramOptions Dense(const Json& in, const char* chips) {
  return {.shape = {.layers = in["L"],
                    .heads = in["H"],
                    .head_size = in["Q"],
                    .sequence = in["T"],
                    .causal = false,
                    .parameters = in["N"]},
          .tokens_per_second = in["tok_s"],
          .chips = in[chips],
          .peak_flops = in["peak"]};
}

TEST_F(ChecksTest, ModelFlopsUtilization) {
  const Answered palm(ProgramGoodput(Dense(Input("palm_mfu"), "chips")));
  Reproduces("palm_mfu", 100 * palm.Metric("program_goodput", "mfu"));
  Reproduces("palm_mfu_no_attn", 100 * palm.Metric("program_goodput", "mfu_without_attention"));
  const Answered mtnlg(ProgramGoodput(Dense(Input("mtnlg_mfu"), "gpus")));
  Reproduces("mtnlg_mfu", 100 * mtnlg.Metric("program_goodput", "mfu"));
  Reproduces("mtnlg_mfu_no_attn", 100 * mtnlg.Metric("program_goodput", "mfu_without_attention"));
  // From the published MFU, as PaLM's own table has it.
  const Answered hfu(ProgramGoodput({.flops_per_chip = 0.462 * 275e12,
                                     .peak_flops = 275e12,
                                     .executed_flops_ratio = 4.10 / 3.28}));
  Reproduces("palm_hfu", 100 * hfu.Metric("program_goodput", "hfu"));
  for (const char* id : {"llama3_mfu_430", "llama3_mfu_400", "llama3_mfu_380"}) {
    const double achieved = Input(id)["tflops"];
    const Answered answer(
        ProgramGoodput({.flops_per_chip = achieved * 1e12, .peak_flops = 989e12}));
    Reproduces(id, 100 * answer.Metric("program_goodput", "mfu"));
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
}  // namespace stepscope::testing::goodput_evidence_checks_test
