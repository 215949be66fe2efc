// Answers a question that its asker may stop.
#pragma once

#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "base/stop.h"
#include "stepscope/result.h"

namespace stepscope {

// The Result that `work()` returns, or where `token` stopped it an error that says `stopped`.
template <class Work>
std::invoke_result_t<const Work&> UnlessStopped(std::stop_token token, std::string stopped,
                                                const Work& work) {
  try {
    const StopScope scope(std::move(token));
    return work();
  } catch (const Stopped&) {
    return std::unexpected(Error{std::move(stopped), "", ""});
  }
}

}  // namespace stepscope
