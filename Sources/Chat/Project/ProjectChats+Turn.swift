internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions
internal import Synchronization

/// From the first message to the end of the answer.
extension ProjectChats {
    func carryOut(_ turn: ProjectTurn, _ run: ChatRun) async {
        let outcome: ChatOutcome
        var usage: ChatUsage?
        let (sent, model) = (turn.request.text.utf8.count, turn.request.chat.model)
        let noting = Task { await chats.note(turn.id, run, sent: sent, by: model) }
        defer { noting.cancel() }
        do throws(APIError) {
            let report = try await answer(turn, run)
            outcome = ChatOutcome(report)
            usage = ChatUsage(endOf: report, asked: model, price: chats.ports.price)
        } catch {
            outcome = .failed(error)
            // The turn goes on at the machine.
            if outcome.isUnknown { usage = chats.estimate(sent: sent, written: run.size, by: model) }
        }
        let text = run.text
        let end = ChatTurnEnd(outcome, usage, answer: turn.keepsAnswer ? text : nil, at: chats.clock())
        if case .finished = outcome { await remember(turn, text) }
        await chats.settle(turn.id, end) {
            busy.leave(turn.sessionID)
            run.finish(outcome.final)
            chats.runs.ended(run)
        }
    }

    /// How the turn ended, as the agent reports it.
    private func answer(_ turn: ProjectTurn, _ run: ChatRun) async throws(APIError) -> JSONValue {
        let session = try await open(turn)
        do throws(APIError) {
            try await limitTools(of: turn, in: session)
        } catch {
            if turn.target.session == nil { await ports.discard(session, turn.responder) }
            throw error
        }
        let sending = Sending()
        let watching = Task { await watch(turn, session, run) }
        defer { watching.cancel() }
        let report: JSONValue
        do throws(APIError) {
            report = try await ports.follow(turn.id, session, turn.responder) { step in
                switch step {
                case .piece(let piece):
                    run.name(ports.model(session.id, session.machine))
                    run.add(piece)
                case .ready: if sending.begin() { Task { await send(turn, session, sending) } }
                }
            }
        } catch {
            throw sending.error ?? error
        }
        if let error = sending.error { throw error }
        return report
    }

    /// The session, as it is to be for the message.
    private func open(_ turn: ProjectTurn) async throws(APIError) -> Session {
        guard let known = turn.target.session, ports.activity(known.id, known.machine) != nil else {
            return try await ports.open(turn.opening, turn.responder)
        }
        if let model = turn.request.chat.model, model != ports.model(known.id, known.machine) {
            try await ports.setModel(model, known, turn.responder)
        }
        return known
    }

    /// The message's id is the turn's: a repeat on any way to Claude Code has no effect.
    private func send(_ turn: ProjectTurn, _ session: Session, _ sending: Sending) async {
        do throws(APIError) {
            // The start of a session takes its time.
            guard chats.ports.admits(turn.responder.principal, .control) else { throw ChatRefusal.revoked }
            try await ports.send(turn.message, session, turn.responder)
        } catch {
            sending.failed(error)
            await ports.unfollow(turn.id, session, turn.responder)
        }
    }
}

/// The one time that a turn's message is sent.
private final class Sending: Sendable {
    private let state = Mutex<(hasBegun: Bool, error: APIError?)>((false, nil))

    /// Returns true once.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
    }

    func failed(_ error: APIError) { state.withLock { $0.error = error } }

    var error: APIError? { state.withLock(\.error) }
}
