// Implements MachineKey() of include/stepscope/redact.h.
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <fstream>
#include <string>

#include "stepscope/redact.h"

namespace stepscope {
namespace {

// Of systemd and D-Bus: random, made at installation, and confidential (man machine-id). Images of
// containers may lack it: then the name of the host stands for it, which can be guessed.
std::string MachineId() {
  for (const char* file : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    std::string id;
    if (std::ifstream in(file); std::getline(in, id)) return id;
  }
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

}  // namespace

std::string MachineKey() {
  const std::string text = fmt::format("stepscope {} {}", MachineId(), getuid());
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace stepscope
