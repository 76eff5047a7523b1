"""The status of a repository in the web app, with a real agent: what differs, staging, discarding, committing."""

import unittest

import workspace
from repository import RepositoryCase, World
from web import wait_for


def setUpModule():
    global world
    world = World()


def tearDownModule():
    world.end()


class Status(RepositoryCase):
    def test_staging_is_asked_about_once_and_taken_back(self):
        self.go()
        self.area("Staged").get_by_role("link", name="README.md").wait_for()
        self.area("New").get_by_role("link", name="new.ts").wait_for()
        self.button("Stage: src/new.ts").click()
        self.agree("Stage src/new.ts?", "Stage")
        self.area("Staged").get_by_role("link", name="new.ts").wait_for()
        self.button("Stage: src/tax.ts").click()
        self.area("Staged").get_by_role("link", name="tax.ts").wait_for()
        self.assertEqual(self.staged(), ["README.md", "src/new.ts", "src/tax.ts"])
        # The machine tells of the change before git has answered, and one change is made at a time.
        self.page.get_by_role("status").filter(has_text="Staged: src/tax.ts").wait_for()
        self.button("Unstage all").click()
        self.area("Staged").wait_for(state="detached")
        self.assertEqual(self.staged(), [])

    def test_a_change_is_staged_and_another_discarded_and_brought_back(self):
        self.go("?area=unstaged&file=src/split.ts")
        self.page.get_by_text("3_000").wait_for()
        self.look(self.page, "a difference")
        self.button("Stage: change at line 3 of src/split.ts").click()
        self.agree("Stage change at line 3 of src/split.ts?", "Stage")
        self.page.get_by_text("3_000").wait_for(state="detached")
        diff = self.place.git("diff", "--cached", "src/split.ts")
        self.assertIn("3_000", diff)
        self.assertNotIn("36_000", diff)
        self.button("Discard: change at line 36 of src/split.ts").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_text("you can undo this for 30 days").wait_for()
        dialog.get_by_role("button", name="Discard").click()
        self.page.get_by_text("This file no longer differs there.").wait_for()
        self.assertNotIn("36_000", (self.place.root / "src/split.ts").read_text())
        self.area("Discarded here").get_by_role("button", name="Undo").click()
        self.agree("Bring back change at line 36 of src/split.ts?", "Undo")
        wait_for(lambda: "36_000" in (self.place.root / "src/split.ts").read_text(), "the change")
        self.area("Discarded here").wait_for(state="detached")

    def test_new_files_come_back_too(self):
        self.go()
        self.button("Discard: src/new.ts").click()
        self.agree("Discard src/new.ts?", "Discard")
        wait_for(lambda: not (self.place.root / "src/new.ts").exists(), "no file")
        self.page.locator(".toast").get_by_role("button", name="Undo").click()
        self.agree("Bring back src/new.ts?", "Undo")
        self.assertEqual((self.place.root / "src/new.ts").read_text(), "export const fresh = true\n")

    def test_a_file_that_changed_meanwhile_is_shown_again(self):
        self.go("?area=unstaged&file=src/split.ts")
        self.page.get_by_text("3_000").wait_for()
        self.button("Discard: change at line 3 of src/split.ts").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Discard").wait_for()
        # The question is about what was shown when it was asked; the page itself follows the file.
        text = (self.place.root / "src/split.ts").read_text()
        self.place.write("src/split.ts", text.replace("3_000", "4_000"))
        dialog.get_by_role("button", name="Discard").click()
        dialog.get_by_text("The file has changed since it was shown.").wait_for()
        self.assertEqual(dialog.get_by_role("button", name="Try again").count(), 0)
        dialog.get_by_role("button", name="Close").click()
        self.page.get_by_text("4_000").wait_for()
        self.assertIn("4_000", (self.place.root / "src/split.ts").read_text())

    def test_a_commit_and_gits_own_words(self):
        hook = self.place.root / ".git/hooks/pre-commit"
        hook.write_text("#!/bin/sh\necho 'the linter <b>says no' >&2\nexit 1\n")
        hook.chmod(0o755)
        self.go()
        self.page.get_by_role("textbox", name="Commit message").fill("Sell many things")
        self.button("Commit 1 file").click()
        dialog = self.page.get_by_role("dialog", name="Commit 1 file to main?")
        dialog.get_by_role("button", name="Commit", exact=True).click()
        dialog.get_by_text("the linter <b>says no").wait_for()
        self.look(self.page, "words of git")
        dialog.get_by_role("button", name="Close").click()
        hook.unlink()
        self.button("Commit 1 file").click()
        self.agree("Commit 1 file to main?", "Commit")
        self.area("Staged").wait_for(state="detached")
        self.assertEqual(self.place.git("log", "-1", "--format=%s").strip(), "Sell many things")
        self.assertEqual(self.page.get_by_role("textbox", name="Commit message").input_value(), "")

    def test_another_tab_follows(self):
        self.go()
        self.area("Staged").wait_for()
        other = world.person.open(f"/#/git/{self.place.project}")
        self.addCleanup(other.close)
        other.get_by_role("region", name="Staged", exact=True).wait_for()
        self.button("Unstage all").click()
        self.agree("Unstage README.md?", "Unstage")
        other.get_by_role("region", name="Staged", exact=True).wait_for(state="detached")

    def test_what_is_done_in_a_terminal_is_shown(self):
        self.go()
        self.area("Staged").wait_for()
        self.place.git("restore", "--staged", "README.md")
        self.area("Staged").wait_for(state="detached")
        self.place.write("src/later.ts", "export const later = 1\n")
        self.area("New").get_by_text("later.ts").wait_for()

    def test_steps_and_sides(self):
        self.go("?area=unstaged&file=src/split.ts")
        self.page.get_by_text("36_000").wait_for()
        self.button("Side by side").click()
        self.page.locator(".diff.sides.chosen").first.wait_for()
        self.assertEqual(self.page.locator(".diff.sides.chosen").first.evaluate("(diff) => getComputedStyle(diff).display"), "grid")
        self.button("Unified").click()
        self.page.set_viewport_size({"width": 390, "height": 420})
        self.page.keyboard.press("n")
        wait_for(lambda: self.page.locator(".hunk").nth(1).bounding_box()["y"] < 420, "the next change is in view")
        # The next file follows the last change. Playwright's `page.url` may be old, so the page is asked.
        shown = lambda: self.page.evaluate("location.href")
        for _ in range(4):
            if "tax.ts" in shown():
                break
            self.button("Next change").click()
        self.assertIn("tax.ts", shown())

    def test_a_long_difference_is_drawn_where_it_is_seen(self):
        lines = [f"export const line{number} = {number}\n" for number in range(4000)]
        self.place.write("src/long.ts", "".join(lines))
        self.place.git("add", "src/long.ts")
        for number in range(3, 4000, 10):
            lines[number] = f"export const next{number} = {number}\n"
        self.place.write("src/long.ts", "".join(lines))
        self.go("?area=unstaged&file=src/long.ts")
        self.page.get_by_text("next3", exact=True).wait_for()
        hunks = self.page.locator(".hunk")
        self.assertEqual(hunks.count(), 400)
        self.assertLess(self.page.locator(".hunk .diff").count(), 100)
        hunks.last.scroll_into_view_if_needed()
        self.page.get_by_text("next3993", exact=True).wait_for()
        self.look(self.page, "the end of a long difference")
        self.button("Stage: change at line 3994 of src/long.ts").click()
        self.agree("Stage change at line 3994 of src/long.ts?", "Stage")
        self.page.get_by_text("next3993", exact=True).wait_for(state="detached")
        staged = self.place.git("show", ":src/long.ts")
        self.assertIn("next3993", staged)
        self.assertNotIn("next3983", staged)


class Untrusted(unittest.TestCase):
    def test_a_directory_that_nobody_trusts_is_only_read(self):
        place = workspace.Place(world.server, "stranger", is_trusted=False)
        self.addCleanup(place.close)
        place.repository()
        place.changes()
        page = world.person.page
        page.goto("about:blank")
        page.goto(f"{world.server.url}/#/git/{place.project}")
        page.get_by_text("Nobody has trusted this directory on its machine").wait_for()
        page.get_by_role("region", name="New", exact=True).wait_for()
        self.assertEqual(page.get_by_role("button", name="Stage all").count(), 0)

    def test_no_repository_and_none_allowed(self):
        place = workspace.Place(world.server, "empty")
        self.addCleanup(place.close)
        page = world.person.page
        page.goto("about:blank")
        page.goto(f"{world.server.url}/#/git/{place.project}")
        page.get_by_role("button", name="Make a repository").click()
        page.get_by_role("dialog").get_by_role("button", name="Make a repository").click()
        page.get_by_text("Nothing has changed.").wait_for()
        place.allow("files=read git=off")
        page.get_by_role("button", name="Refresh").click()
        page.get_by_text("empty does not allow that.").wait_for()
        page.get_by_text("git=read into the file").wait_for()


if __name__ == "__main__":
    unittest.main()
