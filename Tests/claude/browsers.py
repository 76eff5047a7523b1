"""The real client in a terminal, and a person who sees and answers it in the web app, in a browser."""

import contextlib
import re
import sys
from pathlib import Path

from answers import QUESTIONS, Talk, touch
from messages_api import Turn, call
from monitor import wait_until
from terminal import ENTER, ESCAPE

sys.path.append(str(Path(__file__).resolve().parent.parent / "web"))
from web import PHONE, Browser  # noqa: E402


@contextlib.contextmanager
def reader(bench, name, **options):
    """A signed-in page. At the end, it must have violated no policy and thrown no error; then its browser is unpaired."""
    with Browser() as browser:
        person = browser.person(bench.monitor, **options)
        try:
            yield person.page
            person.check()
        except Exception:
            person.page.screenshot(path=bench.directory / f"{name}.png")
            raise
        finally:
            person.sign_out()
            person.close()


def session_of(page, talk):
    """The session in the list, whatever its state is."""
    return page.locator(f"[role=listitem][data-session='{talk.session()}']")


def card_of(page, name):
    return page.get_by_role("article", name=re.compile(name))


def answered_there(bench, outcome):
    """a page in a browser: a session starts, works, asks, is answered in the page, and continues to its end"""
    project = bench.directory / "page" / "project"

    def prepare():
        (project / "work").write_text("#!/bin/sh\nuntil [ -e done ]; do sleep 0.2; done\n")
        (project / "work").chmod(0o755)

    work = Turn(tools=[call("Bash", command="./work", description="a long task")], before=prepare)
    ask = Turn(tools=[call("AskUserQuestion", questions=QUESTIONS)])
    with reader(bench, "page") as page, \
            Talk(bench, outcome, "page", work, touch("two"), ask, Turn(text="The page has answered."),
                 arguments=("--allowedTools", "Bash(./work)", "--")) as talk:
        session = session_of(page, talk)
        session.get_by_text(re.compile(r"Bash \./work")).wait_for()
        session.get_by_text(", Working").wait_for(state="attached")
        (project / "done").touch()
        card = card_of(page, "^Bash: touch two")
        card.get_by_text("a file").wait_for()
        card.get_by_role("button", name="Allow once").click()
        wait_until(20, "the command is run", lambda: talk.made("two"))
        card.wait_for(state="detached")
        card = card_of(page, "^Question: Which database")
        card.get_by_role("radio", name="SQLite").check()
        card.get_by_role("checkbox", name="iPhone").check()
        card.get_by_role("checkbox", name="Mac").check()
        card.get_by_role("button", name="Send answer").click()
        wait_until(20, "the answers", lambda: "iPhone, Mac" in bench.api.told("page"))
        talk.finish()
        card.wait_for(state="detached")
        session.get_by_text("The page has answered.").wait_for()
        session.get_by_role("link").click()
        timeline = page.get_by_role("region", name="Timeline")
        timeline.get_by_text("The page has answered.").wait_for()
        timeline.get_by_text("touch two").wait_for()
        asked = [prompt for prompt in talk.device.prompts(talk.session()) if prompt.get("tool_name")]
        outcome.expect(len(asked) == 2, f"{len(asked)} prompts, not two")
        for prompt in asked:
            talk.expect_prompt(prompt, "answered", "allow", "device", "applied")
        talk.leave()
        page.get_by_text(re.compile("^Ended: ")).wait_for()


def answered_at_the_terminal(bench, outcome):
    """a card that is open in a browser while its prompt is answered at the terminal: yes, then Esc"""
    with reader(bench, "beside", viewport=PHONE) as page, \
            Talk(bench, outcome, "beside", touch("one"), Turn(text="Made."), touch("two")) as talk:
        first = card_of(page, "^Bash: touch one")
        first.get_by_role("button", name="Allow once").wait_for()
        wait_until(10, "the dialog", lambda: b"Yes" in talk.terminal.shown)
        page.wait_for_timeout(500)
        talk.terminal.press(ENTER)
        first.get_by_text("allowed by the terminal").wait_for()
        outcome.expect(first.get_by_role("button", name="Allow once").count() == 0, "the card can still be answered")
        talk.finish()
        first.wait_for(state="detached")
        talk.terminal.press(b"Again.")
        wait_until(10, "the prompt is typed", lambda: b"Again" in talk.terminal.shown)
        talk.terminal.press(ENTER)
        second = card_of(page, "^Bash: touch two")
        second.get_by_role("button", name="Deny").wait_for()
        page.wait_for_timeout(500)
        talk.terminal.press(ESCAPE)
        second.get_by_text("denied by the terminal").wait_for()
        second.wait_for(state="detached")
        outcome.expect((talk.made("one"), talk.made("two")) == (True, False), "wrong files were made")
        talk.leave()


def spoken_there(bench, outcome):
    """a message typed in a browser reaches the idle terminal, and the page shows that"""
    with reader(bench, "typed") as page, \
            Talk(bench, outcome, "typed", Turn(text="First."), Turn(text="As the page wishes.")) as talk:
        talk.finish()
        page.goto(f"{bench.monitor.url}/#/s/{talk.session()}")
        box = page.get_by_role("textbox", name="Message")
        box.fill("Also update the README, \"please\" é.")
        box.press("Enter")
        wait_until(30, "the message", lambda: bench.count(talk.machine, "UserPromptSubmit") >= 2)
        prompts = [hook["prompt"] for _, hook in talk.machine.recorded() if hook["hook_event_name"] == "UserPromptSubmit"]
        outcome.expect(prompts[1:] == ["Also update the README, \"please\" é."], f"the client was told {prompts}")
        page.locator(".message").get_by_text("read", exact=True).wait_for()
        outcome.expect(box.input_value() == "", "the box is not empty after sending")
        talk.finish(2)
        timeline = page.get_by_role("region", name="Timeline")
        timeline.get_by_text("Also update the README").wait_for()
        timeline.get_by_text("As the page wishes.").wait_for()
        talk.leave()
        box.wait_for(state="detached")


ALL = [answered_there, answered_at_the_terminal, spoken_there]
