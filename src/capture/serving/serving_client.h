// Starts and stops the profilers of an inference server.
#pragma once

#include <cstdint>
#include <string>

#include "http/client.h"
#include "stepscope/result.h"

namespace stepscope::capture {

class ServingClient {
 public:
  ServingClient(http::Address address, std::string token)
      : address_(std::move(address)), token_(std::move(token)) {}

  // Each call returns after at most `patience` ns, whatever the server sends.

  // Workers by the server's own answer (SGLang's /get_server_info); 0: it does not say.
  int64_t WorldSize(int64_t patience);

  // `steps`: SGLang's num_steps; 0: until Stop(). Fails where no profile has begun for sure. Else
  // why nobody knows whether it has; empty: it has.
  Result<std::string> Start(int64_t steps, int64_t patience);

  // vLLM writes its traces before it answers. Asks again where the connection broke. Fails, with
  // the server's words, where it may still profile.
  Result<void> Stop(int64_t patience);

 private:
  std::string where() const { return address_.Text(); }
  http::Answer Ask(http::Question question, int64_t patience) const;

  http::Address address_;
  std::string token_;
};

// Workers from the JSON of /get_server_info: tp_size * pp_size * dp_size, where data-parallel
// workers are not those of tensor parallelism (enable_dp_attention). 0: it does not say.
int64_t WorldSizeOf(const std::string& json);

}  // namespace stepscope::capture
