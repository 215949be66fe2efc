// Fuzzes what the page asks of a run's timeline: tiles, events, searches and selections, by the
// target of the request. Whatever is asked, there is a body, or a status that says why not.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/timeline_api.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::server::tiles_fuzz {
namespace {

constexpr std::string_view kTrace = R"({"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":1,"dur":9,"args":{"External id":4}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":2,"dur":3,"args":{"correlation":4}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,"tid":9,"ts":0,"dur":30},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":6,"dur":9,"args":{"device":0,"stream":7,"correlation":4}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":20,"ts":9,"dur":12,"args":{"device":0,"stream":20}},
{"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":5,"args":{"Total Allocated":64,"Total Reserved":128,"Device Type":1,"Device Id":0,"Bytes":64,"Addr":1}}]})";

const OpenRun& Run() {
  static const OpenRun run = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("stepscope-tiles-fuzz-" + std::to_string(getpid()) + ".json");
    std::ofstream(path) << kTrace;
    auto session = Session::Open(std::vector{path.string()}, {.keep_events = true});
    std::filesystem::remove(path);
    Require(session.has_value());
    return OpenRun(std::move(*session));
  }();
  return run;
}

void Fuzz(std::string_view bytes) {
  const auto url = http::ParseUrl(bytes);
  if (!url) return;
  const auto answer = TimelineAnswer(Run(), url->path, *url, [] { return false; });
  if (answer) return Require(*answer != nullptr && !(*answer)->type.empty());
  Require(answer.error().status >= 400 && answer.error().status < 500);
  Require(!answer.error().error.what.empty());
}

const fuzz::Register kTarget({.name = "tiles", .run = &Fuzz, .form = fuzz::Form::kLines});

}  // namespace
}  // namespace stepscope::server::tiles_fuzz
