// Runs a server of the page in this process, and asks it over HTTP.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "stepscope/server.h"
#include "tests/goodput_server.h"

namespace stepscope::testing {

using Json = nlohmann::json;

using Headers = std::multimap<std::string, std::string>;

// An answer as it came over the connection.
struct Reply {
  // Of the bytes up to the connection's end; status 0: they are no answer.
  explicit Reply(const std::string& bytes) {
    const size_t end = bytes.find("\r\n\r\n");
    if (!bytes.starts_with("HTTP/1.1 ") || end == bytes.npos) return;
    status = std::stoi(bytes.substr(9, 3));
    body = bytes.substr(end + 4);
    for (size_t at = bytes.find("\r\n"); at < end; at = bytes.find("\r\n", at + 2)) {
      const size_t colon = bytes.find(": ", at);
      headers.emplace(bytes.substr(at + 2, colon - at - 2),
                      bytes.substr(colon + 2, bytes.find("\r\n", at + 2) - colon - 2));
    }
  }
  bool has_header(const std::string& name) const { return headers.contains(name); }
  std::string get_header_value(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }

  int status = 0;
  Headers headers;
  std::string body;
};

class ServedPage {
 public:
  explicit ServedPage(std::vector<std::string> paths, size_t keep = 4, Settings settings = {})
      : server_(PageServer::Start({.paths = std::move(paths),
                                   .keep = keep,
                                   .settings = std::move(settings),
                                   .look_every = std::chrono::milliseconds(100)})) {
    if (!server_) throw std::runtime_error(server_.error().what);
    const std::string& url = server_->url();  // http://127.0.0.1:PORT/?token=TOKEN
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
    token_ = url.substr(url.find('=') + 1);
  }

  int port() const { return port_; }
  const std::string& token() const { return token_; }
  std::string Host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string Cookie() const { return "stepscope_" + std::to_string(port_) + "=" + token_; }

  // The answer to a request with these headers and nothing else of ours.
  Reply Ask(const std::string& target, Headers headers, const std::string& method = "GET") const {
    if (!headers.contains("Host")) headers.emplace("Host", Host());
    std::string request = method + " " + target + " HTTP/1.1\r\nConnection: close\r\n";
    for (const auto& [name, value] : headers) request += name + ": " + value + "\r\n";
    const Reply reply(Exchange(port_, request + "\r\n"));
    EXPECT_NE(reply.status, 0) << target << ": no answer";
    return reply;
  }

  // As one who knows the token.
  Reply Get(const std::string& target, Headers headers = {}) const {
    headers.emplace("Authorization", "Bearer " + token_);
    return Ask(target, headers);
  }

  Json GetJson(const std::string& target) const {
    const auto response = Get(target);
    EXPECT_EQ(response.status, 200) << target << ": " << response.body;
    return Json::parse(response.body);
  }

  // The runs, once `count` of them are there and none is waited for any more.
  Json SettledRuns(size_t count) const {
    for (int k = 0; k < 600; ++k) {
      Json runs = GetJson("/api/state")["runs"];
      bool settled = runs.size() == count;
      for (const Json& run : runs) {
        settled = settled && (run["state"] == "ready" || run["state"] == "failed");
      }
      if (settled) return runs;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "still no " << count << " runs: " << GetJson("/api/state").dump(1);
    return Json::array();
  }

  std::string IdOfOnlyRun() const { return SettledRuns(1).at(0).value("id", ""); }

 private:
  Result<PageServer> server_;
  int port_ = 0;
  std::string token_;
};

}  // namespace stepscope::testing
