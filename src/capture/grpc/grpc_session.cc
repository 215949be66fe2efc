// Implements the frames with nghttp2.
// https://nghttp2.org/documentation/,
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
#include "capture/grpc/grpc_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace stepscope::capture {
namespace {

using Kind = GrpcEnd::Kind;

constexpr size_t kMostEscaped = 900;   // bytes of a status's text
constexpr int32_t kWindow = 64 << 20;  // bytes that may come unasked for
constexpr uint32_t kMostFrame = 1 << 20;
constexpr uint32_t kMostHeaders = 64 << 10;
constexpr int64_t kMostTimeout = 99'999'999;  // gRPC writes eight digits

nghttp2_nv Pair(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// "%41" is A; anything else stands for itself.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const int high = at + 2 < text.size() ? HexDigit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? HexDigit(text[at + 2]) : -1;
    if (text[at] == '%' && high >= 0 && low >= 0) {
      plain += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

int NumberOr(std::string_view text, int otherwise) {
  int number = otherwise;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? number
                                                                                 : otherwise;
}

}  // namespace

// What nghttp2 calls. Nothing may throw through it.
struct GrpcCallbacks {
  static GrpcSession& Of(void* data) { return *static_cast<GrpcSession*>(data); }

  static int Header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                    size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                    void* data) noexcept {
    GrpcSession& self = Of(data);
    if (frame->hd.stream_id != self.stream_) return 0;
    self.Header({reinterpret_cast<const char*>(name), name_size},
                {reinterpret_cast<const char*>(value), value_size});
    return 0;
  }

  static int Data(nghttp2_session*, uint8_t, int32_t stream, const uint8_t* bytes, size_t size,
                  void* data) noexcept {
    GrpcSession& self = Of(data);
    self.taken_ += size;
    if (stream != self.stream_ || self.message_ == nullptr) return 0;
    // Of another server's page nothing is kept; its status ends the call.
    if (!self.grpc_) return 0;
    const auto state = self.message_->Add({reinterpret_cast<const char*>(bytes), size});
    return state == MessageReader::State::kReading ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  static int FrameRead(nghttp2_session*, const nghttp2_frame* frame, void* data) noexcept {
    if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
      Of(data).settled_ = true;
    }
    return 0;
  }

  static int Close(nghttp2_session*, int32_t stream, uint32_t error, void* data) noexcept {
    GrpcSession& self = Of(data);
    if (stream != self.stream_) return 0;
    self.ended_ = true;
    self.reset_ = error;
    return 0;
  }

  static ssize_t ReadRequest(nghttp2_session*, int32_t, uint8_t* buffer, size_t length,
                             uint32_t* flags, nghttp2_data_source* source, void*) noexcept {
    auto& self = *static_cast<GrpcSession*>(source->ptr);
    const size_t size = std::min(length, self.frame_.size() - self.sent_);
    std::memcpy(buffer, self.frame_.data() + self.sent_, size);
    self.sent_ += size;
    if (self.sent_ == self.frame_.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }
};

GrpcSession::GrpcSession(std::string authority, std::string user_agent)
    : authority_(std::move(authority)), user_agent_(std::move(user_agent)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) return;
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &GrpcCallbacks::Header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &GrpcCallbacks::Data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &GrpcCallbacks::FrameRead);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &GrpcCallbacks::Close);
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  if (session_ == nullptr) return;
  const std::array<nghttp2_settings_entry, 4> settings = {{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kMostFrame},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMostHeaders},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindow);
}

GrpcSession::~GrpcSession() { nghttp2_session_del(session_); }

std::string_view GrpcSession::Outgoing() {
  if (session_ == nullptr) return {};
  const uint8_t* bytes = nullptr;
  const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
  if (size <= 0) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)};
}

std::string GrpcSession::Incoming(std::string_view bytes) {
  if (session_ == nullptr) return "out of memory";
  const ssize_t read = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (read < 0) return nghttp2_strerror(static_cast<int>(read));
  return "";
}

bool GrpcSession::finished() const {
  return session_ == nullptr ||
         (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
}

void GrpcSession::Begin(std::string_view path, std::string frame, int64_t timeout,
                        MessageReader& message) {
  frame_ = std::move(frame);
  sent_ = 0;
  message_ = &message;
  http_status_ = 0;
  status_ = -1;
  grpc_ = ended_ = false;
  reset_ = 0;
  status_text_.clear();
  const std::string patience = fmt::format("{}m", std::clamp<int64_t>(timeout, 1, kMostTimeout));
  const std::array headers = {Pair(":method", "POST"),
                              Pair(":scheme", "http"),
                              Pair(":path", path),
                              Pair(":authority", authority_),
                              Pair("te", "trailers"),
                              Pair("content-type", "application/grpc"),
                              Pair("user-agent", user_agent_),
                              Pair("grpc-timeout", patience),
                              Pair("grpc-accept-encoding", "identity")};
  const nghttp2_data_provider body = {{.ptr = this}, &GrpcCallbacks::ReadRequest};
  stream_ = session_ == nullptr ? -1
                                : nghttp2_submit_request(session_, nullptr, headers.data(),
                                                         headers.size(), &body, nullptr);
  if (stream_ < 0) {  // no memory, or the server has said goodbye
    ended_ = true;
    reset_ = NGHTTP2_REFUSED_STREAM;
  }
}

void GrpcSession::Header(std::string_view name, std::string_view value) {
  if (name == ":status") http_status_ = NumberOr(value, 0);
  if (name == "content-type") grpc_ = value.starts_with("application/grpc");
  if (name == "grpc-status") status_ = NumberOr(value, 2);  // UNKNOWN
  if (name == "grpc-message") status_text_ = Printable(Unescape(value.substr(0, kMostEscaped)));
}

GrpcEnd GrpcSession::End() const {
  using State = MessageReader::State;
  const State state = message_ == nullptr ? State::kReading : message_->state();
  switch (state) {
    case State::kTooLong:
      return {.kind = Kind::kTooLong};
    case State::kRefused:
      return {.kind = Kind::kRefusedByUs};
    case State::kCompressed:
      return {.kind = Kind::kDamaged, .text = "it is compressed"};
    case State::kTwice:
      return {.kind = Kind::kDamaged, .text = "bytes follow the answer"};
    case State::kReading:
      break;
  }
  if (status_ > 0) return {.kind = Kind::kStatus, .status = status_, .text = status_text_};
  if (http_status_ != 0 && !grpc_)
    return {.kind = Kind::kNotGrpc, .text = fmt::format("HTTP status {}", http_status_)};
  if (status_ < 0 && reset_ != 0)
    return {.kind = Kind::kBroken,
            .text = fmt::format("the server reset the call ({})", nghttp2_http2_strerror(reset_))};
  if (status_ < 0) return {.kind = Kind::kDamaged, .text = "it ends without a status"};
  if (message_ == nullptr || !message_->complete())
    return {.kind = Kind::kDamaged, .text = "it ends within the answer"};
  return {};
}

}  // namespace stepscope::capture
