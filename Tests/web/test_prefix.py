"""Behind a reverse proxy that serves the app below a path."""

import re
import socket
import threading
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server

PREFIX = "/some/monitor"


class Proxy:
    """Removes the prefix from each request and forwards everything else. One request per connection; WebSockets pass
    unchanged."""

    def __init__(self, address):
        self.target = address
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}{PREFIX}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.handle, args=(client,), daemon=True).start()

    def handle(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(65536)
            if not piece:
                return client.close()
            head += piece
        head, _, rest = head.partition(b"\r\n\r\n")
        if b" " + PREFIX.encode() + b"/" not in head.partition(b"\r\n")[0]:
            client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return client.close()
        head = head.replace(b" " + PREFIX.encode(), b" ", 1)
        if b"websocket" not in head.lower():
            head = re.sub(rb"(?im)^connection: [^\r\n]*", b"Connection: close", head)
        host, _, port = self.target.rpartition(":")
        server = socket.create_connection((host, int(port)))
        server.sendall(head + b"\r\n\r\n" + rest)
        threading.Thread(target=self.pump, args=(client, server), daemon=True).start()
        self.pump(server, client)

    @staticmethod
    def pump(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            source.close()
            target.close()

    def close(self):
        self.listener.close()


class Prefix(unittest.TestCase):
    def test_signing_in_living_and_reloading_below_a_path(self):
        server = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(server.end)
        proxy = Proxy(server.address)
        self.addCleanup(proxy.close)
        browser = self.enterContext(Browser())
        person = browser.person(server, pair=False)
        self.addCleanup(person.close)
        page = person.open(person.link("--reach", proxy.url))
        page.get_by_role("heading", name="Sessions", exact=True).wait_for()
        expect(page).to_have_url(proxy.url + "/")
        cookie, = [one for one in person.context.cookies() if one["name"].startswith("monitor_session")]
        self.assertEqual(cookie["path"], PREFIX + "/")
        Machine(server, "proxied").session("below-a-path").start(0)
        page.get_by_role("listitem").filter(has_text="below-a-path").wait_for()
        page.get_by_role("link", name="below-a-path").click()
        page.get_by_role("heading", name="below-a-path").wait_for()
        page.reload()
        page.get_by_role("heading", name="below-a-path").wait_for()
        scope = page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.scope)")
        self.assertEqual(scope, proxy.url + "/")
        person.check()


if __name__ == "__main__":
    unittest.main()
