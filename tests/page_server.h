// A server of the page in this process, asked over real HTTP.
#pragma once

#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "stepscope/server.h"

namespace stepscope::testing {

using Json = nlohmann::json;

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

  // The answer to a GET with these headers and nothing else of ours.
  httplib::Response Ask(const std::string& target, const httplib::Headers& headers) const {
    httplib::Client client("127.0.0.1", port_);
    client.set_decompress(false);
    client.set_read_timeout(60);
    const auto result = client.Get(target, headers);
    if (!result) {
      ADD_FAILURE() << target << ": " << httplib::to_string(result.error());
      return {};
    }
    return *result;
  }

  // As one who knows the token.
  httplib::Response Get(const std::string& target, httplib::Headers headers = {}) const {
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
