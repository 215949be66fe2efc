// Writes and reads history.jsonl.
#include "watch/history.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file_writer.h"
#include "base/json_writer.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr auto kCompact = JsonWriter::Form::kCompact;

void PutRanks(JsonWriter& json, const std::vector<WatchedPart>& parts) {
  json.Key("ranks");
  json.BeginArray(kCompact);
  for (size_t p = 0; p < parts.size();) {
    const int64_t rank = parts[p].rank;
    json.BeginObject(kCompact);
    json.Number("rank", rank);
    for (; p < parts.size() && parts[p].rank == rank; ++p)
      json.Number(parts[p].part, parts[p].time);
    json.End();
  }
  json.End();
}

void PutDepartures(JsonWriter& json, const std::vector<WatchedDeparture>& departed) {
  json.Key("departed");
  json.BeginArray(kCompact);
  for (const WatchedDeparture& d : departed) {
    json.BeginObject(kCompact);
    json.Number("rank", d.rank);
    json.Text("part", d.part);
    json.Number("before", d.before);
    json.Number("now", d.now);
    json.Number("windows", d.windows);
    json.End();
  }
  json.End();
}

std::string LineOf(const WatchedWindow& window) {
  JsonWriter json;
  json.BeginObject(kCompact);
  json.Number("time", window.time);
  json.Text("why", window.why);
  json.Number("step_time", window.step_time);
  PutRanks(json, window.parts);
  json.Text("verdict", window.verdict);
  json.Key("findings");
  json.BeginArray(kCompact);
  for (const std::string& finding : window.findings) json.String(finding);
  json.End();
  PutDepartures(json, window.departed);
  json.Text("kept", window.kept);
  json.End();
  return std::move(json).Take() + "\n";
}

std::string TextIn(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

int64_t NumberIn(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_integer() ? at->get<int64_t>() : 0;
}

const Json& ListIn(const Json& object, const char* key) {
  static const Json none = Json::array();
  const auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : none;
}

void TakeRank(const Json& rank, std::vector<WatchedPart>& parts) {
  if (!rank.is_object()) return;
  for (const auto& [part, time] : rank.items()) {
    if (part == "rank" || !time.is_number_integer()) continue;
    parts.push_back({.rank = NumberIn(rank, "rank"), .part = part, .time = time.get<int64_t>()});
  }
}

std::optional<WatchedWindow> WindowOf(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || NumberIn(json, "time") == 0) return std::nullopt;
  WatchedWindow window{.time = NumberIn(json, "time"),
                       .why = TextIn(json, "why"),
                       .step_time = NumberIn(json, "step_time"),
                       .parts = {},
                       .verdict = TextIn(json, "verdict"),
                       .kept = TextIn(json, "kept")};
  for (const Json& rank : ListIn(json, "ranks")) TakeRank(rank, window.parts);
  for (const Json& finding : ListIn(json, "findings")) {
    if (finding.is_string()) window.findings.push_back(finding);
  }
  for (const Json& d : ListIn(json, "departed")) {
    if (!d.is_object()) continue;
    window.departed.push_back({.rank = NumberIn(d, "rank"),
                               .part = TextIn(d, "part"),
                               .before = NumberIn(d, "before"),
                               .now = NumberIn(d, "now"),
                               .windows = NumberIn(d, "windows")});
  }
  return window;
}

std::string OlderPath(const std::string& folder) { return folder + "/history.1.jsonl"; }

void ReadLines(const std::string& path, std::vector<WatchedWindow>& windows) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (auto window = WindowOf(line)) windows.push_back(std::move(*window));
  }
}

// Whether the file ends in the middle of a line, as after a crash.
bool IsCut(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() <= 0) return false;
  in.seekg(-1, std::ios::end);
  return in.get() != '\n';
}

}  // namespace

std::string HistoryPath(const std::string& folder) { return folder + "/history.jsonl"; }

Result<void> AppendWindow(const std::string& folder, const WatchedWindow& window, int64_t most) {
  const std::string path = HistoryPath(folder);
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (!error && static_cast<int64_t>(bytes) > most) fs::rename(path, OlderPath(folder), error);
  return AppendToFile(path, (IsCut(path) ? "\n" : "") + LineOf(window));
}

Result<std::vector<WatchedWindow>> ReadWindows(const std::string& folder) {
  std::error_code error;
  if (fs::exists(HistoryPath(folder), error) && !fs::is_regular_file(HistoryPath(folder), error))
    return std::unexpected(
        Error{"the history is no file", HistoryPath(folder), "give another folder"});
  std::vector<WatchedWindow> windows;
  ReadLines(OlderPath(folder), windows);
  ReadLines(HistoryPath(folder), windows);
  return windows;
}

}  // namespace stepscope
