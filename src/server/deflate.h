// Packs bytes as one raw deflate stream (RFC 1951), for data that is written once and sent often.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace stepscope {

// Of bytes that come piece by piece. A fifth of the speed of Gzip(), which packs what is sent at
// once, and a quarter smaller.
class RawDeflater {
 public:
  RawDeflater();
  RawDeflater(RawDeflater&&) noexcept;
  RawDeflater& operator=(RawDeflater&&) noexcept;
  ~RawDeflater();

  void Add(std::string_view bytes);

  // How many bytes all that was added takes, packed; it costs some of them.
  size_t Flush();

  // The whole stream. Nothing can be added any more.
  std::string Finish() &&;

 private:
  struct Stream;
  void Run(std::string_view bytes, int flush);
  std::unique_ptr<Stream> stream_;
};

}  // namespace stepscope
