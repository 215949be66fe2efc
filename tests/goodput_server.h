// Runs a server as a process, and sends HTTP requests through sockets.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/paths.h"

namespace stepscope::testing {

// A server on a port of loopback.
class ServerProcess {
 public:
  // `stepscope goodput collect`.
  ServerProcess(const std::string& folder, int port, const std::vector<std::string>& more = {})
      : ServerProcess(CollectWords(folder, port, more)) {}

  // The command with these words, and these variables in its environment: "NAME=VALUE". Standard
  // error goes to the file, if one is given.
  explicit ServerProcess(std::vector<std::string> words, std::vector<std::string> variables = {},
                         const std::string& errors = "") {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      if (!errors.empty()) dup2(open(errors.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
      words.insert(words.begin(), testing::Binary());
      for (std::string& variable : variables) putenv(variable.data());
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(out[1]);
    std::string line;
    for (char c = 0; read(out[0], &c, 1) == 1 && c != '\n';) line += c;
    close(out[0]);
    const size_t colon = line.rfind(':');
    if (!line.starts_with("Listening on http://")) return;
    port_ = std::atoi(&line[colon + 1]);
    url_ = line.substr(line.find("http"));
  }
  ~ServerProcess() { End(SIGKILL); }

  int port() const { return port_; }  // 0: it does not listen
  const std::string& url() const { return url_; }

  // How it ended. 0: waits for it, without a signal.
  int End(int signal) {
    int status = 0;
    if (child_ > 0) {
      if (signal != 0) kill(child_, signal);
      waitpid(child_, &status, 0);
    }
    child_ = -1;
    return status;
  }

 private:
  static std::vector<std::string> CollectWords(const std::string& folder, int port,
                                               const std::vector<std::string>& more) {
    std::vector<std::string> words = {"goodput", "collect", folder, "--port", std::to_string(port)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  pid_t child_ = -1;
  int port_ = 0;
  std::string url_;  // as it was printed
};

inline int Connect(int port, int64_t patience_ms = 20'000) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = patience_ms / 1000, .tv_usec = patience_ms % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// Sends the request on a connection of its own; all that comes back, empty when nothing did in that
// time. The host "x" stands for the server's own.
inline std::string Exchange(int port, std::string request, int64_t patience_ms = 20'000) {
  constexpr std::string_view kOwn = "Host: x\r\n";
  if (const size_t at = request.find(kOwn); at != request.npos) {
    request.replace(at, kOwn.size(), "Host: localhost:" + std::to_string(port) + "\r\n");
  }
  const int fd = Connect(port, patience_ms);
  if (fd < 0) return "";
  std::string_view rest = request;
  while (!rest.empty()) {
    const ssize_t sent = send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;
    rest.remove_prefix(static_cast<size_t>(sent));
  }
  std::string answer;
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = read(fd, bytes.data(), bytes.size())) > 0;) {
    answer.append(bytes.data(), static_cast<size_t>(got));
  }
  close(fd);
  return answer;
}

inline std::string Get(int port, const std::string& path) {
  return Exchange(port, "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
}

}  // namespace stepscope::testing
