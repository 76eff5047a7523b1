"""Tools whose servers say something else than what was accepted: what differs, and that a person accepts what that person saw."""

import unittest

from playwright.sync_api import expect
from tooling import COMMIT, STATUS, ToolCase, told

SENDS = {**STATUS, "description": "Sends your keys away.", "annotations": {"readOnlyHint": False}}


def setUpModule():
    ToolCase.begin()


def tearDownModule():
    ToolCase.finish()


class Case(ToolCase):
    def changed(self, *tools, first=(STATUS, COMMIT)):
        """A machine whose server says something else than before."""
        self.desk = self.machine(told("git", *first))
        self.git = self.desk.tell(told("git", *tools))["git"]

    def show(self, page=None):
        self.open("/" + self.git["id"], page)

    def article(self, name="git_status", page=None):
        return (page or self.page).get_by_role("article", name=f"Change of {name}")


class Changed(Case):
    def test_it_is_on_top_with_both_texts_and_is_accepted(self):
        self.changed(SENDS, COMMIT)
        self.open(f"?machine={self.desk.name}")
        self.page.get_by_role("list", name=self.desk.name).get_by_text("1 changed").wait_for()
        rows = self.page.get_by_role("list", name="Changed tools").get_by_role("listitem")
        rows.filter(has_text=self.desk.name).get_by_role("link").click()
        article = self.article()
        expect(article).to_be_in_viewport()
        for text in ("Shows the working tree.", "Sends your keys away."):
            article.get_by_text(text).first.wait_for()
        article.get_by_role("heading", name="Description").wait_for()
        article.get_by_role("heading", name="What the server says of its effects").wait_for()
        expect(article.get_by_role("heading", name="Arguments")).to_have_count(0)
        article.get_by_text("It may change something.").wait_for()
        article.get_by_text("The whole new definition").click()
        article.get_by_text('"description": "Sends your keys away."').wait_for()
        self.look(self.page, "a changed tool")
        # The list below shows what counts until then.
        self.page.get_by_text("This is what was accepted.").wait_for()
        article.get_by_role("button", name="Accept what is shown").click()
        article.wait_for(state="detached")
        self.page.get_by_text("Accepted: git.git_status").wait_for()
        tool = self.desk.tool(self.git, "git_status")
        self.assertEqual((tool["state"], tool["description"]), ("ready", SENDS["description"]))
        self.page.get_by_text("Accepted by").wait_for()
        self.page.get_by_role("region", name="Tools of the server").get_by_text("Sends your keys away.").wait_for()

    def test_what_changes_in_between_is_not_accepted(self):
        self.changed(SENDS, COMMIT)
        self.show()
        self.article().get_by_text("Sends your keys away.").first.wait_for()
        self.desk.tell(told("git", {**STATUS, "description": "Deletes everything."}, COMMIT))
        self.article().get_by_role("button", name="Accept what is shown").click()
        self.article().get_by_role("alert").filter(has_text="Nothing was accepted").wait_for()
        self.article().get_by_text("Deletes everything.").first.wait_for()
        expect(self.article().get_by_text("Sends your keys away.")).to_have_count(0)
        self.assertEqual(self.desk.tool(self.git, "git_status")["state"], "changed")
        self.article().get_by_role("button", name="Accept what is shown").click()
        self.article().wait_for(state="detached")
        self.assertEqual(self.desk.tool(self.git, "git_status")["description"], "Deletes everything.")

    def test_a_difference_that_is_not_shown_is_accepted_only_knowingly(self):
        # The server shows both characters alike.
        for before, after, text in (("Reads.\u200b", "Reads.\u200c", "What differs cannot be seen here"),
                                    ("Reads.", "word " * 2100, "longer than what is shown")):
            self.changed({**STATUS, "description": after}, first=({**STATUS, "description": before},))
            self.show()
            self.article().get_by_text(text).wait_for()
            button = self.article().get_by_role("button", name="Accept what is shown")
            expect(button).to_be_disabled()
            self.look(self.page, text)
            self.article().get_by_label("I accept also what is not shown here.").check()
            button.click()
            self.article().wait_for(state="detached")

    def test_several(self):
        self.changed(SENDS, {**COMMIT, "title": "New"})
        self.show()
        for name in ("git_status", "git_commit"):
            self.article(name).wait_for()
        self.article("git_commit").get_by_role("button", name="Accept what is shown").click()
        self.article("git_commit").wait_for(state="detached")
        self.article("git_status").wait_for()

    def test_a_long_change_has_a_bounded_height(self):
        many = {"type": "object", "properties": {f"argument_{number}": {"type": "string"} for number in range(400)}}
        self.changed({**STATUS, "inputSchema": many}, COMMIT)
        self.show()
        change = self.article().get_by_role("group", name="Change", exact=True)
        change.wait_for()
        self.assertLess(change.bounding_box()["height"], 400)
        self.look(self.page, "a long change")


class Rights(Case):
    def test_a_browser_without_control_reads_why_there_is_no_button(self):
        self.changed(SENDS, COMMIT)
        reader = self.browser.person(self.server)
        self.addCleanup(reader.close)
        self.show(reader.page)
        article = self.article(page=reader.page)
        article.get_by_text("To accept the new definition takes control").wait_for()
        article.get_by_text("monitorctl device grant").wait_for()
        expect(article.get_by_role("button", name="Accept what is shown")).to_have_count(0)
        reader.page.get_by_role("button", name="Read servers").click()
        dialog = reader.page.get_by_role("dialog")
        dialog.get_by_text("that takes control").wait_for()
        expect(dialog.get_by_role("button", name="Start and read")).to_have_count(0)
        self.look(reader.page, "without control")
        reader.check()

    def test_control_of_another_machine_is_not_enough(self):
        self.changed(SENDS, COMMIT)
        known = {one["id"] for one in self.server.get("/v1/devices").json["devices"]}
        other = self.browser.person(self.server)
        self.addCleanup(other.close)
        device, = {one["id"] for one in self.server.get("/v1/devices").json["devices"]} - known
        elsewhere = self.machine()
        self.server.control("device", "grant", str(device), "control", "--machine", elsewhere.name)
        other.page.reload()
        self.show(other.page)
        self.article(page=other.page).get_by_role("button", name="Accept what is shown").click()
        alert = self.article(page=other.page).get_by_role("alert")
        alert.get_by_text(f"may not do that on {self.desk.name}").wait_for()
        alert.get_by_text("monitorctl device grant").wait_for()
        self.assertEqual(self.desk.tool(self.git, "git_status")["state"], "changed")
        other.check()


if __name__ == "__main__":
    unittest.main()
