import EventModel
import JSON
import Testing

@testable import Sessions

/// What the server's own events do to prompts, and what hooks show of answers.
struct PromptSettlingTests {
    private let id = Prompt.id(EventID(high: 0, low: 0))

    private func update(
        _ step: String,
        of id: String,
        at seconds: Int64,
        number: UInt64,
        type: EventType = .promptUpdated,
        answer: PromptAnswer? = nil,
        device: String? = nil,
        phase: Prompt.Phase? = nil
    ) -> MonitorEvent {
        var event = Story.event(.stop, at: seconds, id: 1000 + number)
        (event.type, event.hookEventName) = (type, nil)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("prompt_id", id)
        writer.field("step", step)
        writer.field("device_id", device)
        writer.field("phase", phase?.rawValue)
        if let answer {
            writer.key("answer")
            answer.write(to: &writer)
        }
        writer.endObject()
        event.payload = writer.bytes
        return event
    }

    private func answer(_ decision: Prompt.Decision, at seconds: Int64, id: String = "a-1") -> PromptAnswer {
        PromptAnswer(
            id: id,
            decision: decision,
            answerer: .device,
            deviceID: "7",
            name: "phone",
            at: Story.time(seconds)
        )
    }

    private func opened() -> Story {
        var story = Story()
        story.add(.permissionRequest, at: 10, tool: "Bash", input: 1)
        return story
    }

    private func changes(_ story: inout Story, _ event: MonitorEvent) -> [PromptChange] { story.take(event) }

    @Test("a device's answer closes the prompt, and the call's result shows that it was applied")
    func applied() throws {
        var story = opened()
        #expect(try story.session.state == .waiting)
        let closed = changes(&story, update("answered", of: id, at: 20, number: 1, answer: answer(.allow, at: 20)))
        let prompt = try #require(closed.closed.first)
        #expect(prompt.state == .answered && prompt.answeredBy == .device && prompt.answer?.outcome == nil)
        #expect(prompt.phase == .closed)
        #expect(try story.session.state == .running && story.session.waitingFor == nil)
        let settled = story.change(.postToolUse, at: 30, tool: "Bash", input: 1).settled
        #expect(settled.first?.answer?.outcome == .applied && settled.first?.phase == .settled)
        #expect(settled.first?.steps.map(\.name) == ["answered", "applied"])
        #expect(story.fold.prompts.settling.isEmpty)
    }

    @Test("the start of a plan's call that arrives after the answer opens no other prompt, and its id decides")
    func startAfterTheAnswer() throws {
        var story = Story()
        story.add(.permissionRequest, at: 10, tool: "ExitPlanMode", input: 1)
        _ = changes(&story, update("answered", of: id, at: 20, number: 1, answer: answer(.allow, at: 20)))
        let late = story.change(.preToolUse, at: 10, tool: "ExitPlanMode", input: 1) { $0.facts.toolUseID = "t1" }
        #expect(late.opened == nil && story.fold.prompts.open.isEmpty)
        let settled = story.change(.postToolUse, at: 30, tool: "ExitPlanMode", input: 2) { event in
            event.facts.toolUseID = "t1"
        }.settled
        #expect(settled.first?.answer?.outcome == .applied)
    }

    @Test("a result after a refusal, or an end of the turn after a permission, overrules the answer")
    func overruled() throws {
        var denied = opened()
        _ = changes(&denied, update("answered", of: id, at: 20, number: 1, answer: answer(.deny, at: 20)))
        let ran = try #require(denied.change(.postToolUse, at: 30, tool: "Bash", input: 1).settled.first)
        #expect(ran.answer == nil && ran.answeredBy == .terminal && ran.decision == .allow && ran.phase == .settled)
        #expect(ran.lateAnswers.map(\.id) == ["a-1"] && ran.lateAnswers.first?.outcome == .late)
        var allowed = opened()
        _ = changes(&allowed, update("answered", of: id, at: 20, number: 1, answer: answer(.allow, at: 20)))
        let stopped = try #require(allowed.change(.stop, at: 30).settled.first)
        #expect(stopped.answer == nil && stopped.decision == nil && stopped.lateAnswers.count == 1)
    }

    @Test("a refusal is applied when the batch is over; events of other agents say nothing")
    func refused() throws {
        var story = opened()
        _ = changes(&story, update("answered", of: id, at: 20, number: 1, answer: answer(.deny, at: 20)))
        #expect(story.change(.postToolBatch, at: 25, agent: "other").settled.isEmpty)
        #expect(story.change(.postToolBatch, at: 30).settled.first?.answer?.outcome == .applied)
    }

    @Test("a person's No at the terminal closes the prompt, and overrules an answer on its way")
    func withdrawn() throws {
        var story = opened()
        let closed = try #require(changes(&story, update("withdrawn", of: id, at: 20, number: 1)).closed.first)
        #expect(closed.state == .answered && closed.answeredBy == .terminal && closed.decision == .deny)
        var raced = opened()
        _ = changes(&raced, update("answered", of: id, at: 20, number: 1, answer: answer(.allow, at: 20)))
        let late = try #require(changes(&raced, update("withdrawn", of: id, at: 21, number: 2)).settled.first)
        #expect(late.answer == nil && late.decision == .deny && late.lateAnswers.count == 1)
    }

    @Test("a No or Esc at the main agent's dialog ends its turn, whatever the machine's clock says")
    func turnThatIsOver() throws {
        for offset in [Int64(2), 1000, -1000] {
            var story = opened()
            if offset == 2 {
                let given = answer(.allow, at: 11)
                _ = changes(&story, update("answered", of: id, at: 11, number: 1, answer: given))
            }
            _ = changes(&story, update("withdrawn", of: id, at: 10 + offset, number: 2))
            #expect(try story.session.state == .idle)
            story.add(.userPromptSubmit, at: 12)
            #expect(try story.session.state == .running)
        }
        var agents = Story()
        agents.add(.userPromptSubmit, at: 5)
        agents.add(.permissionRequest, at: 10, tool: "Bash", input: 1, agent: "a1")
        let asked = try #require(agents.fold.prompts.open.first)
        _ = changes(&agents, update("withdrawn", of: asked.id, at: 20, number: 1))
        #expect(try agents.session.state == .running)
        var answered = opened()
        _ = changes(&answered, update("dismissed", of: id, at: 20, number: 1))
        #expect(try answered.session.state == .running)
    }

    @Test("the end of the turn that a device's refusal asked for shows that it was applied")
    func interruptingRefusal() throws {
        for decision in [Prompt.Decision.deny, .allow] {
            var story = opened()
            _ = changes(&story, update("answered", of: id, at: 20, number: 1, answer: answer(decision, at: 20)))
            let ended = changes(&story, update("interrupted", of: id, at: 21, number: 2, type: .sessionInterrupted))
            #expect(ended.settled.first?.answer?.outcome == (decision == .deny ? .applied : nil))
            #expect(story.fold.prompts.settling.isEmpty == (decision == .deny))
            #expect(try story.session.state == .idle)
        }
    }

    @Test("a refusal that ends a subagent's work is applied, and the turn goes on")
    func interruptingRefusalOfAnAgent() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 5)
        story.add(.permissionRequest, at: 10, tool: "Bash", input: 1, agent: "a1")
        let id = try #require(story.fold.prompts.open.first?.id)
        _ = changes(&story, update("answered", of: id, at: 20, number: 1, answer: answer(.deny, at: 20)))
        let ended = changes(&story, update("interrupted", of: id, at: 21, number: 2))
        #expect(ended.settled.first?.answer?.outcome == .applied && ended.settled.first?.phase == .settled)
        #expect(try story.session.state == .running && story.fold.prompts.settling.isEmpty)
    }

    @Test("an answer at the terminal closes the prompt at once; what it was, the call shows", arguments: [true, false])
    func dismissed(isAllowed: Bool) throws {
        var story = opened()
        let closed = try #require(changes(&story, update("dismissed", of: id, at: 12, number: 1)).closed.first)
        #expect(closed.state == .answered && closed.answeredBy == .terminal && closed.decision == nil)
        let hook: HookEventName.Known = isAllowed ? .postToolUse : .postToolBatch
        let shown = story.change(hook, at: 30, tool: isAllowed ? "Bash" : nil, input: isAllowed ? 1 : nil)
        let prompt = try #require(shown.settled.first)
        #expect(prompt.decision == (isAllowed ? .allow : .deny) && prompt.phase == .settled)
        #expect(story.fold.prompts.settling.isEmpty)
    }

    @Test("an interrupted turn does not show what the terminal's answer was")
    func dismissedAndInterrupted() throws {
        var story = opened()
        _ = changes(&story, update("dismissed", of: id, at: 12, number: 1))
        #expect(story.change(.userPromptSubmit, at: 30).settled.isEmpty)
    }

    @Test("evidence of the terminal's answer corrects what was concluded from events, and a device's answer is late")
    func evidenceOfTheTerminal() throws {
        var story = opened()
        let ruled = try #require(story.change(.postToolUse, at: 11, tool: "Bash", input: 1).closed.first)
        #expect(ruled.answeredBy == .rule)
        let event = CommittedEvent(seq: 9, event: update("dismissed", of: id, at: 12, number: 1), workspaceID: nil)
        let dismissed = try #require(PromptUpdate(event))
        #expect(dismissed.applied(to: ruled)?.answeredBy == .terminal)
        #expect(dismissed.applied(to: ruled)?.decision == .allow)
        var refused = opened()
        let overtaken = try #require(refused.change(.postToolBatch, at: 14).closed.first)
        let corrected = try #require(dismissed.applied(to: overtaken))
        #expect(corrected.state == .answered && corrected.answeredBy == .terminal && corrected.decision == .deny)
        let withdrawn = update("withdrawn", of: id, at: 15, number: 3)
        let no = try #require(PromptUpdate(CommittedEvent(seq: 10, event: withdrawn, workspaceID: nil)))
        #expect(no.applied(to: overtaken)?.answeredBy == .terminal && no.applied(to: overtaken)?.decision == .deny)
        var raced = opened()
        _ = changes(&raced, update("answered", of: id, at: 11, number: 2, answer: answer(.deny, at: 11)))
        let late = try #require(changes(&raced, update("dismissed", of: id, at: 12, number: 1)).settled.first)
        #expect(late.answer == nil && late.answeredBy == .terminal && late.lateAnswers.count == 1)
        #expect(raced.change(.postToolUse, at: 20, tool: "Bash", input: 1).settled.first?.decision == .allow)
    }

    @Test("the notification of a dialog that a device or the waiting hook has closed opens nothing")
    func lateNotification() throws {
        for step in ["answered", "withdrawn", "dismissed", "expired"] {
            var story = opened()
            // The machine's clock is a minute behind: only the server's tells how soon it came.
            let given = step == "answered" ? answer(.allow, at: 76) : nil
            _ = changes(&story, update(step, of: id, at: 76, number: 1, answer: given))
            let notified = story.change(.notification, at: 16) { event in
                event.facts.detail = "permission_prompt"
                event.receivedAt = Story.time(77)
            }
            #expect(notified.isEmpty, "\(step)")
            #expect(try story.session.state == (step == "withdrawn" ? .idle : .running))
            let stored = PromptTracker(stored: try JSONValue.parse(json(story.fold.prompts)))
            #expect(stored == story.fold.prompts)
            // A dialog without a request of its own, later.
            let later = story.change(.notification, at: 60) { event in
                event.facts.detail = "permission_prompt"
                event.receivedAt = Story.time(120)
            }
            #expect(later.opened?.source == .dialog, "\(step)")
        }
    }

    private func json(_ tracker: PromptTracker) -> [UInt8] {
        var writer = JSONWriter()
        tracker.write(to: &writer)
        return writer.bytes
    }

    @Test("an interruption and the end of the process close prompts in every tracker")
    func signals() throws {
        for (type, state) in [(EventType.sessionInterrupted, Prompt.State.overtaken), (.sessionGone, .gone)] {
            var story = opened()
            var event = Story.event(.stop, at: 20, id: 77)
            (event.type, event.hookEventName) = (type, nil)
            #expect(changes(&story, event).closed.map(\.state) == [state])
            var tracker = opened().fold.prompts
            let signal = PromptSignal(CommittedEvent(seq: 9, event: event, workspaceID: nil))
            #expect(signal.map { tracker.take($0).closed.map(\.state) } == [state])
        }
        var gone = opened()
        #expect(changes(&gone, update("gone", of: id, at: 12, number: 1)).closed.map(\.state) == [.gone])
    }

    @Test("the first answer counts; later ones, and repeated steps, change little")
    func repeats() throws {
        var story = opened()
        #expect(changes(&story, update("held", of: id, at: 11, number: 1)).count == 1)
        #expect(changes(&story, update("seen", of: id, at: 12, number: 2, device: "7")).count == 1)
        #expect(changes(&story, update("seen", of: id, at: 13, number: 3, device: "7")).isEmpty)
        _ = changes(&story, update("answered", of: id, at: 20, number: 4, answer: answer(.allow, at: 20)))
        let second = changes(
            &story,
            update("answered", of: id, at: 21, number: 5, answer: answer(.deny, at: 21, id: "a-2"))
        )
        let prompt = try #require(second.settled.first)
        #expect(prompt.answer?.id == "a-1" && prompt.lateAnswers.map(\.id) == ["a-2"])
        #expect(changes(&story, update("expired", of: id, at: 22, number: 6)).isEmpty)
        #expect(prompt.steps.map(\.name) == ["held", "seen", "answered"])
    }

    @Test("announcements set the phase that clients know")
    func announced() throws {
        var story = opened()
        _ = changes(&story, update("offered", of: id, at: 11, number: 1, type: .promptOpened, phase: .opened))
        #expect(story.fold.prompts.open.first?.announced == .opened)
        let closed = try #require(changes(&story, update("expired", of: id, at: 22, number: 2)).closed.first)
        #expect(closed.state == .expired && closed.answeredBy == .timeout && closed.announced < closed.phase)
    }

    @Test("a permission request that repeats a question's call is the one that can be answered")
    func requests() throws {
        var story = Story()
        story.add(.preToolUse, at: 10, tool: "AskUserQuestion", input: 5) { $0.facts.toolUseID = "toolu_1" }
        story.add(.permissionRequest, at: 10, tool: "AskUserQuestion", input: 5)
        let prompt = try #require(story.fold.prompts.open.first)
        #expect(story.fold.prompts.open.count == 1 && prompt.openedBy == EventID(high: 0, low: 0))
        #expect(prompt.requestedBy == EventID(high: 0, low: 1))
    }

    @Test("a prompt with all of its parts is read again as it was written")
    func storage() throws {
        var story = opened()
        _ = changes(&story, update("held", of: id, at: 11, number: 1))
        _ = changes(&story, update("answered", of: id, at: 20, number: 2, answer: answer(.allow, at: 20)))
        let stored = try #require(SessionState(id: "s1", stored: story.fold.stored()))
        #expect(stored == story.fold)
    }
}
