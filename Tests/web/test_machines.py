"""What the page says of machines: events that are missing; clocks, hooks and agents that need care."""

import re
import unittest
import uuid

from scenes import Machine
from web import Browser, harness, row, wait_for
import agents  # From the system tests, which `web` adds to the path.
from releases import Installation, stand_in


def setUpModule():
    global server, browser
    place = Installation()
    place.release(stand_in(place.prefix / "program", "9.9.9"))
    server = place.server().start()
    browser = unittest.enterModuleContext(Browser())


def tearDownModule():
    server.end()


class Machines(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server)
        self.page = self.person.page
        self.machine = Machine(server, "live")
        self.addCleanup(self.person.close)
        self.addCleanup(self.person.check)

    def test_events_that_a_machine_lost_are_told_and_found_again(self):
        stream, now = str(uuid.uuid4()), harness.iso(0)
        chosen = str(uuid.uuid4())

        def post(*numbers):
            items = [harness.envelope(harness.hook("UserPromptSubmit", chosen, prompt=f"number {one}", cwd="/src/gappy"), at=now,
                                      stream={"id": stream, "n": one, "session_n": one}) for one in numbers]
            self.assertEqual(self.machine.client.request("POST", "/api/events", items).status, 202)
        post(1, 2, 5)
        row(self.page, "gappy").wait_for()
        self.page.reload()
        health = self.page.get_by_role("region", name="Machines").get_by_role("listitem").filter(has_text="live")
        health.get_by_text("2 events missing").wait_for()
        row(self.page, "gappy").get_by_role("link").click()
        aside = self.page.get_by_role("complementary", name="About this session")
        aside.get_by_text("Events: incomplete, 2 missing").wait_for()
        post(3, 4)
        aside.get_by_text("Events: complete after a gap, 2 came late").wait_for()
        self.page.goto(server.url + "/#/")
        health.get_by_text("2 events missing").wait_for(state="detached")

    def test_a_machine_whose_clock_or_hooks_need_care(self):
        machine = Machine(server, "late-box")
        headers = {"X-Machine-Time": harness.iso(-330), "User-Agent": "claude-monitor-hooks/0.0.9"}
        self.assertEqual(machine.client.request("POST", "/api/heartbeat", {"sessions": []}, headers).status, 202)
        self.page.reload()
        health = self.page.get_by_role("region", name="Machines").get_by_role("listitem").filter(has_text="late-box")
        health.get_by_text("clock 5 min behind").wait_for()
        health.get_by_text("hooks 0.0.9").wait_for()
        self.page.goto(server.url + "/#/settings/machines")
        row = self.page.get_by_role("list", name="Machines").get_by_role("listitem").filter(has_text="late-box")
        row.get_by_text("Synchronize its clock").wait_for()
        row.get_by_text(re.compile(r"The server is of version \d.*Install the hooks again")).wait_for()
        self.assertEqual(self.page.get_by_role("listitem").filter(has_text="live").get_by_text("Synchronize").count(), 0)

    def test_a_machine_whose_agent_is_older_than_the_servers(self):
        for name, version in (("old-box", "0.0.9"), ("new-box", "9.9.9")):
            agent = agents.Agent(server, Machine(server, name).key)
            self.addCleanup(agent.close)
            agent.greeting["agent_version"] = version
            agent.greet()
        self.page.goto(server.url + "/#/settings/machines")
        self.page.reload()
        rows = self.page.get_by_role("list", name="Machines").get_by_role("listitem")
        rows.filter(has_text="old-box").get_by_text("agent 0.0.9").wait_for()
        rows.filter(has_text="old-box").get_by_text("The server has version 9.9.9 of the agent").wait_for()
        rows.filter(has_text="new-box").get_by_text("agent 9.9.9").wait_for()
        self.assertEqual(rows.filter(has_text="new-box").get_by_text("monitor-agent update").count(), 0)

    def test_a_machine_whose_clock_is_behind_does_not_look_older_than_it_is(self):
        for machine, project, ago in ((Machine(server, "slow", behind=1800), "slow-box", 20), (self.machine, "keen-box", 200)):
            machine.session(project).start(ago + 20).asks("Do it", ago + 10).stops("Done.", ago)
        # The list keeps still under the pointer.
        self.page.mouse.move(0, 0)
        self.page.reload()
        row(self.page, "keen-box").wait_for()
        # The machine's clock would give more than thirty minutes.
        row(self.page, "slow-box").get_by_text(re.compile(r"^(\d\d s|\d min) ago$")).wait_for()

        def places():
            items = self.page.get_by_role("list", name="Sessions").get_by_role("listitem").all_inner_texts()
            return [place for name in ("slow-box", "keen-box") for place, text in enumerate(items) if name in text]

        wait_for(lambda: len(found := places()) == 2 and found == sorted(found), "the later one is first")


if __name__ == "__main__":
    unittest.main()
