"""A conversation with more messages than the page keeps: all of them can be reached, in both directions."""

import unittest

from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, wait_for

from transcripts import Sender, Transcript, text

COUNT = 4_300


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

    def scrolls(self, place, number):
        def scrolled():
            self.timeline.evaluate(f"(box) => box.scrollTop = {place}")
            return self.says(number).count()

        wait_for(scrolled, f"word {number} is shown", 100)

    def test_1_scrolling_leads_to_the_first_message_and_back_to_the_last(self):
        self.scrolls("0", 0)
        expect(self.page.get_by_role("button", name="To the beginning")).to_have_count(0)
        self.scrolls("box.scrollHeight", COUNT - 1)

    def test_2_the_beginning_is_one_click_away(self):
        self.page.get_by_role("button", name="To the beginning").click()
        expect(self.says(0)).to_be_in_viewport()
        self.page.get_by_role("button", name="To the end").click()
        expect(self.says(COUNT - 1)).to_be_in_viewport()


if __name__ == "__main__":
    unittest.main()
