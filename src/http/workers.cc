// Starts and ends threads, of which the system may have fewer than asked for.
#include "http/workers.h"

#include <exception>
#include <utility>

namespace stepscope::http {

Workers::Workers(size_t threads) : work_(io_.get_executor()) {
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.emplace_back([this] { Run(); });
  } catch (const std::exception&) {
    if (threads_.empty()) throw;
  }
}

void Workers::Run() {
  while (!io_.stopped()) {
    try {
      io_.run();
    } catch (const std::exception&) {
      continue;  // out of memory: costs the connection it was for
    }
  }
}

void Workers::Join() {
  work_.reset();
  for (std::thread& thread : std::exchange(threads_, {})) thread.join();
}

}  // namespace stepscope::http
