// Parses and checks what a worker's file says.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capture/common/workers.h"

namespace stepscope::capture {
namespace {

constexpr int64_t kVersion = 1;
constexpr size_t kLongestText = 512;
constexpr int64_t kMostRanks = 10'000'000;
constexpr int64_t kLargestPid = int64_t{1} << 22;  // of Linux
constexpr double kLatestStart = 9e9;               // seconds since 1970

std::unexpected<Error> Wrong(std::string_view field, std::string_view why) {
  return std::unexpected(Error{fmt::format("`{}` {}", field, why), "", ""});
}

// A text without control characters.
Result<std::string> Text(const nlohmann::json& object, const char* field) {
  const auto at = object.find(field);
  if (at == object.end() || !at->is_string()) return Wrong(field, "is not a text");
  auto text = at->get<std::string>();
  if (text.size() > kLongestText)
    return Wrong(field, fmt::format("has more than {} bytes", kLongestText));
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(text, control)) return Wrong(field, "holds a control character");
  return text;
}

// A whole number in [least, most]; `absent` for null, if that may be.
Result<int64_t> Number(const nlohmann::json& object, const char* field, int64_t least, int64_t most,
                       std::optional<int64_t> absent) {
  const auto at = object.find(field);
  if (absent && (at == object.end() || at->is_null())) return *absent;
  if (at == object.end() || !at->is_number_integer()) return Wrong(field, "is not a whole number");
  if (at->is_number_unsigned() && at->get<uint64_t>() > static_cast<uint64_t>(most))
    return Wrong(field, fmt::format("is above {}", most));
  const auto value = at->get<int64_t>();
  if (value < least || value > most)
    return Wrong(field, fmt::format("is not between {} and {}", least, most));
  return value;
}

Result<int64_t> Started(const nlohmann::json& object) {
  const auto at = object.find("started");
  if (at == object.end() || !at->is_number()) return Wrong("started", "is not a number");
  const auto seconds = at->get<double>();
  if (!(seconds >= 0 && seconds <= kLatestStart)) return Wrong("started", "is not a time");
  return std::llround(seconds * 1e9);
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         std::stoi(std::string(text)) >= 1 && std::stoi(std::string(text)) <= 65535;
}

// "host:8466", with an IPv6 address in brackets: nothing that could be read as an option or a path.
bool IsHostAndPort(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == address.npos || colon == 0 || !IsPort(address.substr(colon + 1))) return false;
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '[' || c == ']' ||
           c == ':' || c == '%';
  };
  return address.front() != '-' && std::ranges::all_of(address.substr(0, colon), fits);
}

bool FitsDoor(const CaptureTarget& target) {
  if (target.door == "torch") return target.address == fmt::format("pid {}", target.pid);
  if (target.door == "debug" && target.address.starts_with("unix:/")) return true;
  return IsHostAndPort(target.address);
}

// Into `target`, one field after the other; the first that is wrong is the error.
Result<void> TakeFields(const nlohmann::json& object, CaptureTarget& target) {
  using Field = std::pair<const char*, std::string*>;
  for (const auto& [field, into] : std::to_array<Field>({{"door", &target.door},
                                                         {"address", &target.address},
                                                         {"job", &target.job},
                                                         {"attempt", &target.attempt},
                                                         {"host", &target.host}})) {
    auto text = Text(object, field);
    if (!text) return std::unexpected(text.error());
    *into = std::move(*text);
  }
  const auto pid = Number(object, "pid", 1, kLargestPid, std::nullopt);
  if (!pid) return std::unexpected(pid.error());
  const auto ranks = Number(object, "world_size", 1, kMostRanks, 0);
  if (!ranks) return std::unexpected(ranks.error());
  const auto rank = Number(object, "rank", 0, (*ranks == 0 ? kMostRanks : *ranks) - 1, -1);
  if (!rank) return std::unexpected(rank.error());
  target.pid = *pid;
  target.world_size = *ranks;
  target.rank = *rank;
  return {};
}

}  // namespace

Result<Worker> ParseWorker(std::string_view json) {
  const auto object = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::unexpected(Error{"the file is not a JSON object", "", ""});
  const auto version = Number(object, "version", 1, INT32_MAX, std::nullopt);
  if (!version) return std::unexpected(version.error());
  if (*version != kVersion)
    return Wrong("version", fmt::format("is {}, and this Stepscope reads {}", *version, kVersion));
  Worker worker;
  if (auto taken = TakeFields(object, worker.target); !taken) return std::unexpected(taken.error());
  constexpr std::array<std::string_view, 3> kDoors = {"grpc", "torch", "debug"};
  if (std::ranges::find(kDoors, worker.target.door) == kDoors.end())
    return Wrong("door", "is none of grpc, torch and debug");
  if (!FitsDoor(worker.target)) return Wrong("address", "does not fit its door");
  const auto started = Started(object);
  if (!started) return std::unexpected(started.error());
  worker.started = *started;
  if (object.contains("namespace")) {
    auto name = Text(object, "namespace");
    if (!name) return std::unexpected(name.error());
    worker.pid_namespace = std::move(*name);
  }
  return worker;
}

}  // namespace stepscope::capture
