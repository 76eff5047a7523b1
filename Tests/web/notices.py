"""Pushes to the service worker of a page, and the notifications that it shows."""

from web import wait_for


def deliver(text, page, worker, server):
    """Delivers a push as a push service would, with Chromium's debugging protocol, and returns when its notification is shown.

    Chromium forgets a notification if a page asks for the list between its storing and its showing. So nothing asks before."""
    worker.evaluate("""() => {
        const show = ServiceWorkerRegistration.prototype.showNotification
        self.isShown = false
        self.registration.showNotification = async (...given) => {
            await show.apply(self.registration, given)
            self.isShown = true
        }
    }""")
    session = page.context.new_cdp_session(page)
    found = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    wait_for(lambda: page.evaluate("1") and found, "the registration is told")
    session.send("ServiceWorker.deliverPushMessage", {
        "origin": server.url, "registrationId": found[0]["registrationId"], "data": text})
    session.detach()
    wait_for(lambda: worker.evaluate("self.isShown"), "the notification is shown")
