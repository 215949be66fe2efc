// report.html: one file that is whole, small and harmless.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/gzip.h"
#include "stepscope/demo.h"
#include "stepscope/server.h"
#include "tests/front_door.h"

namespace stepscope::testing {
namespace {

using Json = nlohmann::json;

// What the page reads.
Json DataOf(const std::string& page) {
  const std::string begins = "<script type=\"application/json\" id=\"stepscope-data\">";
  const size_t from = page.find(begins) + begins.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::string FromBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

TEST(ReportPage, HoldsTheReportsAndTheTimeline) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", DocumentOfRank(0, Kernels(20)));
  const auto page = ReportPage({.paths = {folder.path()}});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  EXPECT_NE(page->find("default-src 'none'; script-src 'sha256-"), page->npos);
  EXPECT_EQ(page->find("src=\""), page->npos);  // nothing is loaded
  const Json data = DataOf(*page);
  const std::string id = data["state"]["runs"][0]["id"];
  EXPECT_EQ(data["answers"][id], Json::parse(ToJson(*Ask({folder.path()}))));
  EXPECT_EQ(data["analyses"].size(), Session::List().size());
  const Json& timeline = data["timelines"][id];
  const Json& track = timeline["info"]["tracks"][0];
  const std::string finest = fmt::format("0.{}.0", track["finest"].get<int>());
  const auto tile = Gunzip(FromBase64(timeline["tiles"][finest].get<std::string>()));
  ASSERT_TRUE(tile.has_value());
  EXPECT_EQ(tile->substr(0, 4), "SLT1");
  EXPECT_NE(timeline["says"].get<std::string>().find("density"), std::string::npos);
  EXPECT_FALSE(timeline["events"].empty());
}

TEST(ReportPage, OfALargeJobIsSmall) {
  const ScratchFolder folder;
  DemoOptions demo;
  demo.ranks = 8;
  ASSERT_TRUE(WriteDemo(folder.path(), demo).has_value());
  const auto page = ReportPage({.paths = {folder.path()}});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  EXPECT_LT(page->size(), 5'000'000u);
  const Json data = DataOf(*page);
  EXPECT_EQ(data["timelines"].size(), 1u);
  // Of each level that is there, all tiles: those of the finest cover the run.
  const Json& timeline = data["timelines"].begin().value();
  const int64_t end = timeline["info"]["end"];
  for (const Json& track : timeline["info"]["tracks"]) {
    const int level = track["finest"];
    for (int64_t index = 0; index <= end / (int64_t{512} << level); ++index) {
      const std::string key = fmt::format("{}.{}.{}", track["id"].get<int>(), level, index);
      ASSERT_TRUE(timeline["tiles"].contains(key)) << key;
    }
  }
}

TEST(ReportPage, NamesOfATraceStayText) {
  const ScratchFolder folder;
  folder.Write("t.json", Document({Kernel("</script><script>alert(1)</script><!--\\u2028", 0, 5)}));
  const auto page = ReportPage({.paths = {folder.path()}});
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->find("<script>alert"), page->npos);
  EXPECT_NE(DataOf(*page).dump().find("</script><script>alert(1)</script><!--"), std::string::npos);
}

TEST(ReportPage, SaysWhatItCannotShow) {
  EXPECT_FALSE(ReportPage({.paths = {}}).has_value());
  EXPECT_FALSE(ReportPage({.paths = {"/no/such"}}).has_value());
  const ScratchFolder folder;
  EXPECT_FALSE(ReportPage({.paths = {folder.path()}}).has_value());
  EXPECT_FALSE(ReportPage({.paths = {folder.Write("t.json", "no trace")}}).has_value());
}

}  // namespace
}  // namespace stepscope::testing
