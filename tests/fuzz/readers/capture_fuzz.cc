// Fuzzes what captures read from processes, scripts and servers: whatever bytes come, nothing but a
// request of checked values is handed out.
#include <cstdint>
#include <string>
#include <string_view>

#include "capture/common/process.h"
#include "capture/common/run_folder.h"
#include "capture/debug_server/answers.h"
#include "capture/torch/clients.h"
#include "capture/torch/control.h"
#include "capture/torch/desk.h"
#include "capture/torch/dyno.h"
#include "capture/torch/fabric.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::capture::capture_fuzz {
namespace {

DynoWork Work() {
  return {.clients =
              [] {
                return std::vector<Client>{
                    {.process = {.pid = 7, .parent = 1, .user = 1, .name = "python"},
                     .ancestors = {1}}};
              },
          .offer = [](const Client&, const TraceRequest& request) -> Result<void> {
            Require(request.file.starts_with("/tmp/") && !request.file.contains(".."));
            Require(!request.text.contains("PROFILE_MEMORY=") && !request.text.contains('#'));
            Require(TextOf(request, 1).has_value());
            return {};
          },
          .user = 1};
}

Handouts Nothing() {
  return {.offer = [](int64_t, const TraceRequest&) -> Result<void> { return {}; },
          .state = [](int64_t) { return DeskState{}; },
          .withdraw = [](int64_t) {},
          .over = [](int64_t) {}};
}

void TakeDatagram(std::string_view bytes) {
  const auto message = ParseMessage(bytes);
  if (!message || !std::holds_alternative<Poll>(*message)) return;
  Desk desk;
  Require(desk.Answer(7, "client", std::get<Poll>(*message), 1, 1) == "");
}

// The first byte says who reads the rest.
void Fuzz(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view text = bytes.substr(1);
  switch (static_cast<uint8_t>(bytes.front()) % 8) {
    case 0:
      TakeDatagram(text);
      break;
    case 1:
      AnswerDyno(text, Work());
      break;
    case 2:
      if (const auto json = DynoJson(text); json && *json) AnswerDyno(**json, Work());
      break;
    case 3:
      AnswerControl(text, Nothing(), {});
      break;
    case 4:
      ParseStat(text);
      ParseEnvironment(text);
      break;
    case 5:
      ClientSockets(text, "");
      ClientSockets(text, "/run");
      break;
    case 6:
      EndpointOf(text);
      RankIn(text);
      HasEvents(text);
      break;
    default:
      AddedMembers(text, text, {.host = "h", .rank = 1});
      break;
  }
}

const fuzz::Register kTarget({.name = "capture", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::capture::capture_fuzz
