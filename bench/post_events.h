// Posts batches of events over a kept connection, as the benchmarks of the goodput server do.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::bench {

// A connection to this host's port; -1: there is no server.
inline int Connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// Sends one request and waits for its answer; whether it is good.
inline bool Exchange(int fd, std::string_view request, std::string& answer) {
  answer.clear();
  while (!request.empty()) {
    const ssize_t sent = send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    request.remove_prefix(static_cast<size_t>(sent));
  }
  char bytes[2048];
  while (!answer.ends_with("}\n")) {
    const ssize_t got = recv(fd, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    answer.append(bytes, static_cast<size_t>(got));
  }
  return answer.starts_with("HTTP/1.1 200");
}

}  // namespace stepscope::bench
