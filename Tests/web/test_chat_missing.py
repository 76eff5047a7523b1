"""What the home screen says where no chat can begin."""

import unittest

from chatting import Case
from web import Browser, wait_for
import agents  # From the system tests, which `web` adds to the path.


def setUpModule():
    Case.browser = unittest.enterModuleContext(Browser())


class Missing(Case):
    def test_without_an_agent(self):
        self.person()
        self.box.click()
        self.page.get_by_text("once one of your machines has the agent").wait_for()
        self.look(self.page, "no agent")
        self.page.get_by_role("heading", name="Sessions", exact=True).click()
        # An agent that comes is noticed.
        self.box.click()
        self.connect()
        self.page.get_by_role("combobox", name="Where").wait_for()

    def test_without_control(self):
        self.connect()
        self.person(control=False)
        self.box.click()
        self.page.get_by_text("monitorctl device grant").wait_for()

    def test_with_an_agent_that_is_away_or_allows_none(self):
        agent = self.connect()
        agent.close()
        wait_for(lambda: self.server.get("/v1/machines/studio").json["agent"]["state"] == "offline", "it is away")
        self.person()
        self.box.click()
        self.page.get_by_text("monitor-agent status").wait_for()
        again = agents.Agent(self.server, self.machine.key, agent.identity)
        self.addCleanup(again.close)
        again.greeting["may"] = dict(agents.MAY, control=False)
        again.greet()
        self.page.get_by_text("write control=on").wait_for()


if __name__ == "__main__":
    unittest.main()
