// Implements looking for traces: names end in .json or .json.gz.
#include "capture/serving/written_traces.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/time_units.h"

namespace stepscope::capture {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 100'000;
constexpr int64_t kLook = 200 * kMillisecond, kQuiet = kSecond;

std::string SuffixOf(std::string_view name) {
  for (const std::string_view suffix : {".pt.trace.json.gz", ".pt.trace.json", ".trace.json.gz",
                                        ".trace.json", ".json.gz", ".json"})
    if (name.ends_with(suffix)) return std::string(suffix);
  return "";
}

}  // namespace

int64_t RankOfName(std::string_view name) {
  for (const std::string_view before : {"rank", "-TP-"}) {
    for (size_t at = name.find(before); at != name.npos; at = name.find(before, at + 1)) {
      std::string_view digits = name.substr(at + before.size());
      if (digits.starts_with('-') || digits.starts_with('_')) digits.remove_prefix(1);
      int64_t rank = -1;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
      if (error == std::errc() && rank >= 0 && rank < 1'000'000) return rank;
    }
  }
  return -1;
}

FolderState StateOf(const std::string& folder) {
  FolderState state;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end;
       !error && at != end && state.size() < kMostFiles; at.increment(error)) {
    const std::string name = at->path().filename();
    std::error_code gone;
    if (name.starts_with('.') || SuffixOf(name).empty() || at->is_symlink(gone) ||
        !at->is_regular_file(gone))
      continue;
    const auto bytes = static_cast<int64_t>(at->file_size(gone));
    const auto time = at->last_write_time(gone).time_since_epoch().count();
    if (!gone) state[name] = {bytes, time};
  }
  return state;
}

std::vector<WrittenTrace> NewTraces(const std::string& folder, const FolderState& before,
                                    const FolderState& now) {
  std::vector<WrittenTrace> traces;
  for (const auto& [name, facts] : now) {
    const auto old = before.find(name);
    if ((old != before.end() && old->second == facts) || facts.first == 0) continue;
    traces.push_back({.path = folder + "/" + name,
                      .suffix = SuffixOf(name),
                      .rank = RankOfName(name),
                      .bytes = facts.first});
  }
  std::ranges::stable_sort(traces, {}, &WrittenTrace::rank);
  return traces;
}

std::vector<WrittenTrace> AwaitTraces(const std::string& folder, const FolderState& before,
                                      int64_t wanted, int64_t patience,
                                      const std::function<bool()>& cancelled) {
  const auto begun = std::chrono::steady_clock::now();
  const auto since = [](auto moment) {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now() - moment).count();
  };
  auto changed = begun;
  FolderState state = StateOf(folder);
  while (true) {
    const auto traces = NewTraces(folder, before, state);
    const auto ranked = std::ranges::count_if(traces, [](const auto& t) { return t.rank >= 0; });
    const bool enough = (ranked > 0 ? ranked : std::ssize(traces)) >= std::max<int64_t>(1, wanted);
    if (enough && since(changed) >= kQuiet) return traces;
    if (since(begun) >= patience || (cancelled && cancelled())) return traces;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kLook));
    FolderState next = StateOf(folder);
    if (next != state) changed = std::chrono::steady_clock::now();
    state = std::move(next);
  }
}

}  // namespace stepscope::capture
