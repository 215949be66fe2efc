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
      : poster_(std::move(address), std::move(token)) {}

  // Workers by the server's own answer (SGLang's /get_server_info); 0: it does not say.
  int64_t WorldSize();

  // `steps`: SGLang's num_steps; 0: until Stop(). Fails where no profile has begun for sure; true
  // if it has begun, false if nobody knows.
  Result<bool> Start(int64_t steps);

  // Waits so many ns for the answer: vLLM writes its traces first. Asks again where the connection
  // broke. Fails, with the server's words, where it may still profile.
  Result<void> Stop(int64_t patience);

 private:
  std::string where() const { return poster_.address().Text(); }

  http::Poster poster_;
};

// Workers from the JSON of /get_server_info: tp_size * pp_size * dp_size, where data-parallel
// workers are not those of tensor parallelism (enable_dp_attention). 0: it does not say.
int64_t WorldSizeOf(const std::string& json);

}  // namespace stepscope::capture
