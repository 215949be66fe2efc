// Tests that report.html is one file, complete, small and harmless.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "stepscope/compare.h"
#include "stepscope/demo.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/server.h"
#include "tests/front_door.h"
#include "tests/gzip.h"

namespace stepscope::testing::report_page_test {
namespace {

using Json = nlohmann::json;

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
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

// The blocks of data, as the page reads them, by what follows "stepscope-" in their names.
std::map<std::string, std::string> BlocksOf(const std::string& page) {
  constexpr std::string_view kBegins = "<script type=\"text/plain\" id=\"stepscope-";
  std::map<std::string, std::string> blocks;
  for (size_t at = 0; (at = page.find(kBegins, at)) != page.npos;) {
    at += kBegins.size();
    const size_t quote = page.find('"', at), end = page.find("</script>", at);
    blocks[page.substr(at, quote - at)] =
        testing::InflateRaw(FromBase64(page.substr(quote + 2, end - quote - 2)));
  }
  return blocks;
}

Json DataOf(const std::string& page) { return Json::parse(BlocksOf(page).at("data")); }

// "track.level.index" of all tiles of a report with one run.
std::set<std::string> TilesOf(const std::string& page) {
  std::set<std::string> names;
  for (const auto& [name, bytes] : BlocksOf(page)) {
    if (!name.starts_with("tiles-")) continue;
    for (size_t at = 0; at < bytes.size();) {
      std::array<uint32_t, 5> head;
      std::memcpy(head.data(), bytes.data() + at, sizeof head);
      EXPECT_EQ(bytes.substr(at, 4), "SLT1");
      EXPECT_TRUE(name.ends_with(fmt::format(".{}", head[3]))) << name;
      names.insert(fmt::format("{}.{}.{}", head[2], head[3], head[4]));
      at += head[1];
    }
  }
  return names;
}

TEST(ReportPage, HoldsTheReportsAndTheTimeline) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", DocumentOfRank(0, Kernels(20)));
  const auto page = ReportPage({.paths = {folder.path()}});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  EXPECT_NE(page->html.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(page->html.find("src=\""), std::string::npos);  // nothing is loaded
  const Json data = DataOf(page->html);
  const std::string id = data["state"]["runs"][0]["id"];
  EXPECT_EQ(data["answers"][id], Json::parse(ToJson(*Ask({folder.path()}), kOtherLanguages)));
  EXPECT_EQ(data["analyses"].size(), Session::List().size());
  const Json& timeline = data["timelines"][id];
  EXPECT_EQ(timeline["finest"].size(), timeline["info"]["tracks"].size());
  EXPECT_TRUE(
      TilesOf(page->html).contains(fmt::format("0.{}.0", timeline["finest"][0].get<int>())));
  EXPECT_EQ(timeline["least"]["device"], 0) << "every event of devices";
  EXPECT_FALSE(timeline["events"].empty());
}

// Wherever they stand in the file, compressed or not.
TEST(ReportPage, HoldsNoPrivateNames) {
  const ScratchFolder folder;
  std::vector<std::string> events = Kernels(20);
  events.push_back(
      R"({"ph":"X","cat":"cpu_op","name":"/home/carolk/zeus/a.py(1): f on gpu-a17","pid":9,"tid":9,)"
      R"("ts":1,"dur":3,"args":{"hostname":"gpu-a17"}})");
  folder.Write("carolk/gpu-a17_1.170.pt.trace.json", DocumentOfRank(0, events));
  const std::string run = folder.path() + "/carolk";
  const auto names = [&](std::optional<RedactOptions> redact) {
    const auto page = ReportPage({.paths = {run}, .redact = std::move(redact)});
    EXPECT_TRUE(page.has_value());
    std::string all = page->html;
    for (const auto& [name, bytes] : BlocksOf(page->html)) all += name + bytes;
    std::set<std::string> found;
    for (const std::string name : {"carolk", "zeus", "gpu-a17", "a.py(1): f"}) {
      if (all.contains(name)) found.insert(name);
    }
    return found;
  };
  EXPECT_EQ(names(std::nullopt).size(), 4u);
  EXPECT_EQ(names(RedactOptions{}), std::set<std::string>{"a.py(1): f"});
  EXPECT_EQ(names(RedactOptions{.keep = {"hosts"}, .key = ""}),
            (std::set<std::string>{"a.py(1): f", "gpu-a17"}));
}

// As the page tells its reader.
TEST(ReportPage, SaysWhichNamesArePseudonyms) {
  const ScratchFolder folder;
  std::vector<std::string> events = Kernels(20);
  events.push_back(R"({"ph":"X","cat":"cpu_op","name":"f on gpu-a17","pid":9,"tid":9,)"
                   R"("ts":1,"dur":3,"args":{"hostname":"gpu-a17"}})");
  folder.Write("run/gpu-a17_1.170.pt.trace.json", DocumentOfRank(0, events));
  const auto said = [&](std::optional<RedactOptions> redact) {
    const auto page = ReportPage({.paths = {folder.path() + "/run"}, .redact = std::move(redact)});
    EXPECT_TRUE(page.has_value());
    const std::string data = BlocksOf(page->html).at("data");
    return data.substr(data.rfind(R"("pseudonyms":)"));
  };
  EXPECT_EQ(said(RedactOptions{}), R"("pseudonyms":["host","path"]})");
  EXPECT_EQ(said(RedactOptions{.keep = {"hosts"}, .key = ""}), R"("pseudonyms":["path"]})");
  EXPECT_EQ(said(RedactOptions{.keep = {"hosts", "paths"}, .key = ""}), R"("pseudonyms":[]})");
  EXPECT_EQ(said(std::nullopt), R"("pseudonyms":[]})");
}

// Two jobs at the time of the run, told apart by its host.
class GoodputOfAReport : public ::testing::Test {
 protected:
  GoodputOfAReport() {
    std::string lines;
    for (const char* host : {"gpu-a17", "gpu-b18"}) {
      int sequence = 0;
      const auto say = [&](const char* event, int at, const std::string& more = "") {
        lines += fmt::format(R"({{"job_name":"job-{0}","event":"{1}","time":{2},"attempt":"a",)"
                             R"("writer":"{3}/0/boot/1/r","sequence":{4}{5}}})",
                             host + 4, event, 1'780'000'000 + at, host, ++sequence, more);
        lines += "\n";
      };
      say("job_start", 0);
      for (int at = 0; at < 100; ++at) say("step_start", at, fmt::format(R"(,"step":{})", at));
      say("job_end", 100);
    }
    const auto imported =
        GoodputImport(folder_.path() + "/ledger", {folder_.Write("events.jsonl", lines)});
    EXPECT_TRUE(imported) << imported.error().what;
    std::vector<std::string> events;
    for (int step = 0; step < 2; ++step) {
      events.push_back(fmt::format(
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,)"
          R"("ts":{},"dur":1000000}})",
          step, step * 1'000'000));
      events.push_back(Kernel("gemm", step * 1'000'000 + 10, 500'000));
    }
    folder_.Write("run/gpu-b18_1.170.pt.trace.json",
                  Document(events, R"("baseTimeNanoseconds":1780000050000000000,)"));
  }
  Result<PageFile> Page(std::optional<RedactOptions> redact) const {
    return ReportPage({.paths = {folder_.path() + "/run", folder_.path() + "/ledger"},
                       .goodput = {.chips = 8, .price_per_chip_hour = 2},
                       .redact = std::move(redact)});
  }
  const ScratchFolder folder_;
};

TEST_F(GoodputOfAReport, IsOfItsOwnJob) {
  const auto page = Page(std::nullopt);
  ASSERT_TRUE(page.has_value()) << page.error().what;
  const Json data = DataOf(page->html);
  const std::string run = data["state"]["runs"][0]["id"],
                    ledger = data["state"]["ledgers"][0]["id"];
  const Json match = data["goodput"][run]["reports"][0];
  EXPECT_EQ(match["headline"], "Same time and host: attempt 1 of job job-b18 ran on gpu-b18 then.");
  EXPECT_EQ(match["metrics"][0]["value"], "job-b18");
  EXPECT_EQ(match["metrics"][3]["value"], ledger);
  EXPECT_EQ(data["goodput"][run]["reports"][1]["analysis"], "goodput");
  // The first job is in the answer about the ledger, the other one for itself.
  EXPECT_EQ(data["ledgers"][ledger]["reports"][0]["tables"][0]["rows"].size(), 2u);
  EXPECT_EQ(data["jobs"].size(), 1u);
  EXPECT_EQ(data["jobs"][ledger + " 1"]["reports"][1]["analysis"], "chip_hours");
  EXPECT_EQ(data["jobs"][ledger + " 1"]["reports"][1]["metrics"][0]["value"], 8);
}

TEST_F(GoodputOfAReport, HoldsNoPrivateNames) {
  const auto page = Page(RedactOptions{});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  const Json data = DataOf(page->html);
  const std::string run = data["state"]["runs"][0]["id"];
  const std::string why = data["goodput"][run]["reports"][0]["headline"];
  EXPECT_TRUE(why.starts_with("Same time and host: attempt 1 of job job-b18 ran on ")) << why;
  EXPECT_FALSE(data.dump().contains("gpu-b18")) << why;
}

// Levels that would only say the same again are left out: what is in it is little more than the
// page.
TEST(ReportPage, OfASmallRunIsSmallerStill) {
  const ScratchFolder folder;
  folder.Write("rank_0.json", DocumentOfRank(0, Kernels(20)));
  const auto page = ReportPage({.paths = {folder.path()}});
  ASSERT_TRUE(page.has_value());
  EXPECT_LT(page->html.size(), 530'000u);
  EXPECT_LT(TilesOf(page->html).size(), 50u);
}

TEST(ReportPage, OfALargeJobIsSmall) {
  const ScratchFolder folder;
  DemoOptions demo;
  demo.ranks = 8;
  ASSERT_TRUE(WriteDemo(folder.path(), demo).has_value());
  const auto page = ReportPage({.paths = {folder.path()}});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  EXPECT_LT(page->html.size(), 5'000'000u);
  const Json data = DataOf(page->html);
  EXPECT_EQ(data["timelines"].size(), 1u);
  // Of each level that is there, all tiles with something in them: those of the finest cover the
  // run.
  const auto whole =
      Session::Open(std::vector{folder.path()}, {.keep_events = true})->TakeTimeline();
  const std::set<std::string> tiles = TilesOf(page->html);
  const Json& timeline = data["timelines"].begin().value();
  const uint64_t end = timeline["info"]["end"];
  for (const Json& track : timeline["info"]["tracks"]) {
    const int level = timeline["finest"][track["id"].get<size_t>()];
    for (uint64_t index = 0; index <= end / (uint64_t{512} << level); ++index) {
      const std::string key = fmt::format("{}.{}.{}", track["id"].get<int>(), level, index);
      const auto tile = whole->Tile(track["id"], static_cast<uint32_t>(level), index);
      ASSERT_EQ(tiles.contains(key), tile->size() > 40) << key;  // 40: a head alone
    }
  }
}

// Each run with the first, as `compare` of these two; the first with none.
TEST(ReportPage, ComparesItsRuns) {
  const ScratchFolder folder;
  for (const std::string name : {"a", "b", "c"}) {
    folder.Write(name + "/rank_0.json", DocumentOfRank(0, Kernels(name == "b" ? 30 : 20)));
    if (name == "b") folder.Write("b/rank_1.json", DocumentOfRank(1, Kernels(20)));
  }
  std::vector<std::string> paths;
  for (const char* name : {"/a", "/b", "/c"}) paths.push_back(folder.path() + name);
  const auto page = ReportPage({.paths = paths});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  const Json data = DataOf(page->html);
  const auto id = [&](size_t run) { return data["state"]["runs"][run]["id"].get<std::string>(); };
  std::set<std::string> keys;
  for (const auto& [key, answer] : data["comparisons"].items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set{id(0) + " " + id(1), id(0) + " " + id(2)}));
  AnalyzeOptions question;
  question.only = {kComparedAnalyses.begin(), kComparedAnalyses.end()};
  const auto before = Session::Open(std::vector{paths[0]})->Analyze(question);
  const auto after = Session::Open(std::vector{paths[2]})->Analyze(question);
  EXPECT_EQ(data["comparisons"][id(0) + " " + id(2)],
            Json::parse(ToJson(Compare(*before, *after), kOtherLanguages)));
}

TEST(ReportPage, NamesOfATraceStayText) {
  const ScratchFolder folder;
  folder.Write("t.json", Document({Kernel("</script><script>alert(1)</script><!--\\u2028", 0, 5)}));
  const auto page = ReportPage({.paths = {folder.path()}});
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->html.find("<script>alert"), std::string::npos);
  EXPECT_NE(DataOf(page->html).dump().find("</script><script>alert(1)</script><!--"),
            std::string::npos);
}

// What can be read is shown, and what cannot is named, on the page too.
TEST(ReportPage, OneBadRunAmongOthers) {
  const ScratchFolder folder;
  folder.Write("good/rank_0.json", DocumentOfRank(0, Kernels(20)));
  folder.Write("bad/rank_0.json", "no trace");
  const auto page = ReportPage({.paths = {folder.path() + "/good", folder.path() + "/bad"}});
  ASSERT_TRUE(page.has_value()) << page.error().what;
  ASSERT_EQ(page->failed.size(), 1u);
  EXPECT_TRUE(page->failed[0].where.contains("/bad")) << page->failed[0].where;
  ASSERT_EQ(page->inputs.size(), 1u);
  const Json data = DataOf(page->html);
  EXPECT_EQ(data["state"]["runs"][0]["state"], "ready");
  EXPECT_EQ(data["state"]["runs"][1]["state"], "failed");
  EXPECT_EQ(data["state"]["runs"][1]["error"]["what"], page->failed[0].what);
  EXPECT_EQ(data["answers"].size(), 1u);
}

TEST(ReportPage, SaysWhatItCannotShow) {
  EXPECT_FALSE(ReportPage({.paths = {}}).has_value());
  EXPECT_FALSE(ReportPage({.paths = {"/no/such"}}).has_value());
  const ScratchFolder folder;
  EXPECT_FALSE(ReportPage({.paths = {folder.path()}}).has_value());
  EXPECT_FALSE(ReportPage({.paths = {folder.Write("t.json", "no trace")}}).has_value());
}

}  // namespace
}  // namespace stepscope::testing::report_page_test
