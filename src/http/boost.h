// Gives what this room takes from Boost.Asio and Boost.Beast its short names.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/error.hpp>

namespace stepscope::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

}  // namespace stepscope::http
