// Opens runs and asks them, and keeps the latest ones with their answers in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/calls.h"
#include "mcp/roots.h"
#include "stepscope/session.h"

namespace stepscope::mcp {

// What a question is about. The same question has the same answer while the files are the same.
struct Asked {
  std::string steps = "all";
  std::vector<int64_t> ranks;     // empty: all
  std::vector<std::string> only;  // empty: all analyses
  bool operator==(const Asked&) const = default;
};

using Answered = std::shared_ptr<const ReportSet>;

// For one thread.
class Runs {
 public:
  struct Options {
    int threads = 0;
    size_t keep = 4;  // runs in memory, the latest asked
    Settings settings;
    int64_t max_input = 0;  // as in OpenOptions
    std::optional<RedactOptions> redact = {};
  };
  Runs(const Roots& roots, Options options) : roots_(roots), options_(std::move(options)) {}

  // The directory or file of the one run that `path` leads to. Fails as Roots do, and where there
  // are several, which it lists.
  Result<std::string> Find(const std::string& path) const;

  // Opens the run if it is not in memory, or if its files changed, and asks it.
  Result<Answered> Answer(const std::string& path, const Asked& asked, const CallContext& context);

  int64_t max_input() const { return options_.max_input; }

  // Of two runs, of the ranks that both have.
  Result<Answered> Compared(const std::string& before, const std::string& after, Asked asked,
                            const CallContext& context);

 private:
  struct Kept {
    std::string path, stamp;
    Session session;
    std::list<std::pair<Asked, Answered>> answers;  // the latest asked first
  };
  Result<Kept*> Open(const std::string& path, const CallContext& context);

  const Roots& roots_;
  Options options_;
  std::list<Kept> kept_;  // the latest asked first
};

}  // namespace stepscope::mcp
