// Implements the questions to a server. Facts: vLLM answers 200 without words, SGLang with words of
// the profile; vLLM ignores a second start, SGLang refuses it with 500.
#include "capture/serving/serving_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <thread>

#include "base/time_units.h"
#include "base/valid_utf8.h"
#include "base/wall_clock.h"

namespace stepscope::capture {
namespace {

constexpr int64_t kStartTime = 120 * kSecond;  // workers start their profilers one by one
constexpr int64_t kAskTime = 5 * kSecond;
constexpr int kTries = 3;           // of a stop
constexpr size_t kMostWords = 200;  // bytes of what a server says

// The first line of a server's words, for people.
std::string WordsOf(const http::Answer& answer) {
  const std::string_view line = std::string_view(answer.body).substr(0, answer.body.find('\n'));
  std::string valid, words;
  AppendValidUtf8(valid, line.substr(0, kMostWords));
  for (const char c : valid)
    if (static_cast<uint8_t>(c) >= 0x20 && c != 0x7f) words += c;
  return words.empty() ? words : ": " + words;
}

// Whether these are the words of a server that has such a profiler. What answers 200 to anything
// is none.
bool KnowsProfiles(const http::Answer& answer) {
  const bool blank = answer.body.find_first_not_of(" \r\n") == std::string::npos;
  return blank || answer.body.contains("rofil");
}

std::string_view HintFor(int status) {
  switch (status) {
    case 401:
    case 403:
      return "give the server's API key as the token";
    case 404:
    case 405:
      return "start vLLM with VLLM_TORCH_PROFILER_DIR or its profiler configuration; SGLang has "
             "this "
             "path by itself";
    default:
      return "";
  }
}

}  // namespace

int64_t WorldSizeOf(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return 0;
  const auto size = [&](const char* key) -> int64_t {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_integer()) return 1;
    return std::clamp<int64_t>(found->get<int64_t>(), 1, 100'000);
  };
  if (!json.contains("tp_size")) return 0;
  const auto attention = json.find("enable_dp_attention");
  const bool within = attention != json.end() && attention->is_boolean() && attention->get<bool>();
  return size("tp_size") * size("pp_size") * (within ? 1 : size("dp_size"));
}

// The pauses of an answer have a limit of their own; a server that sends a byte now and then is
// left when the time is over.
http::Answer ServingClient::Ask(http::Question question, int64_t patience) const {
  question.patience = patience;
  http::Poster poster(address_, token_);
  const std::jthread watchdog([&](const std::stop_token& answered) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, answered, std::chrono::nanoseconds(patience), [] { return false; });
    if (!answered.stop_requested()) poster.Stop();
  });
  return poster.Ask(question);
}

int64_t ServingClient::WorldSize(int64_t patience) {
  const http::Answer answer =
      Ask({.method = "GET", .path = "/get_server_info"}, std::min(kAskTime, patience));
  return answer.status == 200 ? WorldSizeOf(answer.body) : 0;
}

Result<std::string> ServingClient::Start(int64_t steps, int64_t patience) {
  const std::string body = steps > 0 ? fmt::format(R"({{"num_steps": {}}})", steps) : "{}";
  const http::Answer answer =
      Ask({.path = "/start_profile", .body = body, .type = "application/json"},
          std::min(kStartTime, patience));
  const std::string said =
      fmt::format("to /start_profile it answered HTTP status {}{}", answer.status, WordsOf(answer));
  if (answer.status == 200)
    return KnowsProfiles(answer) ? "" : said + ", which neither vLLM nor SGLang does";
  if (answer.status == 0) {
    const bool unheard = answer.body.starts_with("cannot");
    if (!unheard) return "to /start_profile" + WordsOf(answer);
    return std::unexpected(
        Error{answer.body, where(), "see that the server runs and give its address"});
  }
  if (answer.status >= 500) {
    // Of another's profile, which shall go on, SGLang says so.
    if (answer.body.contains("already in progress"))
      return std::unexpected(Error{"another profile is under way in this server", where(),
                                   "capture again later, or end it: POST /stop_profile"});
    return said;
  }
  return std::unexpected(
      Error{fmt::format("the server refused to start a profile: HTTP status {}{}", answer.status,
                        WordsOf(answer)),
            where(), std::string(HintFor(answer.status))});
}

Result<void> ServingClient::Stop(int64_t patience) {
  http::Answer answer;
  const int64_t end = WallClock() + patience;
  for (int k = 0; k < kTries && (k == 0 || WallClock() < end); ++k) {
    answer = Ask({.path = "/stop_profile", .type = "application/json"},
                 std::max<int64_t>(end - WallClock(), kMillisecond));
    if (answer.status == 200) return {};
    // SGLang's, where its steps were over before.
    if (answer.body.contains("not in progress")) return {};
    if (answer.status != 0) break;
  }
  const std::string said = answer.status == 0
                               ? answer.body
                               : fmt::format("HTTP status {}{}", answer.status, WordsOf(answer));
  return std::unexpected(Error{"the profile may still be under way, since the stop failed: " + said,
                               where(), "end it: POST /stop_profile"});
}

}  // namespace stepscope::capture
