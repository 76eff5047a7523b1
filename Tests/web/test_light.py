"""What the list costs on the wire, how soon it shows, and what it shows before the server has answered."""

import re
import threading
import time
import unittest

from scenes import Machine
from web import Browser, Server, harness, intercept, row, wait_for


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class Counted:
    """The bytes that a page receives: answers as they are sent, and the messages of its sockets."""

    def __init__(self, page):
        self.bytes, self.lists = 0, 0
        self.session = page.context.new_cdp_session(page)
        self.session.send("Network.enable")
        self.session.send("Network.setBypassServiceWorker", {"bypass": True})
        self.session.on("Network.requestWillBeSent", self.asked)
        self.session.on("Network.loadingFinished", lambda one: self.add(one["encodedDataLength"]))
        self.session.on("Network.webSocketFrameReceived", lambda one: self.add(len(one["response"]["payloadData"]) + 4))

    def add(self, count):
        self.bytes += count

    def asked(self, one):
        self.lists += bool(re.search(r"/v1/sessions\?.*limit=200", one["request"]["url"]))


class Light(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)
        self.page = self.person.page

    def test_ten_seconds_of_three_calls_a_second_in_eight_sessions(self):
        told = [Machine(server, f"box-{number}").session(f"busy-{number}").start(10).asks(f"Work {number}", 5) for number in range(8)]
        row(self.page, "Work 7").wait_for()
        counted = Counted(self.page)
        until = time.monotonic() + 10

        def works(one):
            while time.monotonic() < until:
                one.does("Bash", {"stdout": "out " * 50, "stderr": ""}, 0, command="swift build --product monitor-server")
                threading.Event().wait(1 / 3)

        threads = [threading.Thread(target=works, args=[one]) for one in told]
        for thread in threads:
            thread.start()
        while time.monotonic() < until:
            self.page.wait_for_timeout(200)
        for thread in threads:
            thread.join()
        self.assertLessEqual(counted.bytes, 200_000)
        self.assertEqual(counted.lists, 0)
        row(self.page, "Work 7").get_by_text("swift build").wait_for()

    def test_the_list_is_read_once_at_opening(self):
        machine.session("opened-once").start(5)
        row(self.page, "opened-once").wait_for()
        counted = Counted(self.page)
        self.page.reload()
        row(self.page, "opened-once").wait_for()
        self.page.get_by_text("today ·").wait_for()
        self.page.wait_for_timeout(1_500)
        self.assertEqual(counted.lists, 1)

    def test_the_last_known_list_stands_there_with_its_age_until_the_server_answers(self):
        machine.session("known-well").start(1).asks("Known by its title", 0)
        row(self.page, "Known by its title").wait_for()
        wait_for(lambda: "Known by its title" in (self.page.evaluate("localStorage.getItem('monitor.last')") or ""), "it is kept")
        held, answers = [], threading.Event()
        intercept(self.page, re.compile(r"/v1/sessions\?"), lambda route: route.continue_() if answers.is_set() else held.append(route))
        self.page.reload(wait_until="commit")
        row(self.page, "Known by its title").wait_for()
        self.page.get_by_text(re.compile(r"As of .* Reading what is new")).wait_for()
        wait_for(lambda: self.page.evaluate("1") and held, "the list is asked for")
        answers.set()
        for route in held:
            route.continue_()
        self.page.get_by_text(re.compile(r"As of .*")).wait_for(state="detached")

    def test_the_count_of_the_ended_is_that_of_the_server(self):
        items = []
        for number in range(230):
            one = harness.session()
            for name, more, ago in (("UserPromptSubmit", {"prompt": f"old {number}"}, 90_500), ("SessionEnd", {"reason": "other"}, 90_000)):
                items.append(harness.envelope(dict(harness.hook(name, one, **more), cwd="/src/many"), harness.iso(-ago - number)))
        for at in range(0, len(items), 400):
            self.assertEqual(machine.client.request("POST", "/api/events", items[at:at + 400]).status, 202)

        def count():
            return server.read_derived("/v1/sessions?status=ended&limit=1").json["meta"]["total"]

        wait_for(lambda: count() >= 230, "all are counted")
        ended = count()
        self.page.mouse.move(0, 0)
        self.page.reload()
        # All of them are older than this browser.
        self.page.locator(".group").filter(has_text="Ended").locator(".num").get_by_text(str(ended), exact=True).wait_for()
        self.page.get_by_role("link", name=re.compile(r"^All \d+ sessions")).click()
        self.page.get_by_role("heading", name="All sessions").wait_for()


if __name__ == "__main__":
    unittest.main()
