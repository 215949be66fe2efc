// Tests the gate of a server that listens beyond loopback; tests/page_server_test.cc has the rest.
#include "server/gate.h"

#include <gtest/gtest.h>

namespace stepscope::server::gate_test {
namespace {

int Status(const Gate& gate, const std::string& host) {
  const Request request{.method = "GET",
                        .target = "/api/state",
                        .headers = {{"Host", host}, {"Authorization", "Bearer secret"}}};
  const auto stopped = gate.Stop(request, *http::ParseUrl(request.target));
  return stopped ? stopped->status : 200;
}

// A name that rebinds is a name: addresses in numbers are none.
TEST(Gate, BeyondLoopbackAddressesInNumbersAreOurNames) {
  const Gate gate("0.0.0.0", 80, "secret");
  EXPECT_EQ(Status(gate, "192.0.2.7:80"), 200);
  EXPECT_EQ(Status(gate, "[2001:db8::7]:80"), 200);
  EXPECT_EQ(Status(gate, "localhost:80"), 200);
  EXPECT_EQ(Status(gate, "192.0.2.7.evil.example:80"), 403);
  EXPECT_EQ(Status(gate, "evil.example:80"), 403);
  EXPECT_EQ(Status(gate, "192.0.2.7:81"), 403);
  EXPECT_EQ(Status(gate, ""), 403);
}

TEST(Gate, BrowsersLeaveOutThePortOfHttpAlone) {
  EXPECT_EQ(Status(Gate("127.0.0.1", 80, "secret"), "127.0.0.1"), 200);
  EXPECT_EQ(Status(Gate("127.0.0.1", 80, "secret"), "evil.example"), 403);
  EXPECT_EQ(Status(Gate("127.0.0.1", 8080, "secret"), "127.0.0.1"), 403);
}

TEST(Gate, SchemesAreInAnyCase) {
  const Gate gate("127.0.0.1", 80, "secret");
  for (const char* scheme : {"Bearer", "bearer", "BEARER"}) {
    const Request request{
        .method = "GET",
        .target = "/api/state",
        .headers = {{"Host", "localhost"}, {"Authorization", std::string(scheme) + " secret"}}};
    EXPECT_FALSE(gate.Stop(request, *http::ParseUrl(request.target)).has_value()) << scheme;
  }
}

TEST(Gate, OnLoopbackOnlyItsNamesAndTheOneGivenAre) {
  const Gate gate("127.0.0.5", 80, "secret");
  EXPECT_EQ(Status(gate, "127.0.0.5:80"), 200);
  EXPECT_EQ(Status(gate, "127.0.0.1:80"), 200);
  EXPECT_EQ(Status(gate, "192.0.2.7:80"), 403);
}

}  // namespace
}  // namespace stepscope::server::gate_test
