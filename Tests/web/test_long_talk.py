"""A conversation with more messages than the page keeps: its beginning and its end, and the way from both."""

import re
import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, wait_for

from transcripts import Sender, Transcript, text

COUNT = 4_100


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off", MONITOR_STORE_CONTENT="full").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class LongTalk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        told = machine.session("talk").start(5)
        made = Transcript(told.id)
        for number in range(COUNT):
            made.assistant([text(f"Word number {number}.")])
        Sender(server, machine.key, told.id).send(made.bytes)
        wait_for(lambda: server.get(f"/v1/sessions/{told.id}").json.get("message_count", 0) >= COUNT, "all is stored", 60)
        cls.person = browser.person(server)
        cls.addClassCleanup(cls.person.close)
        cls.page = cls.person.page
        cls.page.goto(f"{server.url}/#/s/{told.id}")
        cls.timeline = cls.page.get_by_role("region", name="Timeline")
        cls.says(COUNT - 1).wait_for()

    def tearDown(self):
        self.person.check()

    @classmethod
    def says(cls, number):
        return cls.timeline.get_by_text(f"Word number {number}.", exact=True)

    def scrolls(self, place, holds, what):
        """Scrolls to an end of what is loaded until the numbers of the rows in the document are as wanted."""
        def scrolled():
            self.timeline.evaluate(f"(box) => box.scrollTop = {place}")
            shown = re.findall(r"Word number (\d+)\.", self.timeline.inner_text())
            return bool(shown) and holds([int(number) for number in shown])

        wait_for(scrolled, what, 100)

    def test_1_the_window_moves_back_from_the_end(self):
        self.scrolls("0", lambda shown: min(shown) < COUNT - 300, "what was said before the first page is shown")

    def test_2_the_beginning_is_one_click_away_and_the_window_moves_on_from_there(self):
        self.page.get_by_role("button", name="To the beginning").click()
        expect(self.says(0)).to_be_in_viewport(timeout=30_000)
        expect(self.page.get_by_role("button", name="To the beginning")).to_have_count(0)
        self.scrolls("box.scrollHeight", lambda shown: max(shown) > 300, "what was said after the first page is shown")
        self.page.get_by_role("button", name="To the end").click()
        expect(self.says(COUNT - 1)).to_be_in_viewport(timeout=30_000)


if __name__ == "__main__":
    unittest.main()
