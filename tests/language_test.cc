// Tests what is said in Japanese: that no sentence of an answer is left in English, and that
// programs see no difference unless they ask.
#include "stepscope/language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "report/display_width.h"
#include "stepscope/compare.h"
#include "stepscope/session.h"
#include "stepscope/write.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"
#include "tests/shell.h"

namespace stepscope::testing::language_test {
namespace {

using Json = nlohmann::json;

class InJapanese : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new ScratchFolder;
    Shell("cd '" + folder_->path() +
          "' && stepscope demo slow --ranks 4 --steps 6 --layers 8 --slow-rank 1 --slow-since 6 && "
          "stepscope demo healthy --ranks 4 --steps 4 --layers 8 --slow-rank -1 --exposed 0.02 "
          "--host-gap 0.005 && "
          "stepscope demo exposed --ranks 2 --steps 4 --layers 4 --slow-rank -1 --exposed 0.9 && "
          "stepscope demo host --ranks 2 --steps 4 --layers 4 --slow-rank -1 --host-gap 0.4 "
          "--gap-in-python");
  }
  static void TearDownTestSuite() { delete folder_; }

  static Outcome In(const std::string& line) {
    return Shell("cd '" + folder_->path() + "' && " + line);
  }
  static ReportSet AnswerOf(const std::string& job) {
    return AnswerTo({folder_->path() + "/" + job});
  }

  static ScratchFolder* folder_;
};
ScratchFolder* InJapanese::folder_ = nullptr;

// Whether the text is a number with its unit, or a name in the demo's traces or of a bound.
bool NeedsNoTranslation(const std::string& text) {
  static const std::regex number("[-+]?[0-9.,]+ ?(ns|µs|ms|s|B|[kMGT]B|[kMGT]?FLOP)");
  constexpr std::string_view kNames[] = {
      "aten::mm",
      "data_loading",
      "dp",
      "gpu_compute",
      "gpu_communication",
      "log_metrics (train.py:96)",
      "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"};
  return std::regex_match(text, number) || text.starts_with("dp ") ||
         std::ranges::find(kNames, text) != std::end(kNames);
}

// What no catalogue has.
std::string SayMissing(const ReportSet& answer) {
  std::string all;
  for (const std::string& text : MissingIn(Language::kJapanese, answer)) {
    if (!NeedsNoTranslation(text)) all += text + "\n";
  }
  return all;
}

TEST_F(InJapanese, EveryTextOfAnAnswerIsKnown) {
  for (const char* job : {"slow", "healthy", "exposed", "host"})
    EXPECT_EQ(SayMissing(AnswerOf(job)), "") << job;
}

TEST_F(InJapanese, EveryTextOfAComparisonIsKnown) {
  EXPECT_EQ(SayMissing(Compare(AnswerOf("healthy"), AnswerOf("slow"))), "");
  EXPECT_EQ(SayMissing(Compare(AnswerOf("host"), AnswerOf("exposed"))), "");
}

TEST_F(InJapanese, EveryExplanationIsKnown) {
  for (const AnalysisInfo& info : Session::List()) {
    EXPECT_NE(DocIn(Language::kJapanese, info.name, info.doc), info.doc) << info.name;
    for (const std::string& text : {info.title, info.summary})
      EXPECT_NE(stepscope::In(Language::kJapanese, text), text) << info.name;
  }
}

TEST_F(InJapanese, TheFirstScreenFitsATerminal) {
  for (const char* job : {"slow", "healthy", "exposed", "host"}) {
    const std::string screen = In(std::string("stepscope analyze --lang ja ") + job).out;
    EXPECT_LE(std::ranges::count(screen, '\n'), 45) << screen;
    for (size_t at = 0; at < screen.size();) {
      const size_t end = screen.find('\n', at);
      EXPECT_LE(DisplayWidth(screen.substr(at, end - at)), 100u) << screen;
      at = end + 1;
    }
  }
}

TEST_F(InJapanese, TheLocaleChoosesForPeopleAndNotForPrograms) {
  const std::string here = "LC_ALL=ja_JP.UTF-8 stepscope analyze slow";
  EXPECT_TRUE(In(here).out.contains("ランク 1")) << In(here).out;
  EXPECT_FALSE(In(here + " --lang en").out.contains("ランク"));
  EXPECT_FALSE(In("LC_ALL=C stepscope analyze slow").out.contains("ランク"));
  EXPECT_EQ(In(here + " --format json").out, In("stepscope analyze slow --format json").out);
}

TEST_F(InJapanese, JsonKeepsItsKeysAndNumbers) {
  const Json english = Json::parse(In("stepscope analyze slow --format json").out);
  Json japanese = Json::parse(In("stepscope analyze slow --format json --lang ja").out);
  EXPECT_NE(english["verdict"], japanese["verdict"]);
  ASSERT_EQ(english["reports"].size(), japanese["reports"].size());
  for (size_t r = 0; r < english["reports"].size(); ++r) {
    const Json &a = english["reports"][r], &b = japanese["reports"][r];
    EXPECT_EQ(a["analysis"], b["analysis"]);
    for (size_t t = 0; t < a["tables"].size(); ++t)
      EXPECT_EQ(a["tables"][t]["rows"], b["tables"][t]["rows"]) << "what scripts compare";
    for (size_t m = 0; m < a["metrics"].size(); ++m) {
      EXPECT_EQ(a["metrics"][m]["key"], b["metrics"][m]["key"]);
      if (a["metrics"][m]["value"].is_number()) {
        EXPECT_EQ(a["metrics"][m]["value"], b["metrics"][m]["value"]);
      }
    }
  }
}

TEST_F(InJapanese, WordsOfAPageAreThoseOfTheTranslation) {
  ReportSet answer = AnswerOf("slow");
  const Language also[] = {Language::kJapanese};
  const Json json = Json::parse(ToJson(answer, also));
  const std::string verdict = answer.verdict;
  Translate(answer, Language::kJapanese);
  EXPECT_EQ(json["words"]["ja"][verdict], answer.verdict.str());
}

}  // namespace
}  // namespace stepscope::testing::language_test
