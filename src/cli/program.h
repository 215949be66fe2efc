// Runs the program on the words of a command line, for every face that is started by one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "stepscope/result.h"

namespace stepscope::cli {

// Adds the analyses of a file that --plugin names (stepscope/plugin.h). Shall not throw.
using PluginLoader = std::function<Result<void>(const std::string& file)>;

// What a face brings along that the program alone does not have.
struct Means {
  PluginLoader load_plugin = {};
  UrlOpener open_urls = {};
};

// Runs the command that `words` name, without the program's own name, and returns the exit code.
// Files of --plugin are loaded first, so that lists, help and completions know their analyses;
// without a loader they are an error, and so are URLs of traces without an opener. Prints errors;
// throws nothing. Ignores SIGPIPE and SIGXFSZ from then on: what cannot be written is an error, and
// readers such as head close the pipe early.
int RunProgram(const std::vector<std::string>& words, const Means& means = {});

// Says on stderr, without allocating, that there is no more memory; returns the exit code.
int TellOutOfMemory();

}  // namespace stepscope::cli
