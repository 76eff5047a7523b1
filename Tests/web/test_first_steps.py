"""From the link that the server prints at its start to the first session, following only what is on the screen."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import touching
from playwright.sync_api import expect
from scenes import Machine
from web import Browser, Server, card, row, wait_for, watch_requests


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
            self.answer_on_a_phone(own, page, settings, environment)
        person.check()
        # The link works once.
        again = browser.person(own, pair=False)
        self.addCleanup(again.close)
        again.open(link).get_by_text("wrong, used or expired").wait_for()

    def answer_on_a_phone(self, own, page, settings, environment):
        """The page leads to a phone, which then answers what a hook of the machine asks."""
        page.get_by_text("Pair your phone").wait_for()
        page.get_by_role("link", name="Pair a phone").click()
        for choice in ("only see everything", "see everything and answer"):
            page.get_by_role("radio", name=choice, exact=True).check()
        page.get_by_role("button", name="Pair a device").click()
        picture = page.get_by_role("img", name="QR code of the link below")
        width = "image => image.complete && image.naturalWidth && image.clientWidth"
        wait_for(lambda: picture.evaluate(width) > 100, "it is drawn")
        page.get_by_text("Only this computer can reach").wait_for()
        invitation = page.get_by_text(re.compile(r"^http://\S+/pair#cmp_\w+$")).inner_text()
        holder = touching.phone(browser, own, pair=False)
        self.addCleanup(holder.close)
        phone = holder.open(invitation)
        page.get_by_text("Paired:").wait_for()
        expect(picture).to_have_count(0)
        hook = settings["hooks"]["PermissionRequest"][0]["hooks"][0]["command"]
        asked = {"hook_event_name": "PermissionRequest", "session_id": "first", "cwd": "/w/begun", "tool_name": "Bash",
                 "tool_input": {"command": "make check"}}
        waiting = subprocess.Popen(["bash", "-c", hook], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(waiting.kill)
        waiting.stdin.write(json.dumps(asked))
        waiting.stdin.close()
        touching.tap(phone, card(phone, "begun").get_by_role("button", name="Allow once"))
        self.assertEqual(waiting.wait(60), 0)
        with waiting.stdout as output:
            decision = json.loads(output.read())["hookSpecificOutput"]["decision"]
        self.assertEqual(decision["behavior"], "allow")
        holder.check()
        # The list goes on without the advice.
        watch_requests(page)
        with page.expect_response(lambda answer: answer.url.endswith("/v1/devices")):
            page.get_by_role("link", name="Sessions").first.click()
        row(page, "begun").wait_for()
        expect(page.get_by_text("Pair your phone")).to_have_count(0)
