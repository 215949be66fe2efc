// Tells from the name of a field what its value is: of "hostname" a host, of "api_key" a secret.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::redact {

enum class Hint : uint8_t {
  kNone,
  kHost,
  kUser,
  kPath,         // a file or directory, also a relative one
  kSecret,       // always replaced
  kMaybeSecret,  // "key" and the like: replaced if it looks like one
  kWriter,       // of goodput events: host/rank/boot/process/random
  kHash,         // of contents: looks random, and is not a secret
  kEnvironment,  // names and values of variables
  kCommand,      // a command line, or its words
};

// Ignores case and what stands between words: "Host-Name" and "hostName" are "hostname".
Hint HintOf(std::string_view key);

// Whether the key names a secret, a host or a user by its last word: "my_db_password".
Hint HintOfLastWord(std::string_view key);

}  // namespace stepscope::redact
