// Tests what is replaced in a text, and what stays.
#include "redact/redactor.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "base/random.h"
#include "redact/profile.h"
#include "redact/text_stream.h"

namespace stepscope::redact::redactor_test {
namespace {

bool IsTorch(std::string_view file) { return file.starts_with("torch/"); }

Redactor Make(Kept kept = {}) {
  return Redactor({.key = "0123456789abcdef", .kept = kept, .is_library = &IsTorch});
}

std::string Text(std::string_view text, Hint hint = Hint::kNone) { return Make().Text(text, hint); }

// With every pseudonym as "<kind>".
std::string Shape(std::string text) {
  for (const char* kind : {"host", "user", "path", "address", "value", "secret"}) {
    const std::string begin = std::string(kind) + "-";
    for (size_t at = 0; (at = text.find(begin, at)) != text.npos; ++at) {
      const std::string digits = text.substr(at + begin.size(), 10);
      if (digits.size() == 10 && digits.find_first_not_of("0123456789abcdef") == digits.npos)
        text.replace(at, begin.size() + 10, std::string("<") + kind + ">");
    }
  }
  return text;
}

TEST(Redactor, ReplacesWhatIsPrivate) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/home/alice/net.py(12): forward", "/<path>/net.py(12): forward"},
      {"/home/alice", "/<path>"},
      {"jit_step_for_/home/alice/x", "jit_step_for_/<path>"},
      {"jit(f)/Users/alice/scope", "jit(f)/<path>"},
      {"~/runs/a.json", "<path>/a.json"},
      {R"(process \/home\/alice\/projects\/secret_llm\/net.py)", "process /<path>/net.py"},
      {R"({\"dir\":\"\\\/home\\\/alice\\\/projects\"})", R"({\"dir\":\"/<path>\"})"},
      {"C:\\Users\\alice\\net.py", "<path>\\net.py"},
      {"acme/models/net.py(3): f", "<path>/net.py(3): f"},
      {"/opt/x/lib/python3.10/site-packages/torch/nn/modules/module.py(9): _call",
       "/<path>/site-packages/torch/nn/modules/module.py(9): _call"},
      {"/tmp/torchinductor_alice/ab/k.py", "/<path>/torchinductor_<user>/ab/k.py"},
      {"PATH=/home/a/bin:/data/acme/bin", "PATH=/<path>:/<path>"},
      {"mail bob@acme.com now", "mail <user>@<host>.<host> now"},
      {"from alice@node17:", "from <user>@<host>:"},
      {"10.12.0.7:29500", "<address>:29500"},
      {"fe80::1ff:fe23:4567:890a", "<address>"},
      {"2001:db8:0:1:1:1:1:1", "<address>"},
      {"at 00:1a:2b:3c:4d:5e", "at <address>"},
      {"wait for node17.cluster.acme.com", "wait for <host>.<host>"},
      {"ip-10-0-12-34", "<host>"},
      {"s3://acme-data/team/x.pt", "s3://<path>/<path>/x.pt"},
      {"https://bob:pw@git.acme.com:8443/a/b.git?token=q",
       "https://<user>:<secret>@<host>.<host>:8443/<path>/b.git?token=<value>"},
      {"AKIAIOSFODNN7EXAMPLE", "<secret>"},
      {"x ghp_abcdefghijklmnopqrstuvwxyz0123456789 y", "x <secret> y"},
      {"hf_AbCdEfGhIjKlMnOpQrStUvWxYz0123", "<secret>"},
      {"sk-proj-AbCdEf1234567890AbCdEf12", "<secret>"},
      {"xoxb-123456789012-abcdefABCDEF", "<secret>"},
      {"SK0123456789abcdef0123456789abcdef", "<secret>"},
      {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123_-x", "<secret>"},
      {"k3=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "k3=<secret>"},
      {"abcd/EFGH1234+ijklMNOP5678qrstUVWX90yzABCD", "<secret>"},
      {"wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYab", "<secret>"},
      {"a8Fq2/Lk0ZxWm93+TbVyPd7RcE1uNh5sGoJ4iQwX", "<secret>"},
      {"s3cr3t/key/WITH/slashes/9f8e7d6c5b4a39281706f5e4", "<secret>"},
      {"put b0e7153b/f7c3706d/85c524e4, done", "put <secret>, done"},
      {"k=team/prod/ZxmCu1VShIqmArIntn9oX98W", "k=<secret>"},
      {"0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c", "<secret>"},
      {"7e2af09c61b84d53", "<secret>"},
      {"seed 7e2af09c61b84d53, done", "seed <secret>, done"},
      {"123e4567-e89b-12d3-a456-426614174000", "<secret>"},
      {"password=hunter2", "password=<secret>"},
      {"-"
       "-token abc123 -"
       "-lr 1",
       "-"
       "-token <secret> -"
       "-lr 1"},
      {"{\"api_key\": \"abc\"}", "{\"api_key\": \"<secret>\"}"},
      {"Authorization: Bearer abc.def", "Authorization: <secret>"},
      {"WANDB_API_KEY=abc HOSTNAME=node17 USER=alice",
       "WANDB_API_KEY=<secret> HOSTNAME=<host> USER=<user>"},
      {"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- x", "<secret> x"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(Shape(Text(text)), expected) << text;
}

TEST(Redactor, PseudonymsAreFoundByTheirKind) {
  const auto found = [](std::string_view text) {
    Kept kinds = {};
    FindPseudonyms(text, kinds);
    return kinds;
  };
  EXPECT_EQ(found(Text("at /home/alice/net.py(12)")), (Kept{false, false, true}));
  EXPECT_EQ(found(Text("node17", Hint::kHost)), (Kept{true}));
  EXPECT_EQ(found("host-0700, host-3fa29c01b, path-3fa29c01bz, a host-"), Kept{});
  EXPECT_EQ(found("host-0700 host-3fa29c01bd"), (Kept{true}));
}

TEST(Redactor, LeavesWhatAnalysesKnowBy) {
  for (const std::string text :
       {"aten::add",
        "ampere_sgemm_128x64_tn",
        "ProfilerStep#12",
        "torch/nn/modules/module.py(1): f",
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
        "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>)",
        "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
        "addIfEESt5arrayIPcLm3EE",
        "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_cublas",
        "triton_red_fused__to_copy_add_mean_0d1d2d3d4d5de6de",
        "nccl:all_reduce",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "MultiHeadAttentionBackward0",
        "jit(train_step)/jit(main)/transpose(jvp(dense))/dot_general",
        "Model/EncoderLayer1/SelfAttention2/MatMu",
        "pjrt-tpu-tasks/3117383",
        "cifar10/ResNet50V2/20260101T120000",
        "runs/20260101/a1b2c3d4",
        "/device:GPU:0",
        R"(\/device:GPU:0)",
        "/host:CPU",
        "$threading.py:323 wait",
        "<built-in method acquire of x>",
        "libcudart.so.12.1.105",
        "torch 2.1.0+cu121",
        "a1b2c3d4",
        "0x7f12345678ab",
        "0x7f12345678abcdef",
        "00007f12345678ab",
        "kernel_7e2af09c61b84d53",
        "1234567890123456",
        "12.4.5.8.9",
        "aten/src/ATen/native/cuda/Loops.cuh",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "%fusion.3 = f32[8,128]{1,0} fusion(f32[] %p0), kind=kLoop",
        "Memcpy HtoD (Pinned -> Device)",
        "num_tokens=4096",
        "[[8, 128], [128, 64]]",
        "Dequeue@aclnnInplaceCopy",
        "igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x128x32_wt32x32x8_ws1x1_wr2x1_ta1x8x1x1_1x4x1x64_mh_"
        "gkgs",
        "numpy==1.26.4.1",
        "Cijk_SB_GG_DBiasS_BiasSrcB_ScaleAlphaVec_PostGSU4_VW1.kd",
        "libnccl=12.8.4.1-1",
        "torch.nn.functional.conv2d",
        "nn.Module: Net_0",
        "http://localhost:6006",
        "127.0.0.1",
        "cudaLaunchKernel",
        "thread 123 (python)"})
    EXPECT_EQ(Text(text), text);
}

TEST(Redactor, UsesTheFieldsName) {
  EXPECT_EQ(Shape(Text("node17", Hint::kHost)), "<host>");
  EXPECT_EQ(Text("node17", Hint::kHost), Text("NODE17", Hint::kHost));
  EXPECT_EQ(Shape(Text("gpu[001-016],login1", Hint::kHost)), "<host>[001-016],<host>");
  EXPECT_EQ(Shape(Text("alice(1000)", Hint::kUser)), "<user>(1000)");
  EXPECT_EQ(Shape(Text("node17/3/boot-id/77/x", Hint::kWriter)), "<host>/3/<value>/77/x");
  EXPECT_EQ(Shape(Text("A=b c", Hint::kEnvironment)), "A=<value>");
  EXPECT_EQ(Shape(Text("python t.py -"
                       "-lr=3 -x",
                       Hint::kCommand)),
            "<value> <value> -"
            "-lr=<value> -x");
  EXPECT_EQ(HintOf("Host-Name"), Hint::kHost);
  EXPECT_EQ(HintOf("openaiApiKey"), Hint::kSecret);
  EXPECT_EQ(HintOf("kernel_hash"), Hint::kHash);
  for (const char* key : {"name", "cat", "External id", "device", "stream", "tokens", "ph"})
    EXPECT_EQ(HintOf(key), Hint::kNone) << key;
}

TEST(Redactor, FindsKnownWordsEverywhere) {
  Redactor redactor = Make();
  KnownWords words;
  redactor.Learn("gpu-a17", Hint::kHost, words);
  redactor.Learn("/home/carol/x.py", Hint::kNone, words);
  redactor.Learn("norm", Hint::kUser, words);
  redactor.Know(std::move(words));
  EXPECT_EQ(Shape(redactor.Text("wait gpu-a17_0, GPU-A17; carol's")),
            "wait <host>_0, <host>; <user>'s");
  EXPECT_EQ(redactor.Text("gpu-a171 xcarol aten::norm"), "gpu-a171 xcarol aten::norm");
  EXPECT_EQ(Shape(redactor.FileName("gpu-a17_4321.1700.pt.trace.json.gz")),
            "<host>_4321.1700.pt.trace.json.gz");
}

TEST(Redactor, FindsSecretsOfFieldsEverywhere) {
  Redactor redactor = Make();
  KnownWords words;
  redactor.Learn("Tr0ub4dor-horse", Hint::kSecret, words);
  redactor.Learn("Bearer b4c1e9f0a7d24c11", Hint::kSecret, words);
  redactor.Learn("float32_tensor", Hint::kSecret, words);  // in a field named "signature"
  redactor.Know(std::move(words));
  EXPECT_EQ(Shape(redactor.Text("pw Tr0ub4dor-horse, b4c1e9f0a7d24c11")), "pw <secret>, <secret>");
  EXPECT_EQ(redactor.Text("pw Tr0ub4dor-horse").substr(3), redactor.Text("Tr0ub4dor-horse"));
  EXPECT_EQ(redactor.Text("float32_tensor Tr0ub4dor"), "float32_tensor Tr0ub4dor");
  EXPECT_EQ(Shape(Make().Text("pw=horse")), "pw=<secret>");
}

TEST(Redactor, KeepsKinds) {
  const auto kept = ParseKept(std::vector<std::string>{"hosts", "addresses"});
  ASSERT_TRUE(kept);
  EXPECT_EQ(Shape(Make(*kept).Text("alice@node17 10.1.1.1")), "<user>@node17 10.1.1.1");
  EXPECT_FALSE(ParseKept(std::vector<std::string>{"secrets"}));
  EXPECT_FALSE(ParseKept(std::vector<std::string>{""}));
}

// Vectors of the reference implementation: key 00..0f, messages 00, 00 01, ...
TEST(Redactor, HashesWithSipHash) {
  std::string key, message;
  for (char c = 0; c < 16; ++c) key += c;
  for (char c = 0; c < 15; ++c) message += c;
  EXPECT_EQ(SipHash(key).Of(message), 0xa129ca6149be45e5u);
  EXPECT_EQ(SipHash(key).Of(""), 0x726fdb47dd0e0e31u);
  EXPECT_NE(Redactor({.key = "one"}).Text("a@bcd"), Redactor({.key = "other"}).Text("a@bcd"));
}

std::string Streamed(std::string_view text, size_t piece) {
  const Redactor redactor = Make();
  std::string out;
  TextStream stream(redactor, nullptr, [&](std::string_view bytes) -> Result<void> {
    out += bytes;
    return {};
  });
  for (size_t at = 0; at < text.size(); at += piece)
    EXPECT_TRUE(stream.Add(text.substr(at, piece)));
  EXPECT_TRUE(stream.Finish());
  return out;
}

TEST(TextStream, FollowsKeys) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"hostname":"node17","n":1})", R"({"hostname":"<host>","n":1})"},
      {R"({"hosts":["n1a","n2a"],"x":"n1b"})", R"({"hosts":["<host>","<host>"],"x":"n1b"})"},
      {R"({"env":{"A":"b","C":{"D":"e"}},"A":"b"})",
       R"({"env":{"A":"<value>","C":{"D":"<value>"}},"A":"b"})"},
      {R"({"env":[{"name":"A","value":"b"}]})", R"({"env":[{"name":"A","value":"<value>"}]})"},
      {R"({"argv":["a","--b=c"]})", R"({"argv":["<value>","--b=<value>"]})"},
      {R"({"args":{"stream":"7"}})", R"({"args":{"stream":"7"}})"},
      {R"({"a":"x\n\/home\/alice\/y.py"})", R"({"a":"x\n/<path>/y.py"})"},
      {R"({"a":"\u0041\ud83d\ude00"})", R"({"a":"\u0041\ud83d\ude00"})"},
      {R"({"alice@node17":1})", R"({"<user>@<host>":1})"},
      {"{\"a\":\"/home/alice/y.py\n", "{\"a\":\"/<path>/y.py\n"},
      {"I 12:00 {\"host\": \"node17\"} /home/alice/y.py\n",
       "I 12:00 {\"host\": \"<host>\"} /<path>/y.py\n"},
      {"JobID|User|NodeList|State\n1|alice|gpu[1-2]|DONE\n",
       "JobID|User|NodeList|State\n1|<user>|<host>[1-2]|DONE\n"},
      {"-----BEGIN PRIVATE KEY-----\nabc\ndef\n-----END PRIVATE KEY-----\nx\n",
       "<secret>\n<secret>\n<secret>\n<secret>\nx\n"},
      {"password: \"a b\"\nhost: node17\n", "password: \"<secret>\"\nhost: <host>\n"},
      {"[1, -2.5e3, true, null, \"\"]\n", "[1, -2.5e3, true, null, \"\"]\n"}};
  for (const auto& [text, expected] : cases) {
    for (const size_t piece : {1u, 3u, 1000u})
      EXPECT_EQ(Shape(Streamed(text, piece)), expected) << text << " by " << piece;
  }
}

// Any bytes: no crash, no endless loop, and pieces do not matter.
TEST(TextStream, TakesAnyBytes) {
  Random random(7, 0);
  constexpr std::string_view kParts[] = {
      "\"",     "{",   "}",    "[",  "]",           ":",   ",", "\\", "\n",    "/",
      "/home/", "@",   ".",    "..", "-----BEGIN ", "://", "=", "a",  "7",     "\xff",
      "\xc3",   "env", "host", "_Z", "eyJ",         "::",  "~", "|",  "\\u12", " "};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const int64_t parts = random.Below(40);
    for (int64_t i = 0; i < parts; ++i)
      text += kParts[static_cast<size_t>(random.Below(std::size(kParts)))];
    EXPECT_EQ(Streamed(text, 1), Streamed(text, 1000)) << text;
    Profile(Make(), nullptr).Bytes(text);
    KnownWords words;
    for (const Hint hint : {Hint::kHost, Hint::kUser, Hint::kPath, Hint::kWriter, Hint::kCommand})
      Make().Learn(text, hint, words);
  }
}

// 1 MB of what makes looks ahead long.
TEST(Redactor, IsLinear) {
  for (const std::string unit :
       {"a/", "a.", "a@", "-a", "a_", "ab:", "~/a", "x=", "//a", "A1b2C3d4e5/", "-----BEGIN ",
        "eyJ.", "_Z", "1.", "a::", "\\\\a", "AKIA "}) {
    std::string text;
    while (text.size() < (size_t{1} << 20)) text += unit;
    const std::clock_t begin = std::clock();  // of this process, whatever else runs
    Text(text);
    EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC) << unit;
  }
}

}  // namespace
}  // namespace stepscope::redact::redactor_test
