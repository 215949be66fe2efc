// The socket that libkineto asks: bound once, and the only one that answers.
//
// libkineto ends its process when it is answered from an unnamed socket or one of another kind, so
// answers leave through the bound socket alone, and only to clients of its own kind.
#pragma once

#include <sys/un.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope::capture {

struct Received {
  std::string bytes;
  std::string client;  // the address as bytes, by which clients differ
  int64_t pid = 0;     // by the kernel, in this namespace
  int64_t user = -1;   // uid
  int64_t sent = 0;    // when, a moment
};

class FabricSocket {
 public:
  // Binds the abstract "dynolog", or that name in `folder`. Fails if another program has it.
  static Result<FabricSocket> Bind(const std::string& folder);
  FabricSocket(FabricSocket&& other) noexcept;
  FabricSocket& operator=(FabricSocket&&) = delete;
  ~FabricSocket();

  int file() const { return file_; }
  // The next datagram of a client; nothing if none waits, or what waited was of no client.
  std::optional<Received> Receive();
  // False if it cannot be delivered now; nothing is sent later.
  bool Answer(const std::string& client, std::string_view bytes);

 private:
  FabricSocket(int file, std::string folder) : file_(file), folder_(std::move(folder)) {}
  bool IsClient(std::string_view address) const;

  int file_;
  std::string folder_;  // empty: abstract
};

}  // namespace stepscope::capture
