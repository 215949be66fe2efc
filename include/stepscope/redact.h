// Replaces what is private in traces, job events and answers, so that they can be shared: names of
// hosts and users, paths, addresses, environments, command lines and secrets become pseudonyms.
//
//   auto written = stepscope::Redact({"traces/"}, {.folder = "shared"});
//   if (!written) return Print(written.error());
//
// Numbers and structure stay, and so do names that tell what an event is. docs/redact.md lists
// what is replaced, what stays, and what cannot be promised.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

struct RedactFilesOptions {
  std::string folder;  // is made if need be; must be empty, or hold what an earlier call wrote
  RedactOptions redact;
  int threads = 0;  // files at once; 0: one per processor
};

// Writes the files again, each in its own format, compressed as it was, under its own name without
// what is private in it. Directories are walked to their ends; of several, each gets one of its
// own. The answer holds one report, "redact", whose table `files` says what was written. Files of
// unknown formats are left out and noted. Fails when a path does not exist, nothing can be written,
// or the folder holds other files.
Result<ReportSet> Redact(std::span<const std::string> paths, const RedactFilesOptions& options);

// The key that `options` asks for, or a random one: to use one key for several calls.
Result<RedactOptions> WithKey(RedactOptions options);

// A key of this user on this machine: with it pseudonyms, and ids of rows that are named by one,
// are the same from call to call, and nobody else can check guesses.
std::string MachineKey();

// An answer about jobs or traces without what is private. REQUIRES: `options` has a key.
Result<void> RedactAnswer(ReportSet& answer, const RedactOptions& options);
// A path, or any text. REQUIRES: `options` has a key.
std::string RedactedPath(std::string_view path, const RedactOptions& options);
std::string RedactedText(std::string_view text, const RedactOptions& options);
// The kinds of names whose pseudonyms the text holds: "host", "user", "path", ...
std::set<std::string> PseudonymsIn(std::string_view text);

}  // namespace stepscope
