// Fuzzes what a watch recorded among a job's events: whatever the texts, the report adds up and can
// be printed. The lines of the input are texts of events, a second apart.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/watch.h"
#include "stepscope/write.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::watch_fuzz {
namespace {

void Read(std::string_view bytes) {
  std::vector<WatchedWindow> windows;
  for (int64_t time = 1; !bytes.empty(); ++time) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    if (auto window = WindowOfRecord(time * 1'000'000'000, std::string(bytes.substr(0, end))))
      windows.push_back(std::move(*window));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  if (windows.empty()) return;
  ReportSet answer;
  answer.reports.push_back(WatchedReport(std::move(windows)));
  Require(!Write(answer, Format::kJson).empty() && !Write(answer, Format::kText).empty());
}

const fuzz::Register kTarget({.name = "watch", .run = &Read, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::watch_fuzz
