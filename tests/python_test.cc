// Tests what findings say of Python functions and modules, and that nobody who recorded them is
// told to.
#include "tests/answer.h"
#include "tests/front_door.h"

namespace stepscope::testing::python_test {
namespace {

std::string Host(std::string_view category, std::string_view name, int64_t start, int64_t end) {
  return fmt::format(
      R"({{"ph":"X","cat":"{}","name":"{}","pid":9,"tid":9,"ts":{},"dur":{},"args":{{}}}})",
      category, name, start, end - start);
}
std::string Frame(std::string_view name, int64_t start, int64_t end) {
  return Host("python_function", name, start, end);
}

// A kernel and the call that launches it.
std::vector<std::string> Launched(int64_t correlation, int64_t launch, int64_t start, int64_t end) {
  return {
      fmt::format(
          R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{},"dur":1,"args":{{"correlation":{}}}}})",
          launch, correlation),
      fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7,"correlation":{}}}}})",
          start, end - start, correlation)};
}

// A step of 200 us: a kernel, 60 us in which only Python runs, and a kernel.
std::vector<std::string> SlowLogging() {
  std::vector<std::string> events = {
      Host("user_annotation", "ProfilerStep#1", 0, 200), Frame("src/train.py(3): step", 0, 200),
      Frame("src/train.py(9): log_metrics", 40, 100),
      Frame("<built-in method item of Tensor object at 0x7f01>", 60, 80)};
  for (const auto& more : {Launched(1, 2, 5, 40), Launched(2, 101, 105, 200)})
    events.insert(events.end(), more.begin(), more.end());
  return events;
}

// Of a finding of its own, or of one beneath another of the same cause.
std::string BecauseOf(const ReportSet& answer, std::string_view analysis, std::string_view says) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (report.analysis == analysis && finding.message.contains(says)) return finding.because;
      for (const Evidence& e : finding.evidence) {
        if (e.analysis == analysis && e.message.contains(says)) return e.because;
      }
    }
  }
  return "no such finding";
}

TEST(Python, FindingsNameTheUsersFunctions) {
  const auto answer = AskAbout(Document(SlowLogging()));
  ASSERT_TRUE(answer);
  constexpr std::string_view kLogging = "; Python meanwhile: log_metrics (train.py:9) 60.0 µs";
  EXPECT_TRUE(BecauseOf(*answer, "overview", "Python between operators").contains(kLogging))
      << BecauseOf(*answer, "overview", "Python between operators");
  EXPECT_TRUE(BecauseOf(*answer, "idle_time", "Host-bound").contains(kLogging))
      << BecauseOf(*answer, "idle_time", "Host-bound");
  EXPECT_TRUE(BecauseOf(*answer, "critical_path", "Host work").contains("Python meanwhile: "))
      << BecauseOf(*answer, "critical_path", "Host work");
}

TEST(Python, WhoRecordedItIsNotToldTo) {
  const auto hint = [](const ReportSet& answer) {
    for (const Finding& finding : ReportOf(answer, "overview").findings) {
      if (finding.table == "step_time") return finding.hint;
    }
    return Phrase();
  };
  const ScratchFolder folder;
  const std::vector paths = {folder.Write("t.json", Document(SlowLogging()))};
  const auto session = Session::Open(paths, {.analyses = {"overview"}});
  ASSERT_TRUE(session);
  const auto answer = session->Analyze();  // nobody asked for Python
  ASSERT_TRUE(answer);
  EXPECT_FALSE(hint(*answer).contains("with_stack")) << hint(*answer);
  EXPECT_TRUE(hint(*answer).contains("see python")) << hint(*answer);
  auto events = SlowLogging();
  std::erase_if(events, [](const std::string& e) { return e.contains("python_function"); });
  const auto without = AskAbout(Document(events));
  ASSERT_TRUE(without);
  EXPECT_TRUE(hint(*without).contains("with_stack=True")) << hint(*without);
}

TEST(Python, FindingsAboutInputNameWhatLoads) {
  std::vector<std::string> events = Launched(1, 55, 60, 100);
  for (const std::string& event : Launched(2, 1, 2, 5)) events.push_back(event);
  events.push_back(Host("user_annotation", "ProfilerStep#1", 0, 100));
  events.push_back(Host("user_annotation", "enumerate(DataLoader)#x.__next__", 0, 50));
  events.push_back(Frame("data/video.py(7): decode", 5, 45));
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer);
  for (const auto& [analysis, says] :
       {std::pair("input_pipeline", "Input wait"), std::pair("phases", "Data loading")}) {
    EXPECT_TRUE(BecauseOf(*answer, analysis, says)
                    .contains("; Python meanwhile: decode (video.py:7) 40.0 µs"))
        << BecauseOf(*answer, analysis, says);
  }
  EXPECT_TRUE(
      AllSaid(*answer).contains("Input wait is 47.0% of step time, mostly in decode (video.py:7)."))
      << AllSaid(*answer);
}

// `waits`: of the 50 us in the loader, in which no batch is there yet.
std::string WhatIsSaidOfWorkers(int waits) {
  constexpr std::string_view kNext =
      "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  std::vector<std::string> events = Launched(1, 55, 60, 100);
  events.push_back(Host("user_annotation", "ProfilerStep#1", 0, 100));
  events.push_back(Host("user_annotation", kNext, 0, 50));
  events.push_back(Frame("torch/utils/data/dataloader.py(720): __next__", 1, 49));
  events.push_back(Frame("<built-in method poll of select.poll object at 0x7f>", 2, 2 + waits));
  const auto answer = AskAbout(Document(events));
  EXPECT_TRUE(answer);
  return answer ? AllSaid(*answer) : "";
}

TEST(Python, WorkersThatKeepUpAreToldFromThoseThatAreWaitedFor) {
  const std::string waits = WhatIsSaidOfWorkers(40), receives = WhatIsSaidOfWorkers(3);
  EXPECT_TRUE(waits.contains("Input wait is 50.0% of step time.")) << waits;
  EXPECT_TRUE(waits.contains("use more workers (num_workers)")) << waits;
  EXPECT_TRUE(
      receives.contains("Input wait is 50.0% of step time, though the loader workers keep up."))
      << receives;
  EXPECT_TRUE(receives.contains("receiving the next batch, 3.00 µs of it waiting for a worker"))
      << receives;
  EXPECT_FALSE(receives.contains("use more workers")) << receives;
  EXPECT_TRUE(receives.contains("try: receive less per batch")) << receives;
}

// The stage is a loop of the library's around what the user's functions do.
TEST(Python, FindingsAboutInputNameTheFunctionBeforeTheStage) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<std::string> events = Launched(1, 55, 60, 100);
    for (const std::string& event : Launched(2, 1, 2, 5)) events.push_back(event);
    events.push_back(Host("user_annotation", "ProfilerStep#1", 0, 100));
    events.push_back(Host("user_annotation", "enumerate(DataLoader)#x.__next__", 6, 50 + rank));
    events.push_back(Frame("data/video.py(7): decode", 7, 45));
    std::string text = Document(events);
    text.insert(1, fmt::format(R"("distributedInfo":{{"rank":{},"world_size":2}},)", rank));
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), text));
  }
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  const std::string because = BecauseOf(*answer, "input_pipeline", "Input wait");
  const size_t function = because.find("decode (video.py:7)"), stage = because.find("; stage ");
  EXPECT_LT(function, stage) << because;
  EXPECT_TRUE(because.contains("in 1 call on rank 1, max ")) << because;
}

// Four times a and b, of 1 us each, launched by calls of 9 us, and a copy of 50 us: all in one
// module.
std::vector<std::string> ShortKernelsAndACopy() {
  std::vector<std::string> events = {Frame("nn.Module: Linear_0", 0, 100)};
  const auto launch = [&](std::string_view call, int64_t correlation, int64_t from, int64_t to) {
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"{}","pid":9,"tid":9,"ts":{},"dur":{},"args":{{"correlation":{}}}}})",
        call, from, to - from, correlation));
  };
  const auto run = [&](std::string_view category, std::string_view name, int64_t correlation,
                       int64_t from, int64_t to) {
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7,"correlation":{}}}}})",
        category, name, from, to - from, correlation));
  };
  for (int64_t i = 0; i < 8; ++i) {
    launch("cudaLaunchKernel", i + 1, 10 * i, 10 * i + 9);
    run("kernel", i % 2 == 0 ? "a" : "b", i + 1, 10 * i + 10, 10 * i + 11);
  }
  launch("cudaMemcpyAsync", 9, 85, 86);
  run("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 9, 100, 150);
  return events;
}

TEST(Modules, FindingsAboutKernelsNameThem) {
  const auto answer = AskAbout(Document(ShortKernelsAndACopy()));
  ASSERT_TRUE(answer);
  const auto because = [&](std::string_view analysis, std::string_view says) {
    return BecauseOf(*answer, analysis, says);
  };
  EXPECT_TRUE(because("launch_stats", "Kernels shorter than their launch")
                  .ends_with("; worst: a in Linear_0, b in Linear_0"))
      << because("launch_stats", "Kernels shorter than their launch");
  EXPECT_TRUE(because("kernel_sequences", "Gaps in 4 repeats of 2 kernels")
                  .ends_with("with the most time: a in Linear_0, b in Linear_0"))
      << because("kernel_sequences", "Gaps in 4 repeats of 2 kernels");
  EXPECT_TRUE(because("kernel_breakdown", "Exposed memcpy and memset")
                  .ends_with("exposed or not: Memcpy HtoD (Pageable -> Device) in Linear_0"))
      << because("kernel_breakdown", "Exposed memcpy and memset");
}

TEST(Modules, ExposedCommunicationNamesTheModuleThatLaunchesMostOfIt) {
  std::vector<std::string> events = Launched(1, 5, 6, 40);
  for (std::string event : Launched(2, 15, 40, 100)) {
    const size_t at = event.find("\"gemm\"");
    if (at != event.npos) event.replace(at, 6, "\"ncclDevKernel_AllGather_RING_LL(x)\"");
    events.push_back(std::move(event));
  }
  events.push_back(Frame("nn.Module: Net_0", 0, 30));
  events.push_back(Frame("nn.Module: Shard_0", 10, 20));
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(BecauseOf(*answer, "comm_overlap", "Exposed communication is")
                  .ends_with("; most exposed: ncclDevKernel_AllGather_RING_LL in Shard_0"))
      << BecauseOf(*answer, "comm_overlap", "Exposed communication is");
}

// Events that no profiler writes: callers that end first, threads of their own, and modules within
// themselves a thousand deep.
TEST(Python, TakesAnyFrames) {
  std::vector<std::string> events = Launched(1, 55, 60, 100);
  for (int64_t i = 0; i < 1000; ++i) {
    events.push_back(Frame("nn.Module: A_0", i, 3000 - i));
    events.push_back(Frame(fmt::format("nn.Module: B/{}_0", i), i, 3000 - i));
    events.push_back(Frame("", i * 7, i * 7 + 10));
    events.push_back(Frame("f.py(1): f", i * 5, i * 5 + 12));
  }
  const auto answer = AskAbout(Document(events));
  ASSERT_TRUE(answer);
  EXPECT_EQ(ReportOf(*answer, "python").status, Status::kOk);
  EXPECT_EQ(ReportOf(*answer, "modules").status, Status::kOk);
}

}  // namespace
}  // namespace stepscope::testing::python_test
