"""The installed app: it opens without a network; notifications appear, can be answered, and disappear."""

import json
import unittest

from notices import deliver
from scenes import Machine
from web import Browser, Server, wait_for

# The content of a push that shows the whole request.
WHOLE = {"id": "prm_1", "actions": {"allow": "a", "deny": "d"}}
PUSH = {"v": 1, "kind": "permission", "ref": "p:1", "tag": "p:abc", "silent": False, "renotify": True, "require_interaction": True,
        "title": "Bash in payments-api", "body": "git push", "timestamp": 1_800_000_000_000}


def setUpModule():
    global server, browser
    server = Server(MONITOR_RATE_LIMIT="off").start()
    browser = unittest.enterModuleContext(Browser())


def tearDownModule():
    server.end()


class Worker(unittest.TestCase):
    def setUp(self):
        self.person = browser.person(server, permissions=["notifications"])
        self.addCleanup(self.person.close)
        self.page = self.person.page
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        wait_for(lambda: self.page.evaluate("navigator.serviceWorker.controller !== null"), "the worker controls the page")
        self.worker = self.running()

    def running(self):
        """The worker. The page is asked, too, because news of workers comes only during a call."""
        return wait_for(lambda: self.page.evaluate("1") and self.person.context.service_workers, "the worker runs")[0]

    def push(self, **changes):
        deliver(json.dumps({**PUSH, **changes}), self.page, self.worker, server)

    def notices(self):
        return self.worker.evaluate("""async () => (await self.registration.getNotifications()).map((one) => ({
            title: one.title, body: one.body, tag: one.tag, silent: one.silent, data: one.data,
            actions: one.actions.map((action) => action.action)}))""")

    def click(self, action):
        self.worker.evaluate("""async (action) => {
            const [notification] = await self.registration.getNotifications()
            self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action }))
        }""", action)

    def test_offline_it_opens_with_what_was_known_and_its_age(self):
        Machine(server, "known").session("remembered").start(5)
        self.page.get_by_role("listitem").filter(has_text="remembered").wait_for()
        wait_for(lambda: "remembered" in (self.page.evaluate("localStorage.getItem('monitor.last')") or ""), "it is kept")
        self.person.context.set_offline(True)
        self.page.reload()
        self.page.get_by_role("listitem").filter(has_text="remembered").wait_for()
        self.page.get_by_text("Not connected. What you see is from").wait_for()
        self.person.context.set_offline(False)
        self.page.get_by_text("Not connected").wait_for(state="detached")
        self.person.check()

    def test_the_manifest_can_be_installed(self):
        session = self.person.context.new_cdp_session(self.page)
        manifest = session.send("Page.getAppManifest")
        self.assertEqual(manifest["errors"], [])
        self.assertEqual(json.loads(manifest["data"])["display"], "standalone")
        errors = [one["errorId"] for one in session.send("Page.getInstallabilityErrors")["installabilityErrors"]]
        # The browsers of the tests are in private mode, which is the only obstacle.
        self.assertLessEqual(set(errors), {"in-incognito"})

    def test_a_push_shows_a_notice_with_two_actions_and_a_later_one_replaces_it(self):
        self.push(content={"session_id": "s-1", "tool_use_id": "toolu_1", "pending": 1}, prompt=WHOLE)
        shown, = self.notices()
        self.assertEqual((shown["title"], shown["body"], shown["silent"]), ("Bash in payments-api", "git push", False))
        self.assertEqual(shown["actions"], ["allow", "deny"])
        self.push(kind="resolved", silent=True, renotify=False, title="Answered", body="", require_interaction=False)
        self.assertEqual([(one["title"], one["silent"], one["actions"]) for one in self.notices()], [("Answered", True, [])])

    def test_what_the_notice_does_not_show_whole_cannot_be_allowed_from_it(self):
        hold = Machine(server, "partly").held("partly", tool_name="Bash", tool_input={"command": "git push"})
        self.addCleanup(hold.is_over.set)
        self.addCleanup(hold.withdraw)
        self.page.get_by_role("article").filter(has_text="git push").wait_for()
        for carried in ({}, {"prompt": {"id": hold.prompt, "actions": {"deny": "x"}}}):
            self.push(content={"session_id": hold.told.id, "pending": 1}, **carried)
            prompt = carried.get("prompt", {}).get("id")
            shown, = self.notices()
            self.assertEqual(shown["data"].get("prompt"), prompt)
            self.assertEqual(shown["actions"], ["deny"])
        # Only an older notification offers this action. The click opens the prompt.
        self.click("allow")
        # The address of a prompt leads on to its session.
        self.page.wait_for_url(lambda address: address.endswith(f"/#/s/{hold.told.id}?prompt={hold.prompt}"))
        self.assertIsNone(hold.output)

    def test_actions_are_in_the_persons_language(self):
        self.person = browser.person(server, pair=False, permissions=["notifications"], locale="de-DE")
        self.addCleanup(self.person.close)
        self.page = self.person.open(self.person.link())
        self.page.get_by_role("heading", name="Sitzungen", exact=True).wait_for()
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.worker = self.running()
        self.push(content={"session_id": "s-1", "tool_use_id": "toolu_1", "pending": 1}, prompt=WHOLE)
        titles = self.worker.evaluate(
            "async () => (await self.registration.getNotifications())[0].actions.map((action) => action.title)")
        self.assertEqual(titles, ["Einmal erlauben", "Ablehnen"])

    def test_the_number_on_the_icon_is_that_of_the_push_and_of_the_page(self):
        self.worker.evaluate("() => { self.navigator.setAppBadge = async (count) => { self.badge = count } }")
        self.push(badge=3)
        wait_for(lambda: self.worker.evaluate("self.badge") == 3, "the icon has the number")
        told = Machine(server, "badged").session("badged").start(5)
        told.needs("Bash", 0, command="ls")
        self.page.wait_for_function("() => /^\\(\\d+\\) /.test(document.title)")

    def test_the_offer_to_install_is_a_button(self):
        self.page.goto(server.url + "/#/settings/browser")
        self.page.get_by_text("The browser's menu has Install or Add to Home screen").wait_for()
        self.page.evaluate("""() => {
            const offer = new Event("beforeinstallprompt", { cancelable: true })
            offer.prompt = async () => { window.isOffered = true }
            dispatchEvent(offer)
        }""")
        self.page.get_by_role("button", name="Install").click()
        self.page.wait_for_function("() => window.isOffered")

    def test_an_iphone_is_told_of_its_home_screen(self):
        agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Version/17.4 Mobile/15E148 Safari/604.1"
        phone = browser.person(server, user_agent=agent)
        self.addCleanup(phone.close)
        phone.page.goto(server.url + "/#/settings/browser")
        phone.page.get_by_text("Notifications come only to the app that is opened from there").wait_for()
        phone.page.goto(server.url + "/#/settings/notifications")
        phone.page.get_by_text("add this page to the home screen first").wait_for()

    def test_a_push_without_content_still_shows_something(self):
        self.push(title="Claude Code", body="")
        shown, = self.notices()
        self.assertEqual((shown["title"], shown["actions"]), ("Claude Code", []))

    def test_a_tap_opens_the_session(self):
        told = Machine(server, "tapped").session("tapped-one").start(5)
        self.push(content={"session_id": told.id})
        self.click("")
        self.page.get_by_role("heading", name="tapped-one").wait_for()


if __name__ == "__main__":
    unittest.main()
