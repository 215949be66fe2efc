// Tests what the demo does to a directory, byte for byte, and what it refuses.
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/demo_fixture.h"

namespace stepscope::demo_files_test {
namespace {

namespace fs = std::filesystem;

std::string Inflate(const std::string& gzip) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  std::string in = gzip, out, piece(1 << 16, '\0');
  state.next_in = reinterpret_cast<uint8_t*>(in.data());
  state.avail_in = static_cast<uint32_t>(in.size());
  do {
    state.next_out = reinterpret_cast<uint8_t*>(piece.data());
    state.avail_out = static_cast<uint32_t>(piece.size());
    EXPECT_EQ(isal_inflate(&state), ISAL_DECOMP_OK);
    out.append(piece, 0, piece.size() - state.avail_out);
  } while (state.avail_out == 0);
  EXPECT_EQ(state.block_state, ISAL_BLOCK_FINISH);
  EXPECT_EQ(state.avail_in, 0u);  // one gzip member, nothing behind it
  return out;
}

TEST_F(DemoTest, SameSeedSameBytes) {
  Write(Tiny());
  const std::string first = Read("rank-2.pt.trace.json"), truth = Read("truth.json");
  Write(Tiny());
  EXPECT_EQ(Read("rank-2.pt.trace.json"), first);
  EXPECT_EQ(Read("truth.json"), truth);
  DemoOptions other = Tiny();
  other.seed = 2;
  Write(other);
  EXPECT_NE(Read("rank-2.pt.trace.json"), first);
}

TEST_F(DemoTest, CompressedFilesHoldTheSameText) {
  Write(Tiny());
  const std::string plain = Read("rank-0.pt.trace.json");
  DemoOptions options = Tiny();
  options.compress = true;
  Write(options);
  EXPECT_TRUE(Inflate(Read("rank-0.pt.trace.json.gz")) == plain);
}

TEST_F(DemoTest, ReplacesAnEarlierDemo) {
  Write(Tiny());
  Put("rank-7.pt.trace.json.gz.partial", "cut short");
  DemoOptions options = Tiny();
  options.ranks = 2;
  options.compress = true;
  Write(options);
  EXPECT_EQ(Names(), (std::set<std::string>{"rank-0.pt.trace.json.gz", "rank-1.pt.trace.json.gz",
                                            "truth.json"}));
}

TEST_F(DemoTest, LeavesForeignFilesAlone) {
  const std::vector<std::pair<std::string, std::string>> foreign = {
      {"notes.txt", "mine"},
      {"rank-0.pt.trace.json", "{}"},  // of a real job: no truth.json beside it
      {"truth.json", "{\"mine\": 1}"}};
  for (const auto& [name, text] : foreign) {
    fs::remove_all(folder_);
    Put(name, text);
    const auto result = WriteDemo(folder_, Tiny());
    ASSERT_FALSE(result.has_value()) << name;
    EXPECT_EQ(result.error().where, folder_);
    EXPECT_NE(result.error().what.find(name), std::string::npos);
    EXPECT_EQ(Names(), std::set<std::string>{name});
    EXPECT_EQ(Read(name), text);
  }
}

TEST_F(DemoTest, SaysWhatIsWrongWithTheOptions) {
  const std::vector<std::pair<std::string, std::function<void(DemoOptions&)>>> wrong = {
      {"ranks", [](DemoOptions& o) { o.ranks = 0; }},
      {"devices", [](DemoOptions& o) { o.devices = 17; }},
      {"slow_device", [](DemoOptions& o) { o.slow_device = o.devices; }},
      {"steps", [](DemoOptions& o) { o.steps = 100'001; }},
      {"layers", [](DemoOptions& o) { o.layers = 0; }},
      {"slow_rank", [](DemoOptions& o) { o.slow_rank = 3; }},
      {"slow_factor", [](DemoOptions& o) { o.slow_factor = std::nan(""); }},
      {"exposed_fraction", [](DemoOptions& o) { o.exposed_fraction = 1.1; }},
      {"host_gap_fraction", [](DemoOptions& o) { o.host_gap_fraction = 1; }},
      {"min_raw_bytes", [](DemoOptions& o) { o.min_raw_bytes = -1; }}};
  for (const auto& [option, change] : wrong) {
    DemoOptions options = Tiny();
    change(options);
    const auto result = WriteDemo(folder_, options);
    ASSERT_FALSE(result.has_value()) << option;
    EXPECT_EQ(result.error().where, "`" + option + "`");
    EXPECT_FALSE(result.error().hint.empty());
    EXPECT_FALSE(fs::exists(folder_));
  }
}

TEST_F(DemoTest, SaysWhyItCannotWrite) {
  Put("file", "");
  const auto result = WriteDemo(folder_ / "file" / "demo", Tiny());
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().hint.find("Not a directory"), std::string::npos);
  EXPECT_FALSE(WriteDemo("", Tiny()).has_value());
}

}  // namespace
}  // namespace stepscope::demo_files_test
