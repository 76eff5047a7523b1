"""What the tests of a chat from the home screen share: a server with a machine, its agent, and a browser."""

import uuid

from accessible import Scanned
from web import Server
import agents  # From the system tests, which `web` adds to the path.
from scenes import Machine, Told


class Case(Scanned):
    """Each test has a server of its own: what the composer offers depends on all machines."""

    browser = None

    def setUp(self):
        self.server = Server(MONITOR_RATE_LIMIT="off").start()
        self.addCleanup(self.server.end)
        self.machine = Machine(self.server, "studio")
        self.told = Told(self.machine, str(uuid.uuid4()), "/home/dev/garden").start(30).asks("Go on", 20)

    def connect(self, machine=None, **may):
        agent = agents.Agent(self.server, (machine or self.machine).key)
        agent.greeting["may"] = dict(agents.MAY, **may)
        self.addCleanup(agent.close)
        return agent.greet()

    def person(self, control=True, **options):
        person = self.browser.person(self.server, **options)
        self.addCleanup(person.close)
        if control:
            device = self.server.get("/v1/devices").json["devices"][0]["id"]
            self.server.control("device", "grant", str(device), "control")
            person.page.reload()
        self.page = person.page
        self.box = self.page.get_by_role("textbox", name="Ask Claude")
        return person

    def project(self, session):
        return self.server.get(f"/v1/sessions/{session.id}").json["project_id"]

    def send(self):
        self.page.get_by_role("form", name="Ask Claude").get_by_role("button", name="Send", exact=True).click()
