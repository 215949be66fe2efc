// Words why a rank is late.
#include "analyses/stragglers_reason.h"

#include <fmt/format.h>

#include <array>

#include "analyses/advice.h"

namespace stepscope {
namespace stragglers {

std::string_view ReasonName(Reason reason, const Facts& facts) {
  // Where the host computes, it runs operators and launches nothing.
  constexpr std::array<std::string_view, 7> kOnHost = {
      "slower operators", "more operators", "time between operators", "input wait", "slower copies",
      "slower link",      "unknown"};
  constexpr std::array<std::string_view, 7> kNames = {"slower compute kernels",
                                                      "more compute kernels",
                                                      "host-bound launch",
                                                      "input wait",
                                                      "slower copies",
                                                      "slower link",
                                                      "unknown"};
  return (facts.OnHost() ? kOnHost : kNames)[static_cast<size_t>(reason)];
}

CauseKind CauseOf(Reason reason) {
  switch (reason) {
    case Reason::kCompute:
    case Reason::kMoreCompute:
      return CauseKind::kCompute;
    case Reason::kHost:
      return CauseKind::kHost;
    case Reason::kInput:
      return CauseKind::kInput;
    case Reason::kCopies:
      return CauseKind::kCopies;
    case Reason::kLink:
      return CauseKind::kCommunication;
    case Reason::kUnknown:
      break;
  }
  return CauseKind::kWait;
}

std::string Hint(Reason reason, const Facts& facts) {
  switch (reason) {
    case Reason::kCompute:
      return fmt::format(
          "check its device: clocks and temperature ({}), other processes; replace it with a spare",
          CommandForClocks(facts));
    case Reason::kMoreCompute:
      return "balance the work: pack sequences by length, balance experts or data across ranks";
    case Reason::kHost:
      if (facts.OnHost()) return FollowPython(facts);
      return "check its host: CPU clocks, other processes, NUMA binding, and synchronization; see "
             "idle_time";
    case Reason::kInput:
      return "give its data loader more workers, or check the storage it reads from";
    case Reason::kCopies:
      return "check its PCIe link (lspci -vv), and pin the memory it copies from";
    case Reason::kLink:
      return fmt::format("test its links: {} between its host and others{}", NetworkTest(facts),
                         facts.OnHost() ? "" : ", InfiniBand counters");
    case Reason::kUnknown:
      break;
  }
  return "compare the timeline of this rank before its collectives with that of another rank";
}

}  // namespace stragglers
}  // namespace stepscope
