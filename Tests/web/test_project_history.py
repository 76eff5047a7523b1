"""History, branches, stashes and conflicts of a repository in the web app, with a real agent."""

import re
import unittest

from repository import RepositoryCase, World
from web import PHONE


def setUpModule():
    global world
    world = World()


def tearDownModule():
    world.end()


class History(RepositoryCase):
    changes = False

    def test_history_and_a_commit(self):
        self.go("?tab=log")
        commits = self.page.get_by_role("list", name="Commits").get_by_role("link")
        commits.filter(has_text="Merge discounts").wait_for()
        self.assertEqual(commits.count(), 4)
        self.look(self.page, "the history")
        commits.filter(has_text="Add the tax").click()
        self.page.get_by_text("export const tax").wait_for()
        self.look(self.page, "a commit")
        self.page.go_back()
        self.page.get_by_text("Choose a commit").wait_for()

    def test_branches(self):
        self.place.write("src/tax.ts", "export const tax = 0.2\n")
        self.go("?tab=branches")
        self.page.get_by_role("textbox", name="Name of a new branch").fill("refunds")
        self.button("Create").click()
        self.agree("Create refunds?", "Create")
        self.area("Branches").get_by_role("link", name=re.compile("^refunds\\b.*current")).wait_for()
        self.assertEqual(self.place.git("branch", "--show-current").strip(), "refunds")
        self.place.git("checkout", "-q", "--orphan", "other")
        self.place.git("rm", "-rqf", "--cached", ".")
        self.place.git("commit", "-qm", "Nothing", "--allow-empty")
        self.go("?tab=status")
        self.go("?tab=branches")
        self.button("Switch to main").click()
        dialog = self.page.get_by_role("dialog", name="Switch to main?")
        dialog.get_by_role("button", name="Switch", exact=True).click()
        dialog.get_by_text("would be overwritten by checkout").wait_for()
        dialog.get_by_role("button", name="Close").click()

    def test_stashes(self):
        self.place.write("README.md", "# Mine\n")
        self.go("?tab=stash")
        self.page.get_by_role("textbox", name="What it is").fill("Half a thought")
        self.button("Put aside").click()
        self.agree("Put all changes aside?", "Put aside")
        stashes = self.page.get_by_role("list", name="Stashes")
        stashes.get_by_text("Half a thought").wait_for()
        self.assertNotEqual((self.place.root / "README.md").read_text(), "# Mine\n")
        self.look(self.page, "stashes")
        stashes.get_by_role("button", name="Pop").click()
        self.page.get_by_role("dialog").get_by_role("button", name="Pop").click()
        self.page.get_by_text("Nothing has been put aside.").wait_for()
        self.assertEqual((self.place.root / "README.md").read_text(), "# Mine\n")

    def test_conflicts_and_an_aborted_merge(self):
        self.place.git("checkout", "-qb", "one", "main~1")
        self.place.write("README.md", "# One\n")
        self.place.git("commit", "-qam", "One")
        self.place.git("checkout", "-q", "main")
        self.place.write("README.md", "# Two\n")
        self.place.git("commit", "-qam", "Two")
        with self.assertRaises(Exception):
            self.place.git("merge", "one")
        self.go()
        self.area("In conflict").get_by_role("link", name="README.md").click()
        self.page.get_by_text("<<<<<<<").wait_for()
        self.button("Abort the merge").click()
        self.agree("Abort the merge?", "Abort the merge")
        self.page.get_by_text("Nothing has changed.").wait_for()

    def test_on_a_phone(self):
        self.place.changes()
        phone = world.browser.person(world.server, viewport=PHONE, scheme="dark", pair=False, locale="de-DE", has_touch=True, is_mobile=True)
        self.addCleanup(phone.close)
        page = phone.open(phone.link())
        page.get_by_role("heading", name="Sitzungen", exact=True).wait_for()
        page.goto(f"{world.server.url}/#/git/{self.place.project}")
        page.get_by_role("link", name="split.ts").wait_for()
        self.look(page, "the status on a phone")
        # This browser may look, but not change anything.
        page.get_by_text("Dieser Browser darf hier lesen").wait_for()
        self.assertEqual(page.get_by_role("button", name="Vormerken").count(), 0)
        page.get_by_role("link", name="split.ts").click()
        page.get_by_text("3_000").wait_for()
        self.look(page, "a difference on a phone")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        page.go_back()
        page.get_by_role("link", name="split.ts").wait_for()
        phone.check()


if __name__ == "__main__":
    unittest.main()
