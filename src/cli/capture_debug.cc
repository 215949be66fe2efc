// stepscope capture debug: traces, stacks and Flight Recorder of a job with PyTorch's debug server.
#include "stepscope/capture_debug.h"

#include <fstream>
#include <memory>

#include "cli/capture.h"

namespace stepscope::cli {
namespace {

struct DebugFlags {
  explicit DebugFlags(CaptureUse use) : capture(use) {}

  CaptureFlags capture;
  DebugCaptureOptions options;
  std::vector<std::string> given;
  std::string file;
};

// Between commas; and the lines of a file.
Result<std::vector<std::string>> AddressesOf(const DebugFlags& flags) {
  std::vector<std::string> addresses;
  for (std::string_view words : flags.given) {
    while (!words.empty()) {
      const size_t comma = std::min(words.find(','), words.size());
      if (comma > 0) addresses.emplace_back(words.substr(0, comma));
      words.remove_prefix(std::min(comma + 1, words.size()));
    }
  }
  if (flags.file.empty()) return addresses;
  std::ifstream in(flags.file);
  if (!in) return std::unexpected(Error{"cannot open the file of addresses", flags.file, ""});
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && !line.starts_with('#')) addresses.push_back(line);
  }
  return addresses;
}

int RunDebug(const DebugFlags& flags) {
  auto addresses = AddressesOf(flags);
  if (!addresses) return Fail(addresses.error());
  return RunCapture(flags.capture, [&](const CaptureOptions& capture) {
    DebugCaptureOptions options = flags.options;
    options.addresses = *addresses;
    options.capture = capture;
    return CaptureDebug(options);
  });
}

}  // namespace

void AddCaptureDebug(Command& parent, CaptureUse use) {
  auto flags = std::make_shared<DebugFlags>(use);
  Command& command = parent.Sub("debug", "Ask PyTorch's debug server of each rank");
  command.Argument("ADDRESS", flags->given, "Servers: HOST:PORT,... or the path of a Unix socket")
      .Optional();
  command.Take("--addresses", flags->file);
  command.Take("--store", flags->options.store)
      .Value("HOST:PORT")
      .Help("TCPStore of the job, which has all addresses");
  if (use == CaptureUse::kOnce) command.Switch("--no-trace", flags->options.profile, false);
  AddCaptureOptions(command, flags->capture, CountedSteps::kNone);
  if (use == CaptureUse::kWatch) {
    command.Examples({{"all ranks of a job, a second every ten minutes",
                       "stepscope watch debug --store node0:29500 --for 1s -o watch/"}});
  } else {
    command.Examples(
        {{"all ranks of a job", "stepscope capture debug --store node0:29500 -o run/"},
         {"two ranks", "stepscope capture debug node0:41234,node1:40112 --for 300ms -o run/"},
         {"stacks and Flight Recorder alone",
          "stepscope capture debug --store node0:29500 --no-trace -o run/"}});
  }
  command.Notes(
      "The script calls start_debug_server() of torch.distributed.debug in each rank. Its traces "
      "have\n"
      "the shapes of all inputs, for which the job needs memory: 1 GB in 5 s was seen. Its server "
      "has\n"
      "no password: use it on a trusted network. Do not profile a rank whose script profiles "
      "itself:\n"
      "PyTorch 2.15 ends such a process.");
  command.Runs([flags] { return RunDebug(*flags); });
}

}  // namespace stepscope::cli
