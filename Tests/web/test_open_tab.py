"""What an open tab does without pushes when a prompt comes and nobody looks at the page: a notice and a sound, each by choice."""

import unittest

from scenes import Machine
from web import Browser, Server, prompts, wait_for

# The browser's own notices and sounds are recorded in place of being shown and played.
RECORD = """
window.told = []
window.Notification = class {
    static permission = "granted"
    static requestPermission = async () => "granted"
    constructor(title, options) { window.told.push(title + ": " + options.body) }
    close() {}
}
window.tones = 0
AudioScheduledSourceNode.prototype.start = function () { window.tones += 1 }
AudioScheduledSourceNode.prototype.stop = () => undefined
"""
# Whether a person looks at the page.
LOOKS = "(is) => { document.hasFocus = () => is }"


def setUpModule():
    global server, browser, machine
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())
    machine = Machine(server, "mac-studio")


def tearDownModule():
    server.end()


class OpenTab(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server, pair=False)
        self.addCleanup(self.person.close)
        self.person.context.add_init_script(RECORD)
        self.page = self.person.sign_in()

    def choose(self, name):
        self.page.goto(f"{server.url}/#/settings/notifications")
        self.page.get_by_role("checkbox", name=name).check()
        self.page.get_by_role("status").filter(has_text="Saved").wait_for()
        self.page.goto(f"{server.url}/#/")

    def asks(self, project, *pages):
        hold = machine.held(project, tool_name="Bash", tool_input={"command": f"make {project}"})
        self.addCleanup(hold.is_over.set)
        for page in pages or (self.page,):
            prompts(page, project).first.wait_for()

    def test_a_notice_is_shown_once_for_all_tabs_if_nobody_looks(self):
        self.choose("Show a notice when Claude asks")
        second = self.person.open("/")
        second.get_by_role("heading", name="Sessions", exact=True).wait_for()
        for page in (self.page, second):
            page.evaluate(LOOKS, False)
        self.asks("unseen", self.page, second)
        told = wait_for(lambda: self.page.evaluate("told") + second.evaluate("told"), "a notice")
        self.assertEqual(told, ["Do it: Bash: make unseen"])
        # The one that comes later is told after both tabs had the time to tell of the first.
        self.asks("later", self.page, second)
        told = wait_for(lambda: len(both := self.page.evaluate("told") + second.evaluate("told")) > 1 and both, "another notice")
        self.assertEqual(sorted(told), ["Do it: Bash: make later", "Do it: Bash: make unseen"])
        self.assertEqual(self.page.evaluate("tones"), 0)
        self.person.check()

    def test_a_sound_is_played_by_choice(self):
        self.choose("Play a sound when Claude asks")
        # It is played as it is chosen, so that a person knows it.
        self.assertEqual(self.page.evaluate("tones"), 2)
        self.page.evaluate(LOOKS, False)
        self.asks("heard")
        wait_for(lambda: self.page.evaluate("tones") == 4, "a sound")
        self.assertEqual(self.page.evaluate("told"), [])
        self.person.check()

    def test_who_looks_at_the_page_is_told_by_the_page_alone(self):
        self.choose("Show a notice when Claude asks")
        self.page.evaluate(LOOKS, True)
        self.asks("looked")
        self.page.evaluate(LOOKS, False)
        self.asks("away")
        told = wait_for(lambda: self.page.evaluate("told"), "a notice")
        self.assertEqual(told, ["Do it: Bash: make away"])
        self.person.check()


if __name__ == "__main__":
    unittest.main()
