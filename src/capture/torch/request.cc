// Checks values of requests and writes their text.
#include "capture/torch/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/time_units.h"

namespace stepscope::capture {
namespace {

constexpr int64_t kMostInt = 2'147'483'647;  // Kineto reads numbers as int32
constexpr int64_t kMostDuration = kHour;
constexpr size_t kMostPath = 200;  // bytes, less "_PID" and ".tmp"

std::unexpected<Error> Refused(std::string what, std::string where) {
  return std::unexpected(Error{"a request was refused: " + std::move(what), std::move(where), ""});
}

bool IsPathChar(char c) { return IsWordChar(c) || c == '/' || c == '.' || c == '-'; }

bool IsPath(std::string_view path) {
  return path.starts_with('/') && path.ends_with(".json") && path.size() <= kMostPath &&
         !path.contains("..") && std::ranges::all_of(path, IsPathChar);
}

struct Key {
  enum class Kind : uint8_t { kNumber, kBool, kPath, kTypes, kWord };
  std::string_view name;
  Kind kind;
  int64_t most = kMostInt;
};

// What dyno's scripts send, and the range of each. PROFILE_MEMORY is not among them: on PyTorch
// 2.15 it leaves a thread spinning.
constexpr auto kKeys = std::to_array<Key>({
    {"ACTIVITIES_LOG_FILE", Key::Kind::kPath},
    {"ACTIVITIES_DURATION_MSECS", Key::Kind::kNumber, kMostDuration / kMillisecond},
    {"ACTIVITIES_DURATION_SECS", Key::Kind::kNumber, kMostDuration / kSecond},
    {"ACTIVITIES_ITERATIONS", Key::Kind::kNumber, 100'000},
    {"ACTIVITIES_WARMUP_PERIOD_SECS", Key::Kind::kNumber, 60},
    {"ACTIVITIES_WARMUP_ITERATIONS", Key::Kind::kNumber, 1000},
    {"ACTIVITIES_MAX_GPU_BUFFER_SIZE_MB", Key::Kind::kNumber, 4096},
    {"ACTIVITY_TYPES", Key::Kind::kTypes},
    {"PROFILE_START_TIME", Key::Kind::kNumber, INT64_MAX},
    {"PROFILE_START_ITERATION", Key::Kind::kNumber},
    {"PROFILE_START_ITERATION_ROUNDUP", Key::Kind::kNumber},
    {"PROFILE_REPORT_INPUT_SHAPES", Key::Kind::kBool},
    {"PROFILE_PROFILE_MEMORY", Key::Kind::kBool},
    {"PROFILE_WITH_STACK", Key::Kind::kBool},
    {"PROFILE_WITH_FLOPS", Key::Kind::kBool},
    {"PROFILE_WITH_MODULES", Key::Kind::kBool},
    {"REQUEST_TRACE_ID", Key::Kind::kWord},
    {"REQUEST_GROUP_TRACE_ID", Key::Kind::kWord},
});

constexpr auto kTypes = std::to_array<std::string_view>(
    {"CPU_OP", "USER_ANNOTATION", "GPU_USER_ANNOTATION", "GPU_MEMCPY", "GPU_MEMSET",
     "CONCURRENT_KERNEL", "EXTERNAL_CORRELATION", "CUDA_RUNTIME", "CUDA_DRIVER",
     "CPU_INSTANT_EVENT", "PYTHON_FUNCTION", "OVERHEAD", "CUDA_SYNC"});

bool IsNumber(std::string_view text, int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= most;
}

bool AreTypes(std::string_view text) {
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    if (!std::ranges::count(kTypes, text.substr(0, comma))) return false;
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

bool IsValue(const Key& key, std::string_view value) {
  switch (key.kind) {
    case Key::Kind::kNumber:
      return IsNumber(value, key.most);
    case Key::Kind::kBool:
      return value == "true" || value == "false";
    case Key::Kind::kPath:
      return IsPath(value);
    case Key::Kind::kTypes:
      return AreTypes(value);
    case Key::Kind::kWord:
      return !value.empty() && value.size() <= 64 &&
             std::ranges::all_of(value, [](char c) { return IsWordChar(c) || c == '-'; });
  }
  return false;
}

// The next line, without spaces and comments.
std::string_view NextLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return Trimmed(line.substr(0, line.find('#')));
}

// Not in the past, and with time to begin.
int64_t StartOf(int64_t asked, int64_t now) { return std::max(asked, now + kLead); }

std::string_view TrueFalse(bool value) { return value ? "true" : "false"; }

}  // namespace

Result<RequestText> TextOf(const TraceRequest& request, int64_t now) {
  const int64_t start = StartOf(request.start, now);
  const std::string start_line = fmt::format("PROFILE_START_TIME={}\n", start / kMillisecond);
  if (!request.text.empty()) {
    const bool steps = request.text.contains("PROFILE_START_ITERATION=");
    return RequestText{request.text + (steps ? "" : start_line), steps ? 0 : start};
  }
  if (!IsPath(request.file)) return Refused("not a path that libkineto takes", request.file);
  if (request.iterations < 0 || request.iterations > 100'000)
    return Refused("not a number of steps", std::to_string(request.iterations));
  const int64_t duration = request.duration / kMillisecond;
  if (request.iterations == 0 && (duration < 1 || request.duration > kMostDuration))
    return Refused("a time from 1 ms to 1 h is needed", fmt::format("{} ns", request.duration));
  std::string text = fmt::format(
      "ACTIVITIES_LOG_FILE={}\nACTIVITIES_WARMUP_PERIOD_SECS={}\nPROFILE_REPORT_INPUT_SHAPES={}\n"
      "PROFILE_WITH_STACK={}\n",
      request.file, kWarmUp / kSecond, TrueFalse(request.shapes), TrueFalse(request.stacks));
  if (request.iterations > 0) {
    text += fmt::format(
        "PROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP=1\nACTIVITIES_ITERATIONS={}\n",
        request.iterations);
    return RequestText{text, 0};
  }
  text += fmt::format("ACTIVITIES_DURATION_MSECS={}\n", duration) + start_line;
  return RequestText{text, start};
}

Result<std::map<std::string, std::string>> CheckLines(std::string_view text,
                                                      std::span<const std::string> folders) {
  constexpr size_t kMostText = 8192;
  if (text.size() > kMostText) return Refused("it is longer than 8192 bytes", "");
  std::map<std::string, std::string> lines;
  while (!text.empty()) {
    const std::string_view line = NextLine(text);
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    const std::string name(Trimmed(line.substr(0, equals)));
    const auto key = std::ranges::find(kKeys, std::string_view(name), &Key::name);
    if (equals == line.npos || key == kKeys.end())
      return Refused("a key that is not allowed", name);
    const std::string value(Trimmed(line.substr(equals + 1)));
    if (!IsValue(*key, value)) return Refused("a value that is not allowed", name + "=" + value);
    lines[name] = value;
  }
  lines.erase("PROFILE_START_TIME");
  const std::string& file = lines["ACTIVITIES_LOG_FILE"];
  const bool below = std::ranges::any_of(
      folders, [&](const std::string& folder) { return file.starts_with(folder + "/"); });
  if (!below) return Refused("its file is not below /tmp or KINETO_ONDEMAND_TRACE_DIR", file);
  return lines;
}

}  // namespace stepscope::capture
