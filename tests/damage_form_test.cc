// Tests odd but legal forms of one trace: age, layout and spelling change no answer.
#include <gtest/gtest.h>

#include "tests/front_door.h"
#include "tests/gzip.h"

namespace stepscope::testing::damage_form_test {
namespace {

// A step with two launches, kernels of both kinds and a copy, as PyTorch writes it today.
constexpr const char* kToday =
    R"json({"schemaVersion":1,"distributedInfo":{"rank":2},"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":9,"tid":9,"ts":0,"dur":100,"args":{"External id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1,"dur":2,"args":{"cbid":211,"correlation":11}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":5,"dur":2,"args":{"correlation":12}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10.5,"dur":20,"args":{"device":0,"stream":7,"correlation":11,"External id":1}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":20,"ts":20,"dur":30.25,"args":{"device":0,"stream":20,"correlation":12}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":60,"dur":1.125,"args":{"device":0,"stream":7,"bytes":4096}}
],"traceName":"x.json"}
)json";

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Only outside of names: no string of the trace above holds one of these characters.
std::string Pretty(const std::string& text) {
  std::string out = Replaced(text, "\n", "");
  for (const char* c : {"{", "[", ",", "}", "]"})
    out = Replaced(out, c, std::string(c) + "\r\n\t  ");
  for (const char* c : {"}", "]"}) out = Replaced(out, c, std::string("\n  ") + c);
  return Replaced(out, ":", " : ");
}

// Events with their keys the other way round: "args" first, "cat" and "ph" last.
std::string Reversed(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t event = text.find("{\"ph\"", at);
    if (event == text.npos) return out + text.substr(at);
    const size_t end = text.find("}}", event) + 2;
    const std::string body = text.substr(event + 1, end - event - 2);
    const size_t args = body.find(",\"args\"");
    const size_t name = body.find(",\"name\"");
    out += text.substr(at, event - at) + "{" + body.substr(args + 1) +
           body.substr(name, args - name) + "," +
           body.substr(body.find("\"cat\""), name - body.find("\"cat\"")) + ",\"ph\":\"X\"}";
    at = end;
  }
  return out;
}

struct Form {
  std::string name;
  std::string text;
};

std::vector<Form> Forms() {
  const std::string today = kToday;
  const size_t array = today.find('[');
  std::string old = Replaced(today, "\"kernel\"", "\"Kernel\"");
  old = Replaced(old, "\"gpu_memcpy\"", "\"Memcpy\"");
  old = Replaced(old, "\"cuda_runtime\"", "\"Runtime\"");
  old = Replaced(old, "\"user_annotation\"", "\"Operator\"");
  old = Replaced(old, "External id", "external id");
  return {
      {"pretty-printed", Pretty(today)},
      {"on one line", Replaced(today, "\n", "")},
      {"keys reversed", Reversed(today)},
      {"keys reversed, pretty-printed", Pretty(Reversed(today))},
      {"of 2021", old},
      {"compressed", Gzip(today)},
      {"with a byte order mark", "\xef\xbb\xbf" + today},
      {"times as strings", Replaced(today, "\"ts\":10.5", "\"ts\":\"10.5\"")},
      {"times with exponents",
       Replaced(Replaced(today, "\"ts\":10.5", "\"ts\":1.05e1"), "30.25", "3025E-2")},
      {"streams as strings", Replaced(Replaced(today, "\"stream\":7", "\"stream\":\"7\""),
                                      "\"tid\":7", "\"tid\":\"stream 7\"")},
      {"streams only as tracks", Replaced(Replaced(today, "\"device\":0,\"stream\":7,", ""),
                                          "\"tid\":7", "\"tid\":\"stream 7\"")},
      {"escaped keys' values", Replaced(today, "\"kernel\"", R"("\u006bernel")")},
      {"metadata behind the events", "{" +
                                         today.substr(array - 14, today.find("\n]") - array + 16) +
                                         R"(,"distributedInfo":{"rank":2}})"},
      {"records between that are no work", Replaced(today, "\n{\"ph\"", R"(
{"ph":"M","name":"process_name","pid":8,"tid":0,"ts":0,"args":{"name":"python"}},
{"ph":"s","id":11,"pid":9,"tid":9,"ts":1,"cat":"ac2g","name":"ac2g"},
{"ph":"i","s":"t","name":"[note]","pid":9,"tid":9,"ts":3,"args":{"Of":512}},
{"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":0,"dur":900,"args":{"stream":7}},
{"ph"=)")},
  };
}

TEST(DamageForm, EveryFormOfATraceGivesTheSameAnswer) {
  const auto plain = AskAbout(kToday);
  ASSERT_TRUE(plain);
  EXPECT_EQ(FirstRow(*plain, "ranks", "rank"), 2);
  EXPECT_EQ(FirstRow(*plain, "ranks", "busy"), 39'750 + 1'125);
  EXPECT_EQ(FirstRow(*plain, "ranks", "span"), 50'625);
  for (const Form& form : Forms()) {
    const auto answer = AskAbout(Replaced(form.text, "{\"ph\"=", "{\"ph\""));
    ASSERT_TRUE(answer) << form.name << ": " << answer.error().what;
    EXPECT_EQ(Numbers(*answer), Numbers(*plain)) << form.name;
    EXPECT_TRUE(answer->run.files[0].problem.empty()) << form.name;
    EXPECT_EQ(answer->run.notes.size(), plain->run.notes.size()) << form.name;
  }
}

TEST(DamageForm, ABareArrayDiffersOnlyInWhatItCannotSay) {
  const std::string today = kToday;
  const size_t array = today.find('[');
  const std::string bare = today.substr(array, today.find("\n]") - array + 2);
  for (const std::string& text : {bare, "\n " + bare + "\n\n", Gzip(bare)}) {
    const auto answer = AskAbout(text, "rank2.json");
    ASSERT_TRUE(answer);
    EXPECT_EQ(Numbers(*answer), Numbers(*AskAbout(kToday)));
  }
}

TEST(DamageForm, AnOpenArrayIsWhatATracerLeavesThatWasKilled) {
  const std::string today = kToday;
  const size_t array = today.find('[');
  const std::string open = today.substr(array, today.find("\n]") - array);
  for (const std::string& text : {open, open + ",", open + ",\n"}) {
    const auto answer = AskAbout(text, "rank2.json");
    ASSERT_TRUE(answer);
    EXPECT_EQ(Numbers(*answer), Numbers(*AskAbout(kToday)));
    EXPECT_EQ(NoteCount(*answer, "truncated"), 1);
  }
}

TEST(DamageForm, StreamsOfAnyNumberStayApart) {
  const auto answer = AskAbout(Document({Kernel("a", 0, 5, 7), Kernel("a", 10, 5, 4294967295),
                                         Kernel("a", 20, 5, 0), Kernel("a", 30, 5, -1)}));
  ASSERT_TRUE(answer);
  std::vector<Cell> streams;
  for (const Report& report : answer->reports) {
    if (report.analysis != "idle_time") continue;
    const Table& table = *std::ranges::find(report.tables, "streams", &Table::key);
    const auto column =
        std::ranges::find(table.columns, "stream", &Column::key) - table.columns.begin();
    for (const auto& row : table.rows) streams.push_back(row[static_cast<size_t>(column)]);
  }
  std::ranges::sort(streams);
  EXPECT_EQ(streams, (std::vector<Cell>{-1, 0, 7, 4294967295}));
}

}  // namespace
}  // namespace stepscope::testing::damage_form_test
