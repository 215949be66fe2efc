// Tests a parameter that may be given under two names.
#include "session/params.h"

#include <gtest/gtest.h>

#include <map>

namespace stepscope::params_test {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

// The peak that `steps` gets, or the error.
std::string Peak(const Given& given) {
  const auto params = MakeParams(**FindAnalysis("steps"), given);
  return params ? params->Text("peak_tflops") : params.error().what + ": " + params.error().where;
}

TEST(Params, AreTheirOwnElseThoseTheyStandFor) {
  EXPECT_EQ(Peak({}), "0");
  EXPECT_EQ(Peak({{"flops.peak_tflops", "500"}}), "500");
  EXPECT_EQ(Peak({{"steps.peak_tflops", "312"}}), "312");
  EXPECT_EQ(Peak({{"steps.peak_tflops", "312"}, {"flops.peak_tflops", "500"}}), "312");
  EXPECT_EQ(Peak({{"flops.peak_tflops", "500"}, {"steps.peak_tflops", "0"}}), "0");
}

TEST(Params, ThatAreNoNumbersAreNamedAsTheyWereGiven) {
  EXPECT_EQ(Peak({{"flops.peak_tflops", "much"}}), "'much' is not a number: flops.peak_tflops");
  EXPECT_EQ(Peak({{"steps.peak_tflops", "much"}}), "'much' is not a number: steps.peak_tflops");
}

// Times are plain ns, or a number with its unit.
TEST(Params, OfTimeTakeUnits) {
  const auto cutoff = [](const std::string& text) -> int64_t {
    const auto params =
        MakeParams(**FindAnalysis("launch_stats"), Given{{"launch_stats.runtime_cutoff", text}});
    return params ? params->Integer("runtime_cutoff") : -1;
  };
  EXPECT_EQ(cutoff("50000"), 50'000);
  EXPECT_EQ(cutoff("50us"), 50'000);
  EXPECT_EQ(cutoff("50\u00b5s"), 50'000);
  EXPECT_EQ(cutoff("1.5ms"), 1'500'000);
  EXPECT_EQ(cutoff("1m30s"), 90'000'000'000);
  for (const char* wrong : {"0.5ns", "1.5", "5%", "50 us", "soon", "", "1000000w", "-5us"}) {
    EXPECT_EQ(cutoff(wrong), -1) << wrong;
  }
  // Counts and identifiers have no unit.
  EXPECT_FALSE(MakeParams(**FindAnalysis("critical_path"), Given{{"critical_path.step", "5us"}}));
}

TEST(Params, BandwidthsNeedAUnit) {
  const auto made = [](const std::string& bandwidth) {
    return MakeParams(**FindAnalysis("allreduce_check"),
                      Given{{"allreduce_check.bandwidth", bandwidth}});
  };
  EXPECT_EQ(made("40GB/s")->Number("bandwidth"), 40e9);
  EXPECT_EQ(made("0")->Number("bandwidth"), 0);
  const auto refused = made("40");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().what, "'40' is not a bandwidth with a unit");
  EXPECT_EQ(refused.error().hint, "write it as 40GB/s or 400Gbit/s");
}

TEST(Params, OfTextAreReadBeforeTheAnalysisRuns) {
  const auto made = [](const std::string& change) {
    return MakeParams(**FindAnalysis("critical_path"), Given{{"critical_path.what_if", change}});
  };
  EXPECT_TRUE(made("launch=0; kernel:gemm*0.5").has_value());
  EXPECT_TRUE(made("").has_value());
  const auto unknown = made("foo");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().what, "cannot read the change 'foo': missing factor such as *0.5");
  EXPECT_EQ(unknown.error().where, "critical_path.what_if");
}

// Whatever stands in for a parameter is one, of the same type.
TEST(Params, StandForParametersThatThereAre) {
  std::map<std::string, Parameter::Type> types;
  const auto all = *FindAnalyses({});
  for (const AnalysisRef& analysis : all) {
    for (const Parameter& p : analysis->params) {
      types[std::string(analysis->name) + "." + std::string(p.name)] = p.type;
    }
  }
  for (const AnalysisRef& analysis : all) {
    for (const Parameter& p : analysis->params) {
      if (p.or_as.empty()) continue;
      ASSERT_TRUE(types.contains(std::string(p.or_as))) << p.or_as;
      EXPECT_EQ(types[std::string(p.or_as)], p.type) << p.or_as;
    }
  }
}

// The nearest name, else what the analysis has.
TEST(Params, UnknownNamesAreAnsweredWithKnownOnes) {
  const auto hint = [](const std::string& name) {
    return CheckParamNames(Given{{name, "1"}}).error().hint;
  };
  EXPECT_EQ(hint("flops.peak_tflop"), "did you mean 'flops.peak_tflops'?");
  EXPECT_EQ(hint("flops.x"), "flops has: peak_tflops");
  EXPECT_EQ(hint("nothing_like_it.at_all"), "`analyses` lists the known names");
}

}  // namespace
}  // namespace stepscope::params_test
