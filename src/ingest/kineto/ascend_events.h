// Settles the events of Ascend's profiler, which have no category: what they are, the name of their
// process tells, which may stand behind them.
//
// docs/formats/ascend.md says what becomes of each process. Of "Overlap Analysis", which is the
// profiler's own sum of the others, nothing is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

// The process that Ascend's devices are.
inline constexpr std::string_view kAscendHardware = "Ascend Hardware";

// Whether an event without a category is one of those that sum up others, by its name.
bool IsAscendSum(std::string_view name);
// Names of a process, by its ID, and of a thread, by both; empty where the trace names none.
struct AscendNames {
  std::function<std::string(const std::string& process)> process;
  std::function<std::string(const std::string& process, const std::string& thread)> thread;
};

// Makes events of kind kUnknown device activity and calls; ties what devices did to the calls that
// launched it, where flows tell; makes streams of the tracks of devices. Device activity of kinds
// that are not kept stays unknown. To be called once, when all events are there.
void SettleAscendEvents(Trace& trace, const AscendNames& names, KindSet keep);

}  // namespace stepscope
