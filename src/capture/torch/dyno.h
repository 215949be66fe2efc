// Dynolog's requests, as `dyno gputrace` sends them: a length of four bytes and JSON, and the same
// back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/torch/clients.h"
#include "capture/torch/request.h"
#include "stepscope/result.h"

namespace stepscope::capture {

inline constexpr size_t kMostDynoRequest = size_t{1} << 16;  // bytes of JSON

// The JSON in `buffer` once it is whole; none yet. Fails for a length that is not one.
Result<std::optional<std::string>> DynoJson(std::string_view buffer);

// The bytes of an answer.
std::string DynoBytes(std::string_view json);

// What a daemon does for a request.
struct DynoWork {
  std::function<std::vector<Client>()> clients;
  std::function<Result<void>(const Client&, const TraceRequest&)> offer;
  int64_t user = 0;  // whose processes are captured
};

// The answer as JSON, to any bytes.
std::string AnswerDyno(std::string_view json, const DynoWork& work);

}  // namespace stepscope::capture
