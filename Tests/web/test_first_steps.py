"""From the link that the server prints at its start to the first session, following only what is on the screen."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from scenes import Machine
from web import Browser, Server, row, wait_for


def setUpModule():
    global browser
    browser = unittest.enterModuleContext(Browser())


class FirstSteps(unittest.TestCase):
    def test_it_teaches_the_commands_until_the_first_event(self):
        own = Server().start()
        self.addCleanup(own.end)
        person = browser.person(own)
        self.addCleanup(person.close)
        for command in ("monitorctl key create", "claude"):
            person.page.get_by_text(command).first.wait_for()
        Machine(own, "first").session("begun").start(0)
        row(person.page, "begun").wait_for()
        person.check()

    def test_the_link_of_the_servers_start_leads_to_the_first_session_without_a_document(self):
        own = Server(terminal=True).start()
        self.addCleanup(own.end)
        link = wait_for(lambda: re.search(r"Open the web app: (\S+)\n", own.output.read_text()), "the link").group(1)
        person = browser.person(own, pair=False)
        self.addCleanup(person.close)
        page = person.open(link)
        page.get_by_text("Waiting for the first event").wait_for()
        page.get_by_role("textbox", name="Name of the machine").fill("this machine")
        page.get_by_role("button", name="Create key").click()
        command = page.get_by_text(re.compile(r"curl -fsS .* bash$")).inner_text()
        with tempfile.TemporaryDirectory() as home:
            environment = {"HOME": home, "PATH": os.environ["PATH"]}
            subprocess.run(["bash", "-c", command + " -s -- --no-transcripts"], env=environment, check=True, timeout=60,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            settings = json.loads(pathlib.Path(home, ".claude/settings.json").read_text())
            hook = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
            said = {"hook_event_name": "UserPromptSubmit", "session_id": "first", "cwd": "/w/begun", "prompt": "begin"}
            subprocess.run(["bash", "-c", hook], env=environment, input=json.dumps(said), text=True, check=True, timeout=60)
            row(page, "begun").wait_for()
        person.check()
        # The link works once.
        again = browser.person(own, pair=False)
        self.addCleanup(again.close)
        again.open(link).get_by_text("wrong, used or expired").wait_for()
