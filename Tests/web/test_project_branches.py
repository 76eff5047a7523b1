"""Branches, worktrees and remotes of a repository in the web app, with a real agent: merging, deleting, following, fetching."""

import re
import unittest

from repository import RepositoryCase, World
from web import PHONE, wait_for


def setUpModule():
    global world
    world = World()


def tearDownModule():
    world.end()


# The buttons and fields of the view that are lower than a finger needs.
LOW = """() => [...document.querySelectorAll("main.workspace :is(button, select, input[type=text])")]
    .filter((one) => one.checkVisibility() && Math.round(one.getBoundingClientRect().height) < 44).map((one) => one.outerHTML)"""


class WithBranches(RepositoryCase):
    changes = False

    def branch(self, name, file, text):
        """A branch of its own, with a commit that main does not have."""
        self.place.git("checkout", "-qb", name, "main~1")
        self.place.write(file, text)
        self.place.git("add", "-A")
        self.place.git("commit", "-qm", f"Begin {name}")
        self.place.git("checkout", "-q", "main")

    def branches(self):
        return self.place.git("branch", "--format=%(refname:short)").split()

    def origin(self, name="origin"):
        """A bare repository beside the project, with main and discounts."""
        path = self.place.agent.root / f"{name}.git"
        self.place.git("init", "-q", "--bare", str(path))
        self.place.git("push", "-q", str(path), "main", "discounts")
        return path

    def more(self, branch, act):
        self.button(f"More for {branch}").click()
        acts = self.page.get_by_role("group", name=f"More for {branch}", exact=True)
        acts.get_by_role("button", name=act, exact=True).click()


class Branches(WithBranches):
    def test_a_branch_is_merged(self):
        self.branch("refunds", "src/refund.ts", "export const refund = 1\n")
        self.go("?tab=branches")
        self.button("More for refunds").click()
        self.look(self.page, "what can be done with a branch")
        self.button("Merge into main").click()
        self.agree("Merge refunds into main?", "Merge")
        self.assertTrue((self.place.root / "src/refund.ts").exists())
        self.assertEqual(len(self.place.git("rev-list", "--parents", "-1", "HEAD").split()), 3)

    def test_a_merge_with_conflicts_leads_to_them_and_is_aborted(self):
        self.branch("other", "README.md", "# Other\n")
        self.place.write("README.md", "# Mine\n")
        self.place.git("commit", "-qam", "Mine")
        self.go("?tab=branches")
        self.more("other", "Merge into main")
        dialog = self.page.get_by_role("dialog", name="Merge other into main?")
        dialog.get_by_role("button", name="Merge", exact=True).click()
        dialog.get_by_text("Files are in conflict:").wait_for()
        dialog.get_by_text("CONFLICT (content): Merge conflict in README.md").wait_for()
        self.look(self.page, "a merge with conflicts")
        dialog.get_by_role("link", name="To the files in conflict").click()
        self.area("In conflict").get_by_role("link", name="README.md").wait_for()
        self.button("Abort the merge").click()
        self.agree("Abort the merge?", "Abort the merge")
        self.page.get_by_text("Nothing has changed.").wait_for()
        self.assertEqual((self.place.root / "README.md").read_text(), "# Mine\n")

    def test_a_merge_that_git_refuses_has_gits_own_words(self):
        self.branch("other", "README.md", "# Other\n")
        self.place.write("README.md", "# Not committed\n")
        self.go("?tab=branches")
        self.more("other", "Merge into main")
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Merge", exact=True).click()
        dialog.get_by_text("would be overwritten by merge").wait_for()
        self.assertEqual(dialog.get_by_role("link", name="To the files in conflict").count(), 0)
        dialog.get_by_role("button", name="Close").click()
        self.assertEqual((self.place.root / "README.md").read_text(), "# Not committed\n")

    def test_a_merged_branch_is_deleted(self):
        self.go("?tab=branches")
        self.more("discounts", "Delete")
        self.agree("Delete discounts?", "Delete")
        self.area("Branches").get_by_role("link", name="discounts").wait_for(state="detached")
        self.assertEqual(self.branches(), ["main"])

    def test_commits_are_lost_only_after_a_second_question(self):
        self.branch("refunds", "src/refund.ts", "export const refund = 1\n")
        self.go("?tab=branches")
        self.more("refunds", "Delete")
        dialog = self.page.get_by_role("dialog", name="Delete refunds?")
        further = dialog.get_by_role("button", name="Delete with its commits…")
        dialog.get_by_role("button", name="Delete", exact=True).wait_for()
        self.assertEqual(further.count(), 0)
        dialog.get_by_role("button", name="Delete", exact=True).click()
        dialog.get_by_text("is not fully merged").wait_for()
        self.look(self.page, "a branch that git does not delete")
        further.click()
        second = self.page.get_by_role("dialog", name="Delete refunds and its commits?")
        second.get_by_role("button", name="Cancel").click()
        second.wait_for(state="detached")
        self.assertIn("refunds", self.branches())
        self.button("Delete").click()
        dialog.get_by_role("button", name="Delete", exact=True).click()
        further.click()
        self.agree("Delete refunds and its commits?", "Delete with its commits")
        self.assertNotIn("refunds", self.branches())

    def test_a_branch_in_use_elsewhere_is_no_second_question(self):
        self.place.git("worktree", "add", "-q", "-b", "fix", str(self.place.agent.root / "shop-fix"))
        self.go("?tab=branches")
        trees = self.area("Worktrees")
        trees.get_by_text(str(self.place.agent.root / "shop-fix")).wait_for()
        self.assertEqual(trees.get_by_role("listitem").filter(has_text="this one").count(), 1)
        self.look(self.page, "worktrees")
        self.more("fix", "Delete")
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Delete", exact=True).click()
        dialog.get_by_text("shop-fix").wait_for()
        self.assertEqual(dialog.get_by_role("button", name=re.compile("commits")).count(), 0)
        dialog.get_by_role("button", name="Close").click()
        self.assertIn("fix", self.branches())

    def test_a_branch_follows_another(self):
        self.place.git("remote", "add", "origin", str(self.origin()))
        self.place.git("fetch", "-q", "origin")
        self.go("?tab=branches")
        self.button("More for main").click()
        target = self.page.get_by_role("combobox", name="Branch that main follows")
        self.assertEqual(target.input_value(), "origin/main")
        target.select_option("origin/discounts")
        self.button("Follow").click()
        self.agree("Let main follow origin/discounts?", "Follow")
        self.area("Branches").get_by_role("link", name="→ origin/discounts").wait_for()
        self.assertEqual(self.place.git("rev-parse", "--abbrev-ref", "main@{upstream}").strip(), "origin/discounts")


class Remotes(WithBranches):
    address = "https://git.example.com/shop.git"

    def instead(self, path):
        """The address leads to a directory, as a person's own settings can say."""
        with open(self.place.agent.home / ".gitconfig", "a", encoding="utf-8") as file:
            file.write(f'[url "{path}"]\n\tinsteadOf = {self.address}\n')

    def add(self, name, address):
        self.page.get_by_role("textbox", name="Name of the remote").fill(name)
        self.page.get_by_role("textbox", name="Address of the remote").fill(address)
        self.button("Add").click()
        return self.page.get_by_role("dialog", name=f"Add {name}?")

    def test_a_remote_is_added_fetched_from_and_removed(self):
        origin = self.origin()
        self.instead(origin)
        self.go("?tab=remotes")
        self.page.get_by_text("There is no remote yet.").wait_for()
        self.add("origin", self.address)
        self.agree("Add origin?", "Add")
        remotes = self.page.get_by_role("list", name="Remotes")
        remotes.get_by_text("2 branches").wait_for()
        remotes.get_by_text(self.address).wait_for()
        self.look(self.page, "remotes")
        self.assertEqual(self.place.git("config", "remote.origin.url").strip(), self.address)
        self.place.git("push", "-q", str(origin), "main:later")
        self.button("Fetch from origin").click()
        self.agree("Fetch from origin?", "Fetch")
        remotes.get_by_text("3 branches").wait_for()
        self.button("Remove origin").click()
        self.agree("Remove origin?", "Remove")
        self.page.get_by_text("There is no remote yet.").wait_for()
        self.assertEqual(self.place.git("remote"), "")

    def test_what_cannot_be_fetched_is_added_and_said(self):
        self.instead(self.place.agent.root / "nothing.git")
        self.go("?tab=remotes")
        dialog = self.add("origin", self.address)
        dialog.get_by_role("button", name="Add", exact=True).click()
        dialog.get_by_text("Added, but not fetched:").wait_for()
        dialog.get_by_text("does not appear to be a git repository").wait_for()
        dialog.get_by_role("button", name="Close").click()
        self.page.get_by_role("list", name="Remotes").get_by_text("origin", exact=True).wait_for()

    def test_an_address_of_the_machine_is_refused_in_words(self):
        self.go("?tab=remotes")
        dialog = self.add("disk", str(self.origin()))
        dialog.get_by_role("button", name="Add", exact=True).click()
        dialog.get_by_text("must begin with https://").wait_for()
        dialog.get_by_role("button", name="Close").click()
        self.assertEqual(self.place.git("remote"), "")

    def test_what_the_machine_does_not_allow_is_said_in_words(self):
        self.place.git("remote", "add", "origin", str(self.origin()))
        self.place.allow("files=read git=read")
        self.go("?tab=remotes")
        self.button("Remove origin").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Remove", exact=True).click()
        dialog.get_by_text("does not allow that.").wait_for()
        dialog.get_by_text("write git=write into the file").wait_for()
        self.look(self.page, "what a machine does not allow")
        dialog.get_by_role("button", name="Close").click()
        self.place.allow("files=read git=write")
        self.go()
        self.button("Push").click()
        dialog.get_by_role("button", name="Push", exact=True).click()
        dialog.get_by_text("write git=push into the file").wait_for()
        dialog.get_by_role("button", name="Close").click()
        self.place.allow("files=read git=off")
        self.go("?tab=remotes")
        self.page.get_by_text("write git=read into the file").wait_for()


class Phone(WithBranches):
    def test_branches_and_remotes_on_a_phone(self):
        self.place.git("remote", "add", "origin", str(self.origin()))
        self.place.git("fetch", "-q", "origin")
        before = {device["id"] for device in world.server.get("/v1/devices").json["devices"]}
        phone = world.browser.person(world.server, viewport=PHONE, scheme="dark", pair=False, locale="de-DE", has_touch=True, is_mobile=True)
        self.addCleanup(phone.close)
        page = phone.open(phone.link())
        page.get_by_role("heading", name="Sitzungen", exact=True).wait_for()
        after = {device["id"] for device in world.server.get("/v1/devices").json["devices"]}
        world.server.control("device", "grant", str(*(after - before)), "control")
        page.reload()
        page.goto(f"{world.server.url}/#/git/{self.place.project}?tab=branches")
        page.get_by_role("button", name="Mehr zu discounts", exact=True).tap()
        acts = page.get_by_role("group", name="Mehr zu discounts", exact=True)
        acts.get_by_role("button", name="In main mergen").wait_for()
        acts.get_by_role("combobox", name="Branch, dem discounts folgt").wait_for()
        self.look(page, "branches on a phone")
        self.assertEqual(page.evaluate(LOW), [])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        acts.get_by_role("button", name="Löschen").tap()
        dialog = page.get_by_role("dialog", name="discounts löschen?")
        dialog.wait_for()
        self.look(page, "a question on a phone")
        dialog.get_by_role("button", name="Löschen", exact=True).tap()
        wait_for(lambda: self.branches() == ["main"], "no branch")
        dialog.wait_for(state="detached")
        page.goto(f"{world.server.url}/#/git/{self.place.project}?tab=remotes")
        page.get_by_role("button", name="Von origin holen", exact=True).wait_for()
        self.look(page, "remotes on a phone")
        self.assertEqual(page.evaluate(LOW), [])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        phone.check()


if __name__ == "__main__":
    unittest.main()
