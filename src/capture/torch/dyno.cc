// Parses dynolog's requests and answers them.
#include "capture/torch/dyno.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/time_units.h"
#include "capture/torch/staging.h"

namespace stepscope::capture {
namespace {

using Json = nlohmann::json;

constexpr int64_t kUsualLimit = 3;     // processes, as dyno's
constexpr int64_t kUsualWindow = 500;  // ms, as libkineto's
constexpr size_t kMostPids = 1024;

Json Refusal(const std::string& why) {
  return {{"processesMatched", Json::array()},
          {"eventProfilersTriggered", Json::array()},
          {"activityProfilersTriggered", Json::array()},
          {"eventProfilersBusy", 0},
          {"activityProfilersBusy", 0},
          {"error", why}};
}

// Zero stands for all.
std::vector<int64_t> PidsIn(const Json& json) {
  std::vector<int64_t> pids;
  if (!json.is_array() || json.size() > kMostPids) return pids;
  for (const Json& each : json) {
    if (each.is_number_integer() && each.get<int64_t>() > 0) pids.push_back(each.get<int64_t>());
  }
  return pids;
}

// dyno gives the job as a number or as text.
std::string JobIn(const Json& request) {
  const auto job = request.find("job_id");
  if (job == request.end()) return "";
  const std::string text = job->is_string() ? job->get<std::string>() : job->dump();
  return text == "0" ? "" : text;
}

// How many processes may be asked; no number is too large or too small to be read.
int64_t LimitIn(const Json& request) {
  constexpr double kMost = 1 << 30;
  const double limit = request.value("process_limit", static_cast<double>(kUsualLimit));
  return static_cast<int64_t>(std::clamp(limit, 0.0, kMost));
}

int64_t NumberOf(const std::map<std::string, std::string>& lines, const char* key, int64_t other) {
  const auto line = lines.find(key);
  return line == lines.end() ? other : std::stoll(line->second);  // CheckLines() saw digits alone
}

// For one process: only its own folder is allowed.
Result<TraceRequest> RequestFor(const Client& client, const std::string& config) {
  const std::vector<std::string> folders = {TraceFolderOf(client.process)};
  auto lines = CheckLines(config, folders);
  if (!lines) return std::unexpected(lines.error());
  (*lines)["ACTIVITIES_WARMUP_PERIOD_SECS"] = std::to_string(kWarmUp / kSecond);
  TraceRequest request{.file = (*lines)["ACTIVITIES_LOG_FILE"], .text = {}};
  request.iterations = NumberOf(*lines, "ACTIVITIES_ITERATIONS", 0);
  request.duration = NumberOf(*lines, "ACTIVITIES_DURATION_MSECS", kUsualWindow) * kMillisecond +
                     NumberOf(*lines, "ACTIVITIES_DURATION_SECS", 0) * kSecond;
  for (const auto& [key, value] : *lines) request.text += key + "=" + value + "\n";
  return request;
}

Json Trace(const Json& json, const DynoWork& work) {
  const std::vector<Client> clients = work.clients();
  const std::string job = JobIn(json);
  const std::vector<int64_t> pids = PidsIn(json.value("pids", Json::array()));
  const Chosen chosen = Choose(
      clients, {.pids = pids, .job = pids.empty() ? job : "", .all = true, .user = work.user});
  if (chosen.problem) return Refusal(chosen.problem->what);
  const auto config = json.value("config", std::string());
  Json answer = Refusal("");
  answer.erase("error");
  int64_t limit = LimitIn(json), busy = 0;
  for (const CaptureTarget& target : chosen.targets) {
    if (!target.chosen || limit-- <= 0) continue;
    answer["processesMatched"].push_back(target.pid);
    const auto client =
        std::ranges::find(clients, target.pid, [](const Client& each) { return each.process.pid; });
    auto request = RequestFor(*client, config);
    if (!request) return Refusal(request.error().what + ": " + request.error().where);
    if (auto offered = work.offer(*client, *request); offered)
      answer["activityProfilersTriggered"].push_back(target.pid);
    else
      answer["activityProfilersBusy"] = ++busy;
  }
  return answer;
}

}  // namespace

Result<std::optional<std::string>> DynoJson(std::string_view buffer) {
  int32_t size = 0;
  if (buffer.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, buffer.data(), sizeof size);
  if (size <= 0 || static_cast<size_t>(size) > kMostDynoRequest) {
    return std::unexpected(Error{"a request of a wrong length was refused", "", ""});
  }
  if (buffer.size() < sizeof size + static_cast<size_t>(size)) return std::nullopt;
  return std::string(buffer.substr(sizeof size, static_cast<size_t>(size)));
}

std::string DynoBytes(std::string_view json) {
  const auto size = static_cast<int32_t>(json.size());
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes.append(json);
}

std::string AnswerDyno(std::string_view text, const DynoWork& work) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    const auto name = json.at("fn").get<std::string>();
    if (name == "setKinetOnDemandRequest")
      return Trace(json, work).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (name == "getStatus") return R"({"status":1})";
    if (name == "getVersion") return R"({"version":"stepscope"})";
    return R"({"status":"failed","error":"this function is unknown to stepscope"})";
  } catch (const Json::exception&) {
    return R"({"status":"failed","error":"the request cannot be read"})";
  }
}

}  // namespace stepscope::capture
