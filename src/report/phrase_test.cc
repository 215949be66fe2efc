// Tests what a Phrase keeps besides its English.
#include "stepscope/phrase.h"

#include <gtest/gtest.h>

#include "report/humanize.h"
#include "stepscope/language.h"

namespace stepscope::testing::phrase_test {
namespace {

std::string Japanese(const Phrase& phrase) { return In(Language::kJapanese, phrase); }

TEST(Phrase, HasFieldsInTheOrderOfTheirNames) {
  const Phrase said = Say("{who} waits for {what}, and {who} knows", "rank 3", Say("{n} ms", 5));
  EXPECT_EQ(said.str(), "rank 3 waits for 5 ms, and rank 3 knows");
  EXPECT_EQ(said.form(), "{who} waits for {what}, and {who} knows");
  ASSERT_EQ(said.parts().size(), 2u);
  EXPECT_EQ(said.parts()[1].form(), "{n} ms");
}

TEST(Phrase, KeepsItsPartsWhenJoined) {
  Phrase all = "a";
  all += "";
  EXPECT_EQ(all.kind(), Phrase::Kind::kWhole);
  all = all + ", " + Say("rank {rank}", 1);
  EXPECT_EQ(all.str(), "a, rank 1");
  ASSERT_EQ(all.parts().size(), 3u);
  EXPECT_EQ(Japanese(all), "a、ランク 1");
}

TEST(Phrase, IsCapitalizedInEnglishAlone) {
  const Phrase said = Capitalized(Say("rank {rank}", 1));
  EXPECT_EQ(said.str(), "Rank 1");
  EXPECT_EQ(Japanese(said), "ランク 1");
}

TEST(Phrase, ThatBeginsWithANameFromATraceKeepsIt) {
  const Phrase name = Phrase::Name("aten::isnan");
  EXPECT_EQ(Capitalized(name).str(), "aten::isnan");
  EXPECT_EQ(Capitalized(Say("{function} takes {time}", name, "1 ms")).str(),
            "aten::isnan takes 1 ms");
  EXPECT_EQ(Capitalized(Say("{time} of {function}", Phrase("some"), name)).str(),
            "Some of aten::isnan");
}

TEST(Phrase, LeavesNamesFromTraces) {
  EXPECT_EQ(Japanese(Phrase("memory")), "メモリ");
  EXPECT_EQ(Japanese(Phrase::Name("memory")), "memory");
}

TEST(Phrase, LosesWordsWithTheirTemplate) {
  const Phrase said = Say("compile it, or raise {what}", "x").Without("compile it, or ");
  EXPECT_EQ(said.str(), "raise x");
  EXPECT_EQ(said.form(), "raise {what}");
}

TEST(Phrase, IsRewrittenInEachPiece) {
  Phrase said = Say("rank {rank} of {host}", 1, "node7");
  said.RewriteWith([](std::string_view text) {
    std::string out(text);
    if (const size_t at = out.find("node7"); at != out.npos) out.replace(at, 5, "host-1");
    return out;
  });
  EXPECT_EQ(said.str(), "rank 1 of host-1");
  EXPECT_EQ(said.parts()[1].str(), "host-1");
}

TEST(Phrase, SaysNumbersWithTheUnitsOfALanguage) {
  EXPECT_EQ(Japanese(HumanTime(8.35e12)), "2.32 時間");
  EXPECT_EQ(Japanese(HumanTime(1.24e6)), "1.24 ms");
  EXPECT_EQ(Japanese(Plural(1234, "step")), "1,234 ステップ");
}

TEST(Language, IsNamedAsLocalesAre) {
  EXPECT_EQ(ParseLanguage("ja_JP.UTF-8"), Language::kJapanese);
  EXPECT_EQ(ParseLanguage("en"), Language::kEnglish);
  EXPECT_EQ(ParseLanguage("C"), std::nullopt);
  EXPECT_EQ(ParseLanguage(""), std::nullopt);
}

}  // namespace
}  // namespace stepscope::testing::phrase_test
