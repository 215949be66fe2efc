// Tells whether an address of this machine can be reached from others.
#pragma once

#include <string_view>

namespace stepscope {

// Of a host to listen on: nobody but this machine reaches it.
inline bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace stepscope
