#!/usr/bin/env python3
"""Answers ClickHouse's HTTP interface with the engine of the package chdb: a current version where no server is.

    chdb_server.py FOLDER PORT_FILE    writes the port that it listens on once it does; ends with its parent
"""
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from chdb import session

LOCK = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = parse_qs(urlsplit(self.path).query)
        sql = asked.get("query", [""])[0]
        sql = (sql + "\n").encode() + body if sql else body
        try:
            with LOCK:
                status, answer = 200, DATABASE.query(sql.decode(), "TabSeparated").bytes() or b""
        except Exception as failed:  # whatever the engine says
            status, answer = 500, str(failed).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


DATABASE = session.Session(sys.argv[1])
class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """A caller that is gone is no news: some are killed."""


SERVER = Server(("127.0.0.1", 0), Handler)
Path(sys.argv[2] + ".new").write_text(str(SERVER.server_port))
Path(sys.argv[2] + ".new").rename(sys.argv[2])
SERVER.serve_forever()
