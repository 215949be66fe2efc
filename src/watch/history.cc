// Writes and reads history.jsonl.
#include "watch/history.h"

#include <algorithm>
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

void PutDeparture(JsonWriter& json, const WatchedDeparture& d) {
  json.BeginObject(kCompact);
  json.Number("rank", d.rank);
  json.Text("part", d.part);
  json.Number("before", d.before);
  json.Number("now", d.now);
  json.Number("windows", d.windows);
  json.End();
}

void PutDepartures(JsonWriter& json, const std::vector<WatchedDeparture>& departed) {
  json.Key("departed");
  json.BeginArray(kCompact);
  for (const WatchedDeparture& d : departed) PutDeparture(json, d);
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
  if (window.slower) {
    json.Key("slower");
    PutDeparture(json, *window.slower);
  }
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

// ns of a part or a step: lines may come from a ledger, and so from anybody.
int64_t SpanIn(const Json& object, const char* key) {
  constexpr int64_t kLongest = int64_t{1} << 61;
  return std::clamp<int64_t>(NumberIn(object, key), 0, kLongest);
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
    parts.push_back(
        {.rank = NumberIn(rank, "rank"), .part = part, .time = SpanIn(rank, part.c_str())});
  }
}

WatchedDeparture DepartureOf(const Json& json) {
  return {.rank = NumberIn(json, "rank"),
          .part = TextIn(json, "part"),
          .before = SpanIn(json, "before"),
          .now = SpanIn(json, "now"),
          .windows = NumberIn(json, "windows")};
}

std::optional<WatchedWindow> WindowOf(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || NumberIn(json, "time") == 0) return std::nullopt;
  WatchedWindow window{.time = NumberIn(json, "time"),
                       .why = TextIn(json, "why"),
                       .step_time = SpanIn(json, "step_time"),
                       .parts = {},
                       .verdict = TextIn(json, "verdict"),
                       .kept = TextIn(json, "kept")};
  for (const Json& rank : ListIn(json, "ranks")) TakeRank(rank, window.parts);
  for (const Json& finding : ListIn(json, "findings")) {
    if (finding.is_string()) window.findings.push_back(finding);
  }
  for (const Json& d : ListIn(json, "departed")) {
    if (d.is_object()) window.departed.push_back(DepartureOf(d));
  }
  if (const auto slower = json.find("slower"); slower != json.end() && slower->is_object())
    window.slower = DepartureOf(*slower);
  return window;
}

// The first bytes of a text, whole characters.
std::string Start(const std::string& text, size_t most) {
  size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
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
  return AppendToFile(path, (IsCut(path) ? "\n" : "") + LineOf(window), Sharing::kOwner);
}

std::string RecordOf(const WatchedWindow& window, size_t most) {
  constexpr size_t kSentence = 300;  // bytes
  WatchedWindow small{.time = window.time,
                      .why = Start(window.why, kSentence),
                      .step_time = window.step_time,
                      .slower = window.slower,
                      .kept = window.kept};
  if (!window.findings.empty())
    small.findings = {Start(window.findings.front(), kSentence)};
  else
    small.verdict = Start(window.verdict, kSentence);
  const auto text = [&] {
    std::string line = LineOf(small);
    line.pop_back();
    return line;
  };
  if (text().size() > most) small.why = small.verdict = "", small.findings.clear();
  return text();
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

std::optional<WatchedWindow> WindowOfRecord(int64_t time, const std::string& text) {
  constexpr int64_t kLatest = int64_t{1} << 61;
  auto window = WindowOf(text);
  if (!window || time <= 0 || time > kLatest) return std::nullopt;
  window->time = time;
  return window;
}

}  // namespace stepscope
