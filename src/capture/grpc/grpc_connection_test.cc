// Tests calls of servers that answer well, badly, slowly and not at all.
#include "capture/grpc/grpc_connection.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <ostream>

#include "capture/grpc/grpc_reason.h"
#include "tests/support/canned_server.h"

namespace stepscope::capture::grpc_connection_test {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): frames
using Kind = GrpcEnd::Kind;
using std::chrono::milliseconds;

struct Called {
  GrpcEnd end;
  std::string answer;
};

// Connects to the port and calls once, for at most 300 ms each.
Called Call(int port, uint64_t most = 1000) {
  asio::io_context io;
  GrpcConnection connection(io.get_executor(), "127.0.0.1", port, "test");
  Called called;
  const auto take = [&](std::string_view bytes) {
    called.answer += bytes;
    return true;
  };
  auto done = asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        called.end = co_await connection.Connect(GrpcConnection::Clock::now() + milliseconds(300));
        if (!called.end.ok()) co_return;
        called.end = co_await connection.Call("/package.Service/Method", "question", most, take,
                                              GrpcConnection::Clock::now() + milliseconds(300));
      },
      asio::use_future);
  io.run();
  done.get();
  return called;
}

Called CallOf(CannedServer::Serve serve) {
  const CannedServer server(std::move(serve));
  return Call(server.port());
}

TEST(GrpcConnection, CallsAndIsAnswered) {
  std::string received;
  const CannedServer server([&](CannedConnection& connection) {
    connection.Send(http2::Settings());
    connection.ReceiveUntil("question");
    connection.Send(grpc::Answer("answer"));
    connection.Drain();
    received = connection.received();
  });
  const Called called = Call(server.port());
  EXPECT_EQ(called.end.kind, Kind::kOk) << called.end.text;
  EXPECT_EQ(called.answer, "answer");
}

TEST(GrpcConnection, ReadsAnAnswerByteByByte) {
  const Called called = CallOf([](CannedConnection& connection) {
    connection.Send(http2::Settings());
    connection.ReceiveUntil("question");
    for (const char byte : grpc::Answer("answer")) {
      connection.Send(std::string(1, byte));
      connection.Wait(milliseconds(1));
    }
    connection.Drain();
  });
  EXPECT_EQ(called.end.kind, Kind::kOk) << called.end.text;
  EXPECT_EQ(called.answer, "answer");
}

struct Bad {
  std::string_view what;
  std::string bytes;
  Kind kind;
  std::string_view reason;  // begins so

  friend std::ostream& operator<<(std::ostream& out, const Bad& bad) { return out << bad.what; }
};

std::string Repeat(const std::string& text, size_t times) {
  std::string all;
  for (size_t k = 0; k < times; ++k) all += text;
  return all;
}

std::vector<Bad> BadServers() {
  using namespace http2;  // NOLINT(google-build-using-namespace)
  const std::string ping = Frame(kPing, 0, 0, "12345678");
  const std::string more = Frame(kContinuation, 0, 1, Fields({{"name", std::string(100, 'v')}}));
  const std::string call = Settings() + grpc::Head();
  return {
      {"HTTP/1", "HTTP/1.1 400 Bad Request\r\n\r\n", Kind::kHttp1, "this is an HTTP/1 server"},
      {"HTTP/1 with a page alone", "<!DOCTYPE HTML>", Kind::kHttp1, "this is an HTTP/1 server"},
      {"TLS", std::string("\x15\x03\x01\x00\x02\x02\x46", 7), Kind::kTls, "this server speaks TLS"},
      {"SSH", "SSH-2.0-OpenSSH_9.2\r\n", Kind::kNotHttp2, "this server speaks no HTTP/2"},
      {"zeros", std::string(100, '\0'), Kind::kNotHttp2, "this server speaks no HTTP/2"},
      {"nothing", "", Kind::kSilent, "the port accepts connections and answers nothing"},
      {"four bytes", "1234", Kind::kSilent, "the port accepts connections and answers nothing"},
      {"only settings", Settings(), Kind::kDeadline, "no answer within the time"},
      {"a frame that is too long", Settings() + BigEndian(0xffffff, 3) + BigEndian(1, 6),
       Kind::kBroken, "the connection broke: the server ended the connection"},
      {"frames of no kind", Settings() + Repeat(Frame(Type(77), 0, 0, "x"), 50), Kind::kDeadline,
       "no answer within the time"},
      {"a flood of pings", Settings() + Repeat(ping, 100'000), Kind::kDamaged,
       "the answer is damaged"},
      {"headers without end",
       Settings() + Frame(kHeaders, 0, 1, Fields({{":status", "200"}})) + Repeat(more, 20'000),
       Kind::kDamaged, "the answer is damaged"},
      {"HTTP/2 without gRPC", Settings() + Frame(kHeaders, 5, 1, Fields({{":status", "404"}})),
       Kind::kNotGrpc, "this is an HTTP/2 server without gRPC: HTTP status 404"},
      {"another server's page",
       Settings() + Frame(kHeaders, 4, 1, Fields({{":status", "200"}})) + grpc::Data("<html>") +
           Frame(kData, 1, 1, ""),
       Kind::kNotGrpc, "this is an HTTP/2 server without gRPC: HTTP status 200"},
      {"reset", Settings() + Frame(kReset, 0, 1, BigEndian(2, 4)), Kind::kBroken,
       "the connection broke: the server reset the call (INTERNAL_ERROR)"},
      {"goodbye", Settings() + Frame(kGoaway, 0, 0, BigEndian(0, 8)), Kind::kBroken,
       "the connection broke"},
      {"no status", call + Frame(kData, 1, 1, grpc::Prefix(0)), Kind::kDamaged,
       "the answer is damaged: it ends without a status"},
      {"half an answer", call + grpc::Data(grpc::Prefix(10) + "12345") + grpc::Tail("0"),
       Kind::kDamaged, "the answer is damaged: it ends within the answer"},
      {"no answer", call + grpc::Tail("0"), Kind::kDamaged,
       "the answer is damaged: it ends within the answer"},
      {"two answers", call + grpc::Data(grpc::Prefix(1) + "1" + grpc::Prefix(1) + "2"),
       Kind::kDamaged, "the answer is damaged: bytes follow the answer"},
      {"a length of 4 GB", call + grpc::Data(grpc::Prefix(0xffffffff)), Kind::kTooLong,
       "the profile is larger than 2 GB"},
      {"compressed", call + grpc::Data("\1" + BigEndian(5, 4) + "12345"), Kind::kDamaged,
       "the answer is damaged: it is compressed"},
      {"no such service", Settings() + grpc::Only("12", "unknown service"), Kind::kStatus,
       "this gRPC server has no such call: unknown service"},
      {"busy", Settings() + grpc::Only("13", "Another profiling session active."), Kind::kStatus,
       "another profile is under way in this process"},
      {"a status of nobody", Settings() + grpc::Only("99999999999", "%E2%9C%93 %1b[31m%0a!"),
       Kind::kStatus, "the server answered UNKNOWN: \u2713 [31m !"},
  };
}

// What belongs to the call comes after the question.
CannedServer::Serve Serves(const std::string& bytes) {
  const std::string first = http2::Settings();
  if (!bytes.starts_with(first)) return CannedServer::Sends(bytes);
  return CannedServer::Sends(first, "question", bytes.substr(first.size()));
}

TEST(GrpcConnection, SaysWhatIsWrongWithAServer) {
  for (const Bad& bad : BadServers()) {
    const auto begun = GrpcConnection::Clock::now();
    const GrpcEnd end = CallOf(Serves(bad.bytes)).end;
    EXPECT_EQ(end.kind, bad.kind) << bad << ": " << end.text;
    EXPECT_EQ(ReasonOf(end).what.substr(0, bad.reason.size()), bad.reason) << bad;
    EXPECT_LT(GrpcConnection::Clock::now() - begun, milliseconds(2000)) << bad;
  }
}

TEST(GrpcConnection, SaysWhatIsWrongWithAServerThatCloses) {
  for (const Bad& bad : BadServers()) {
    for (size_t size = 0; size < std::min<size_t>(bad.bytes.size(), 200); size += 7) {
      const GrpcEnd end = CallOf([&](CannedConnection& connection) {
                            connection.Send(std::string_view(bad.bytes).substr(0, size));
                          }).end;
      EXPECT_FALSE(end.ok()) << bad << " " << size;
      EXPECT_NE(ReasonOf(end).what, "") << bad << " " << size;
    }
  }
}

TEST(GrpcConnection, EndsAtItsDeadlineHoweverSlowlyBytesCome) {
  const Called called = CallOf([](CannedConnection& connection) {
    connection.Send(http2::Settings());
    connection.ReceiveUntil("question");
    connection.Send(grpc::Head() + grpc::Data(grpc::Prefix(900)));
    while (connection.Send(grpc::Data("x")) && connection.Wait(milliseconds(5))) {
    }
  });
  EXPECT_EQ(called.end.kind, Kind::kDeadline);
}

TEST(GrpcConnection, SaysThatNothingListens) {
  EXPECT_EQ(Call(1).end.kind, Kind::kRefused);
  asio::io_context io;
  GrpcConnection connection(io.get_executor(), "no.such.host.invalid", 1, "test");
  auto end = asio::co_spawn(
      io, connection.Connect(GrpcConnection::Clock::now() + milliseconds(5000)), asio::use_future);
  io.run();
  EXPECT_EQ(end.get().kind, Kind::kNoHost);
}

}  // namespace
}  // namespace stepscope::capture::grpc_connection_test
