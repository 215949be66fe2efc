// Gives the program files in memory for its output: with two pipes a full one could hold both up.
#include "cluster/run_command.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace stepscope {
namespace {

class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("output", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }
  std::string Content() const {
    std::string content;
    char buffer[4096];
    for (ssize_t got = 0;
         (got = pread(fd_, buffer, sizeof buffer, static_cast<off_t>(content.size()))) > 0;)
      content.append(buffer, static_cast<size_t>(got));
    return content;
  }

 private:
  int fd_;
};

// With the signals that we ignore as they were. 0, or why it did not start.
int Start(pid_t& child, std::vector<std::string>& words, const MemoryFile& out,
          const MemoryFile& err) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, out.fd(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.fd(), STDERR_FILENO);
  sigset_t ignored;
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  sigaddset(&ignored, SIGXFSZ);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed = posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

}  // namespace

Result<CommandOutcome> RunCommand(std::vector<std::string> words) {
  const MemoryFile out, err;
  pid_t child = 0;
  const int failed = out.fd() < 0 || err.fd() < 0 ? errno : Start(child, words, out, err);
  if (failed == ENOENT)
    return std::unexpected(Error{"there is no '" + words.front() + "' here", "PATH", ""});
  if (failed != 0)
    return std::unexpected(
        Error{"cannot start '" + words.front() + "': " + std::strerror(failed), "", ""});
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return CommandOutcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                        out.Content(), err.Content()};
}

}  // namespace stepscope
