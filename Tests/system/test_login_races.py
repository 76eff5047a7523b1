"""Refreshes of tokens that are under way while the server moves, or while somebody logs in anew."""

import threading
import unittest

import test_mcp_login as login
from issuer import Issuer
from remote_servers import RemoteServer


def setUpModule():
    login.setUpModule()


def tearDownModule():
    login.tearDownModule()


class SlowIssuer(Issuer):
    """Sends the answer to a refresh once a test lets it."""

    def __init__(self):
        self.refreshed, self.let = threading.Semaphore(0), threading.Event()
        super().__init__()

    def answer(self, request, body):
        super().answer(Held(self, request) if b"grant_type=refresh_token" in body else request, body)


class Held:
    """A request whose answer waits."""

    def __init__(self, issuer, request):
        self.issuer, self.request = issuer, request

    def __getattr__(self, name):
        return getattr(self.request, name)

    def send_response(self, status):
        self.issuer.refreshed.release()
        self.issuer.let.wait(30)
        self.request.send_response(status)


class Races(login.WithIssuer):
    def setUp(self):
        self.issuer = SlowIssuer()
        self.addCleanup(self.issuer.end)
        self.addCleanup(self.issuer.let.set)
        self.server_id = self.add(self.issuer)
        self.states = []
        # Each use of such a token begins with a refresh.
        self.issuer.lifetime = 1
        self.log_in()
        self.issuer.lifetime = 3600

    def listing(self):
        def run():
            answer = self.ask("POST", "/v1/mcp/refresh", {"server_id": self.server_id})
            self.states.append(answer.json["servers"][0]["state"])
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join, 40)
        return thread

    def test_a_server_that_moves_during_a_refresh_does_not_get_the_token(self):
        first = self.listing()
        self.assertTrue(self.issuer.refreshed.acquire(timeout=20))
        other = RemoteServer()
        self.addCleanup(other.stop)
        moved = self.ask("PATCH", f"/v1/mcp/servers/{self.server_id}", {"url": other.url})
        self.assertEqual(moved.status, 200, moved)
        second = self.listing()
        # It does not wait for a token that is not for it.
        second.join(20)
        self.assertFalse(second.is_alive())
        # The first may have waited for the listing that follows a login, and then asked the other server, too.
        self.assertEqual(set(self.states), {"needs-auth"})
        self.issuer.let.set()
        first.join(20)
        self.assertEqual([headers for _, headers in other.requests if "authorization" in headers], [])

    def test_a_refresh_does_not_replace_the_tokens_of_a_later_login(self):
        thread = self.listing()
        self.assertTrue(self.issuer.refreshed.acquire(timeout=20))
        self.assertEqual(self.ask("DELETE", self.path()).status, 200)
        self.log_in()
        row = ("SELECT access_token, refresh_token, state, refreshed_at IS NULL FROM oauth_connections "
               f"WHERE server_id = '{self.server_id}'")
        before = login.postgres.sql(row)
        self.issuer.let.set()
        thread.join(40)
        self.assertEqual(len(self.states), 1)
        self.assertEqual(login.postgres.sql(row), before)


if __name__ == "__main__":
    unittest.main()
