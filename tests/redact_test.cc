// Tests that nothing private is left in what is shared, and that numbers and structure are.
#include "stepscope/redact.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/random.h"
#include "stepscope/demo.h"
#include "stepscope/export.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/server.h"
#include "tests/front_door.h"
#include "tests/gzip.h"
#include "tests/shell.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::testing::redact_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// What must not survive, in any case of letters.
constexpr auto kSecrets =
    std::to_array<std::string_view>({"gpu-a17",
                                     "node-b23",
                                     "falcon9",
                                     "acmecluster",
                                     "ip-10-7-0-44",
                                     "login-c01",
                                     "10.77.3.21",
                                     "fd12:3456:789a::17",
                                     "0a:1b:2c:3d:4e:5f",
                                     "alicesmith",
                                     "bob.jones",
                                     "carolk",
                                     "davidw",
                                     "projectzeus",
                                     "secretmodel",
                                     "unreleased",
                                     "acmedata",
                                     "internalbucket",
                                     "teamorion",
                                     "hunter2pass",
                                     "AKIAQ7RT5ZXCVB2N8LKM",
                                     "ghp_q7Rt5ZxCvB2n8LkMw3Ye6Uj1Hg4Fd9Sa0Pq",
                                     "hf_QwErTyUiOpAsDfGhJkLzXcVbNm12",
                                     "sk-q7Rt5ZxCvB2n8LkMw3Ye6Uj1",
                                     "xoxb-7719283746-QwErTyUiOp",
                                     "AIzaSyQ7rT5zXcVb2N8lKmW3yE6uJ1hG4fD9sA0",
                                     "eyJhbGciOiJIUzI1NiJ9.eyJ1IjoiYWxpY2UifQ.q7Rt5Zx",
                                     "a8Fq2Lk0ZxWm93TbVyPd7RcE1uNh5sGoJ4iQwX",
                                     "9c2f7be1d04a83655ef0912b7c3d48aa97b1c6d2",
                                     "wandbkey77",
                                     "tok_q1w2e3",
                                     "bearer-zz91",
                                     "dbpass55",
                                     "apikeyvalue",
                                     "cookievalue1",
                                     "envvalue-one",
                                     "envvalue-two",
                                     "argvalue-one",
                                     "argvalue-two",
                                     "lrvalue-77",
                                     "MIIEvQIBADANBgkq",
                                     "7e57d004-2b97-44e7-8f00-1e2d3c4b5a69",
                                     "slackhook99",
                                     "sastoken88",
                                     "querysecret",
                                     "userinfo1",
                                     "storekey42",
                                     "bootid-5f5f",
                                     "windowsuser",
                                     "sharedhost5"});
static_assert(kSecrets.size() == 50);

// 50 keys of parts between slashes: names and then hexadecimal, base64, or hexadecimal throughout.
std::vector<std::string> KeysWithSlashes() {
  constexpr std::string_view kHex = "0123456789abcdef",
                             kBase64 =
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  Random random(50, 0);
  const auto some = [&](std::string_view letters, int size) {
    std::string text;
    for (int i = 0; i < size; ++i)
      text += letters[static_cast<size_t>(random.Below(std::ssize(letters)))];
    return text;
  };
  std::vector<std::string> keys = {"s3cr3t/key/WITH/slashes/9f8e7d6c5b4a39281706f5e4"};
  while (keys.size() < 48) {
    keys.push_back("vault/Prod/" + some(kHex, 24));
    keys.push_back(some(kBase64, 13) + "/" + some(kBase64, 18) + "/" + some(kBase64, 7));
  }
  while (keys.size() < 50)
    keys.push_back(some(kHex, 8) + "/" + some(kHex, 8) + "/" + some(kHex, 8));
  return keys;
}

std::string Key() { return "0123456789abcdef"; }

// Texts that hold all of them, as people find them in traces.
std::vector<std::string> Texts() {
  std::vector<std::string> texts = {
      "wait for GPU-A17 at 10.77.3.21:29500 and [fd12:3456:789a::17]:29500, 0a:1b:2c:3d:4e:5f",
      "ssh alicesmith@gpu-a17 # falcon9.acmecluster.internal, ip-10-7-0-44, "
      "login-c01.acmecluster.com",
      "bob.jones@acmecluster.com wrote HOSTNAME=node-b23",
      "/home/carolk/projectzeus/train.py(12): forward",
      "src/secretmodel/unreleased/net.py(3): step",
      "/mnt/acmedata/davidw",
      "s3://internalbucket/teamorion/checkpoint.pt",
      "https://userinfo1:storekey42@sharedhost5.acmecluster.com/a?sig=querysecret",
      "C:\\Users\\windowsuser\\x.py",
      "password=hunter2pass AKIAQ7RT5ZXCVB2N8LKM ghp_q7Rt5ZxCvB2n8LkMw3Ye6Uj1Hg4Fd9Sa0Pq",
      "hf_QwErTyUiOpAsDfGhJkLzXcVbNm12 sk-q7Rt5ZxCvB2n8LkMw3Ye6Uj1 xoxb-7719283746-QwErTyUiOp",
      "AIzaSyQ7rT5zXcVb2N8lKmW3yE6uJ1hG4fD9sA0 eyJhbGciOiJIUzI1NiJ9.eyJ1IjoiYWxpY2UifQ.q7Rt5Zx",
      "a8Fq2Lk0ZxWm93TbVyPd7RcE1uNh5sGoJ4iQwX 9c2f7be1d04a83655ef0912b7c3d48aa97b1c6d2",
      "WANDB_API_KEY=wandbkey77 token=tok_q1w2e3 Authorization: Bearer bearer-zz91",
      "db_password: dbpass55 --api-key apikeyvalue cookie=cookievalue1 sas_token=sastoken88",
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----",
      "7e57d004-2b97-44e7-8f00-1e2d3c4b5a69 webhook=slackhook99",
      "falcon9 by carolk on node-b23, login-c01"};
  for (const std::string& key : KeysWithSlashes()) texts.push_back("put " + key + ", done");
  return texts;
}

// What fields of their own tell.
Json Metadata() {
  return {{"hostname", "node-b23"},
          {"host_name", "falcon9.acmecluster.internal"},
          {"user", "davidw"},
          {"env", {{"A", "envvalue-one"}, {"LIST", {"B=envvalue-two"}}}},
          {"argv", {"argvalue-one", "--lr=lrvalue-77"}},
          {"nested", {{"cmdline", "python argvalue-two"}}},
          {"boot_password", "bootid-5f5f"}};
}

// A trace whose operators, arguments, threads and members are full of secrets.
std::string KinetoText() {
  Json events = Json::array();
  double time = 10;
  for (const std::string& text : Texts()) {
    events.push_back({{"ph", "X"},
                      {"cat", "cpu_op"},
                      {"name", text},
                      {"pid", 9},
                      {"tid", 9},
                      {"ts", time},
                      {"dur", 3.5},
                      {"args", {{"note", text}, {text, 1}}}});
    time += 5;
  }
  for (int k = 0; k < 4; ++k) {
    events.push_back({{"ph", "X"},
                      {"cat", "cuda_runtime"},
                      {"name", "cudaLaunchKernel"},
                      {"pid", 9},
                      {"tid", 9},
                      {"ts", 20 + 9 * k},
                      {"dur", 1},
                      {"args", {{"correlation", k}}}});
    events.push_back({{"ph", "X"},
                      {"cat", "kernel"},
                      {"name", k % 2 ? "gemm_kernel" : "relu_kernel"},
                      {"pid", 0},
                      {"tid", 7},
                      {"ts", 25 + 9 * k},
                      {"dur", 6},
                      {"args", {{"device", 0}, {"stream", 7}, {"correlation", k}}}});
  }
  events.push_back({{"ph", "M"},
                    {"name", "thread_name"},
                    {"pid", 9},
                    {"tid", 9},
                    {"args", {{"name", "carolk's thread on gpu-a17"}}}});
  Json document = {{"schemaVersion", 1},
                   {"distributedInfo", {{"rank", 0}, {"world_size", 2}, {"hostname", "gpu-a17"}}},
                   {"traceName", "/home/carolk/projectzeus/trace.json"},
                   {"unknown", Metadata()},
                   {"traceEvents", events}};
  document.update(Metadata());
  return document.dump();
}

std::string XPlaneBytes() {
  SampleXSpace file;
  SampleLine& thread = file.Plane("/host:CPU").Line(7, "carolk's python on gpu-a17");
  int64_t at = 0;
  for (const std::string& text : Texts()) {
    thread.Event(text, at, 900,
                 {{"hostname", "gpu-a17"},
                  {"note", text},
                  {"password", SampleRef{"bootid-5f5f"}},
                  {"long_name", SampleRef{text}},
                  {"user", "davidw"},
                  {"blob", SampleBytes{"\x01\x02\xff" + text + std::string(1, '\0')}}});
    at += 1000;
  }
  thread.Event("x", at, 900,
               {{"argv", "argvalue-one argvalue-two --lr=lrvalue-77"},
                {"environ", "A=envvalue-one"},
                {"env", "B=envvalue-two"},
                {"machine", "node-b23"}});
  return file.Bytes();
}

std::string EventLines() {
  std::string lines;
  int64_t time = 1'780'000'000;
  const auto add = [&](const Json& more) {
    Json event = {{"job_name", "j"},
                  {"time", ++time},
                  {"writer", "gpu-a17/0/bootid-5f5f/77/ab"},
                  {"sequence", time}};
    event.update(more);
    lines += event.dump() + "\n";
  };
  add({{"event", "job_start"}});
  for (int step = 0; step < 9; ++step) add({{"event", "step_start"}, {"step", step}});
  for (const std::string& text : Texts()) {
    add({{"event", "custom_begin"}, {"text", text}});
    add({{"event", "custom_end"}, {"text", text}});
  }
  add({{"event", "label"}, {"text", "user=davidw"}});
  add({{"event", "spare_swap"}, {"text", "node-b23 -> login-c01"}});
  add({{"event", "job_end"}});
  return lines;
}

std::string SlurmTable() {
  return "JobID|JobName|User|NodeList|State|Submit|Start|End|SubmitLine\n"
         "7|j|alicesmith|node-b[23-24]|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:01:00|"
         "2026-01-01T01:00:00|sbatch /home/carolk/projectzeus/run.sh\n";
}

std::string LogText() {
  std::string log;
  for (const std::string& text : Texts()) log += "2026-01-01 INFO " + text + "\n";
  const Json metadata = Metadata();
  for (const auto& [key, value] : metadata.items()) {
    if (value.is_string()) log += key + ": \"" + value.get<std::string>() + "\"\n";
  }
  return log + metadata.dump() + "\n";
}

// All bytes of a file, inflated.
std::string Plain(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) throw std::runtime_error(source.error().what);
  std::string all, piece(1 << 16, '\0');
  for (size_t got = source->Read(piece); got > 0; got = source->Read(piece))
    all.append(piece, 0, got);
  return all;
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> Surviving(const std::string& bytes) {
  std::vector<std::string> left;
  const std::string lower = LowerCase(bytes);
  for (const std::string_view secret : kSecrets) {
    if (lower.contains(LowerCase(std::string(secret)))) left.emplace_back(secret);
  }
  for (const std::string& key : KeysWithSlashes()) {
    if (bytes.contains(key.substr(key.size() - 18)) || bytes.contains(key.substr(0, 18)))
      left.push_back(key);
  }
  return left;
}

std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

class RedactTest : public ::testing::Test {
 protected:
  std::string Out() const { return out_.path() + "/out"; }
  RedactFilesOptions Options() const {
    return {.folder = Out(), .redact = {.keep = {}, .key = Key()}};
  }

  // In six formats and more.
  void WriteAll() {
    in_.Write("traces/gpu-a17_4321.1700000000.pt.trace.json", KinetoText());
    in_.Write("traces/node-b23_77.1700000000.pt.trace.json.gz", Gzip(KinetoText()));
    in_.Write("profile/falcon9.xplane.pb", XPlaneBytes());
    in_.Write("events/job.jsonl", EventLines());
    in_.Write("slurm.txt", SlurmTable());
    in_.Write("carolk.log", LogText());
    const auto imported = GoodputImport(in_.path() + "/ledger", {in_.path() + "/events/job.jsonl"});
    ASSERT_TRUE(imported) << imported.error().what;
  }

  const ScratchFolder in_, out_;
};

TEST_F(RedactTest, LeavesNoneOfFiftySecrets) {
  WriteAll();
  for (const std::string_view secret : kSecrets) {  // the test holds what it looks for
    bool planted = false;
    for (const std::string& file : FilesBelow(in_.path()))
      planted = planted || LowerCase(Plain(file)).contains(LowerCase(std::string(secret)));
    EXPECT_TRUE(planted) << secret;
  }
  const auto written = Redact(std::vector{in_.path()}, Options());
  ASSERT_TRUE(written) << written.error().what;
  const std::vector<std::string> files = FilesBelow(Out());
  EXPECT_EQ(files.size(), 8u);  // a segment, and the list
  for (const std::string& file : files) {
    EXPECT_EQ(Surviving(Plain(file)), std::vector<std::string>()) << file;
    EXPECT_EQ(Surviving(fs::path(file).lexically_relative(Out())), std::vector<std::string>());
  }
}

// All numbers, and all texts that are not names.
std::string Numbers(ReportSet answer) {
  answer.run.name.clear();
  for (InputFile& file : answer.run.files) {
    file.path.clear();
    file.bytes = 0;
  }
  for (Note& note : answer.run.notes) note.where.clear();
  return ToJson(answer);
}

TEST_F(RedactTest, ChangesNothingOfADemo) {
  ASSERT_TRUE(WriteDemo(in_.path() + "/job", {.ranks = 3, .steps = 4, .slow_rank = 1}));
  ASSERT_TRUE(Redact(std::vector{in_.path() + "/job"}, Options()));
  EXPECT_EQ(Numbers(*Ask({in_.path() + "/job"})), Numbers(*Ask({Out()})));
}

// Pseudonyms in the answer about redacted traces are those of the redacted answer.
TEST_F(RedactTest, ChangesOnlyNames) {
  in_.Write("t/gpu-a17_4321.1700000000.pt.trace.json", KinetoText());
  ASSERT_TRUE(Redact(std::vector{in_.path() + "/t"}, Options()));
  const auto before = Ask({in_.path() + "/t"}), after = Ask({Out()});
  ASSERT_TRUE(before && after);
  ASSERT_EQ(before->reports.size(), after->reports.size());
  for (size_t r = 0; r < before->reports.size(); ++r) {
    const Report &a = before->reports[r], &b = after->reports[r];
    EXPECT_EQ(a.status, b.status) << a.analysis;
    ASSERT_EQ(a.tables.size(), b.tables.size()) << a.analysis;
    for (size_t m = 0; m < a.metrics.size(); ++m) {
      if (std::holds_alternative<std::string>(a.metrics[m].value)) continue;
      EXPECT_EQ(a.metrics[m].value, b.metrics[m].value) << a.metrics[m].key;
    }
    for (size_t t = 0; t < a.tables.size(); ++t)
      EXPECT_EQ(a.tables[t].rows.size(), b.tables[t].rows.size()) << a.analysis;
  }
}

TEST_F(RedactTest, AnswersAboutJobsAsBefore) {
  in_.Write("job.jsonl", EventLines());
  ASSERT_TRUE(GoodputImport(in_.path() + "/ledger", {in_.path() + "/job.jsonl"}));
  ASSERT_TRUE(Redact(std::vector{in_.path() + "/ledger"}, Options()));
  const auto before = GoodputJobs(in_.path() + "/ledger"), after = GoodputJobs(Out());
  ASSERT_TRUE(before && after) << after.error().what;
  EXPECT_EQ(Numbers(*before), Numbers(*after));
}

TEST_F(RedactTest, FindsRanksInNewNames) {
  in_.Write("worker12_4321.pt.trace.json.gz", Gzip(DocumentOfRank(12, Kernels(3))));
  in_.Write("x_worker3_1.pt.trace.json", DocumentOfRank(3, Kernels(3)));
  ASSERT_TRUE(Redact(std::vector{in_.path()}, Options()));
  const auto answer = Ask({Out()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.files.at(0).rank, 3);
  EXPECT_EQ(answer->run.files.at(1).rank, 12);
  EXPECT_TRUE(answer->run.files.at(1).path.ends_with(".pt.trace.json.gz"));
  EXPECT_FALSE(answer->run.files.at(1).path.contains("worker12"));
}

TEST_F(RedactTest, KeepsWhatIsAskedFor) {
  in_.Write("a.json", R"({"hostname":"gpu-a17","user":"davidw","traceEvents":[]})");
  RedactFilesOptions options = Options();
  options.redact.keep = {"hosts"};
  ASSERT_TRUE(Redact(std::vector{in_.path()}, options));
  const std::string text = Plain(Out() + "/a.json");
  EXPECT_TRUE(text.contains("\"gpu-a17\"")) << text;
  EXPECT_FALSE(text.contains("davidw")) << text;
  options.redact.keep = {"secrets"};
  EXPECT_FALSE(Redact(std::vector{in_.path()}, options));
}

TEST_F(RedactTest, OverwritesNothing) {
  in_.Write("a.json", "[]");
  out_.Write("out/other.txt", "mine");
  EXPECT_FALSE(Redact(std::vector{in_.path()}, Options()));
  RedactFilesOptions into_itself = Options();
  into_itself.folder = in_.path();
  EXPECT_FALSE(Redact(std::vector{in_.path()}, into_itself));
  EXPECT_EQ(Content(in_.path() + "/a.json"), "[]");
  fs::remove(Out() + "/other.txt");
  ASSERT_TRUE(Redact(std::vector{in_.path()}, Options()));
  ASSERT_TRUE(Redact(std::vector{in_.path()}, Options()));  // its own files are replaced
  in_.Write("b.bin", std::string("\0\1\2", 3));
  const auto written = Redact(std::vector{in_.path()}, Options());
  ASSERT_TRUE(written);
  EXPECT_FALSE(fs::exists(Out() + "/b.bin"));  // left out, and said so
  EXPECT_EQ(written->reports[0].notes.size(), 1u);
}

// They begin like a profile.
TEST_F(RedactTest, LeavesOutTracesOfPerfetto) {
  in_.Write("a.json", "[]");
  in_.Write("b.pftrace", "\x0a\x04\x40\x05\x50\x01");
  const auto written = Redact(std::vector{in_.path()}, Options());
  ASSERT_TRUE(written);
  EXPECT_FALSE(fs::exists(Out() + "/b.pftrace"));
  EXPECT_EQ(written->reports[0].notes.size(), 1u);
}

// The data blocks of a report are compressed: the strings of answers and timelines are looked at
// through the session.
TEST_F(RedactTest, SessionsAndExportsLeaveNone) {
  WriteAll();
  for (const char* folder : {"/traces", "/profile"}) {
    const std::vector<std::string> paths = {in_.path() + folder};
    auto session = Session::Open(paths, {.keep_events = true, .redact = RedactOptions{}});
    ASSERT_TRUE(session) << session.error().what;
    EXPECT_EQ(Surviving(ToJson(*session->Analyze())), std::vector<std::string>());
    for (const ExportFormat format : {ExportFormat::kChrome, ExportFormat::kPerfetto}) {
      const ScratchFolder exported;
      const auto written = Export(paths, {.folder = exported.path(),
                                          .format = format,
                                          .counters = true,
                                          .critical_path = true,
                                          .redact = RedactOptions{}});
      ASSERT_TRUE(written) << written.error().what;
      for (const std::string& file : FilesBelow(exported.path()))
        EXPECT_EQ(Surviving(Plain(file)), std::vector<std::string>()) << file;
    }
  }
}

TEST_F(RedactTest, HasACommand) {
  in_.Write("t/a.json", R"({"hostname":"gpu-a17","traceEvents":[]})");
  const Outcome done = Stepscope("redact " + in_.path() + "/t -o " + Out());
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.out.contains("Wrote 1 of 1 files")) << done.out;
  ExpectError(Stepscope("redact " + in_.path() + "/t -o " + Out() + " --keep everything"),
              "cannot keep 'everything'", "give hosts, users, paths, addresses or values");
}

}  // namespace
}  // namespace stepscope::testing::redact_test
