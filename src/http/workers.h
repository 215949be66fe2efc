// Runs the handlers of a server on threads of its own.
//
// Not boost::asio::thread_pool: where the system refuses one of its threads, it waits for ever for
// those before.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <thread>
#include <vector>

namespace stepscope::http {

class Workers {
 public:
  // Starts so many threads, or as many as the system has. Throws std::system_error or
  // std::bad_alloc where it has none.
  explicit Workers(size_t threads);
  ~Workers() { Join(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  boost::asio::io_context& context() { return io_; }

  // Returns when all that they were given is done.
  void Join();

 private:
  void Run();

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::vector<std::thread> threads_;
};

}  // namespace stepscope::http
