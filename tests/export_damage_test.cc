// Tests that what is exported of damaged traces parses, and that an export says what it left out.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "ingest/trace_reader.h"
#include "stepscope/export.h"
#include "tests/front_door.h"
#include "tests/paths.h"
#include "tests/perfetto_trace.h"

namespace stepscope::testing::export_damage_test {
namespace {

namespace fs = std::filesystem;

// A trace with one of each kind of thing that is copied: members before and behind, arguments,
// escapes, a character beyond ASCII, nested values.
std::string Small() {
  return Document({Operator("a\\u00e9\\n\\\\", 2, 30), Operator("é", 3, 3),
                   R"({"ph":"M","name":"process_name","pid":9,"args":{"name":"py","x":[{},[]]}})",
                   Kernel("gemm", 40, 5), Kernel("nccl", 50, -5)},
                  R"("schemaVersion":1,"distributedInfo":{"rank":0},)");
}

std::string Inflated(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) throw std::runtime_error(source.error().what);
  std::string text(size_t{16} << 20, '\0');
  text.resize(source->Read(text));
  return text;
}

// Everything that an observer is told parses.
void ExpectJson(std::string_view bytes, const std::string& of) {
  RawEventObserver observer;
  observer.member = [&](const ObservedMember& member) {
    EXPECT_TRUE(nlohmann::json::accept(member.key)) << of << ": " << member.key;
    EXPECT_TRUE(nlohmann::json::accept(member.value)) << of << ": " << member.value;
  };
  observer.event = [&](const ObservedEvent& event) {
    EXPECT_TRUE(nlohmann::json::accept(event.text)) << of << ": " << event.text;
  };
  std::ignore = ReadTrace(ByteSource::FromMemory(bytes), {.keep = {}, .observer = &observer});
}

TEST(ExportDamage, OfATraceCutAnywhereWhatIsCopiedParses) {
  const std::string whole = Small();
  for (size_t cut = 0; cut < whole.size(); ++cut)
    ExpectJson(whole.substr(0, cut), fmt::format("cut at {}", cut));
}

TEST(ExportDamage, OfATraceWithAnyFlippedBitWhatIsCopiedParses) {
  const std::string whole = Small();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      ExpectJson(bytes, fmt::format("bit {} of byte {}", bit, at));
    }
  }
}

TEST(ExportDamage, OfATraceWithAnyByteLostOrDoubledWhatIsCopiedParses) {
  const std::string whole = Small();
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    ExpectJson(bytes.erase(at, 1), fmt::format("without byte {}", at));
    bytes = whole;
    ExpectJson(bytes.insert(at, 1, bytes[at]), fmt::format("byte {} twice", at));
  }
}

// Exports each text as a trace of its own, in all forms; what is written must parse.
class Exports {
 public:
  void Add(const std::string& name, std::string_view bytes) { in_.Write(name, bytes); }

  // Returns how many files were written as JSON.
  size_t ExpectAllParse() const {
    size_t files = 0;
    for (const bool redact : {false, true}) {
      ExportOptions options{.counters = true, .critical_path = true, .threads = 2};
      options.patterns.operator_name = "a";
      options.patterns.min_length = 1;
      if (redact) options.redact = RedactOptions{};
      const ScratchFolder out;
      options.folder = out.path();
      const auto written = Export(std::vector{in_.path()}, options);
      if (!written) continue;  // nothing of it is a trace
      files = 0;
      for (const auto& entry : fs::directory_iterator(out.path())) {
        EXPECT_TRUE(nlohmann::json::accept(Inflated(entry.path()))) << entry.path();
        ++files;
      }
    }
    ExpectPerfettoParses();
    return files;
  }

 private:
  void ExpectPerfettoParses() const {
    const ScratchFolder out;
    const auto written =
        Export(std::vector{in_.path()},
               {.folder = out.path(), .format = ExportFormat::kPerfetto, .counters = true});
    if (!written) return;
    EXPECT_NO_THROW(PerfettoParser().Parse(Inflated(out.path() + "/run.pftrace.gz")));
  }

  const ScratchFolder in_;
};

TEST(ExportDamage, EveryFileOfTheCorpusOfFuzzingIsExportedSoThatItParses) {
  size_t files = 0;
  for (const char* corpus : {"kineto_fuzz", "xplane_fuzz"}) {
    for (const auto& entry : fs::directory_iterator(SourceDir() + "/tests/fuzz/corpus/" + corpus)) {
      Exports one;
      std::string name = entry.path().filename();
      if (name.ends_with(".pb")) name.replace(name.size() - 3, 3, ".xplane.pb");
      one.Add(name, Content(entry.path()));
      SCOPED_TRACE(name);
      files += one.ExpectAllParse();
    }
  }
  EXPECT_GE(files, 12u);
}

// Every 7th byte, so that it takes a second; what is copied of each is tested above.
TEST(ExportDamage, MutationsOfASmallTraceAreExportedSoThatTheyParse) {
  const std::string whole = Small();
  Exports all;
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << at % 8);
    all.Add(fmt::format("rank_{}.json", 2 * at), bytes);
    all.Add(fmt::format("rank_{}.json", 2 * at + 1), whole.substr(0, at));
  }
  EXPECT_GE(all.ExpectAllParse(), 50u);
}

// One event that is damaged; what the export's notes say of it.
struct Damaged {
  std::string event;
  std::string note;
};

std::string Timed(const std::string& ts, const std::string& dur, const std::string& more = "") {
  return fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":{}{}}})",
                     ts, dur, more);
}

TEST(ExportDamage, TheReportSaysWhatWasLeftOutAndWhatWasMended) {
  for (const auto& [event, note] : std::vector<Damaged>{
           {Timed("110", "0x10"), "damaged"},
           {Timed("110", "007"), "damaged"},
           {Timed("110", "5", R"(,"args":{"a":[1})"), "damaged"},
           {Timed("110", "5", R"(,"args":{"a":"\q"})"), "damaged"},
           {Timed("110", "NaN"), "mended"},
           {Timed("110", "5", R"(,"args":{"a":1e999})"), "mended"},
           {Timed("110", "5", R"(,"args":{"a":"\ud83d"})"), "mended"},
           {Timed("110", "5", ",\"args\":{\"a\":\"\x01\"}"), "invalid_text"},
       }) {
    const ScratchFolder in, out;
    in.Write("rank_0.json", Document({Kernel("gemm", 0, 5), event}));
    const auto written = Export(std::vector{in.path()}, {.folder = out.path()});
    ASSERT_TRUE(written) << event;
    const auto document = nlohmann::json::parse(Inflated(out.path() + "/rank_0.json.gz"));
    EXPECT_EQ(document["traceEvents"].size(), note == "damaged" ? 1u : 2u) << event;
    std::map<std::string, int64_t> notes;
    for (const Note& of : written->reports.at(0).notes) notes[of.name] = of.count;
    notes["invalid_text"] = NoteCount(*written, "invalid_text");
    EXPECT_GE(notes[note], 1) << event;
  }
}

TEST(ExportDamage, MembersAreLeftOutOrMendedToo) {
  const ScratchFolder in, out;
  in.Write("rank_0.json", Document({Kernel("gemm", 0, 5)},
                                   R"("a":NaN,"b":01,"traceEvents":7,"c":[1e999],"d":1,)"));
  const auto written = Export(std::vector{in.path()}, {.folder = out.path()});
  ASSERT_TRUE(written);
  auto document = nlohmann::json::parse(Inflated(out.path() + "/rank_0.json.gz"));
  EXPECT_EQ(document["traceEvents"].size(), 1u);
  document.erase("traceEvents");
  EXPECT_EQ(document, nlohmann::json::parse(R"({"a":null,"c":[null],"d":1,"traceName":"t"})"));
  const auto& notes = written->reports.at(0).notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].count, 2) << "b and the second list of events";
  EXPECT_EQ(notes[1].count, 2) << "a and c";
}

}  // namespace
}  // namespace stepscope::testing::export_damage_test
