// Uses the installed library as another program does: prints the headline of the first report.
#include <cstdio>
#include <string>
#include <vector>

#include "stepscope/session.h"

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  const auto session = stepscope::Session::Open(paths);
  if (!session) return std::fprintf(stderr, "%s\n", session.error().what.c_str()), 1;
  const auto answer = session->Analyze({.only = {"comm_overlap"}});
  if (!answer) return std::fprintf(stderr, "%s\n", answer.error().what.c_str()), 1;
  std::puts(answer->reports.front().headline.c_str());
}
