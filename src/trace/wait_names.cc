// Lists the names.
#include "trace/wait_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace stepscope {
namespace {

std::string_view MethodOf(const FrameName& name) {
  const std::string_view function = name.function;
  return function.substr(function.rfind('.') + 1);
}

bool IsBuiltIn(const FrameName& name) { return name.file.empty(); }

}  // namespace

bool WaitsForWorker(const FrameName& name) {
  constexpr auto kMethods =
      std::to_array<std::string_view>({"poll", "select", "epoll", "acquire", "__enter__"});
  return IsBuiltIn(name) && std::ranges::find(kMethods, MethodOf(name)) != kMethods.end();
}

bool WaitsForThread(const FrameName& name) {
  constexpr auto kFunctions =
      std::to_array<std::string_view>({"lock.acquire", "Lock.acquire", "lock.__enter__",
                                       "Lock.__enter__", "SimpleQueue.get", "_ThreadHandle.join"});
  return IsBuiltIn(name) && std::ranges::any_of(kFunctions, [&](std::string_view wait) {
           return std::string_view(name.function).ends_with(wait);
         });
}

bool OnlyWaits(const FrameName& name) {
  const std::string_view method = MethodOf(name);
  return method == "wait" || method == "barrier" || method == "synchronize";
}

}  // namespace stepscope
