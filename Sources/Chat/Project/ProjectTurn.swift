internal import API
internal import EventModel
internal import JSON

/// One turn of a project chat.
struct ProjectTurn: Sendable {
    /// Also the id of the message, by which Claude Code ignores a second one.
    let id: String
    let request: ProjectRequest
    let target: ProjectTarget
    let sessionID: String
    let responder: Responder
    let keepsAnswer: Bool
    let beganAt: Timestamp

    var message: ProjectPorts.Message {
        ProjectPorts.Message(id: id, text: request.text, images: request.images)
    }

    var opening: ProjectPorts.Opening {
        let chat = request.chat
        let isNew = target.session == nil
        return ProjectPorts.Opening(
            sessionID: sessionID,
            isNew: isNew,
            machine: target.machineName,
            directory: target.directory,
            model: chat.model,
            effort: chat.effort,
            systemPrompt: isNew ? chat.systemPrompt : nil,
            history: isNew ? chat.history : []
        )
    }

    var answer: ChatAnswer {
        var answer = ChatAnswer(
            id: ChatService.answerID(id),
            created: beganAt.microseconds / 1_000_000,
            model: request.chat.model,
            includesUsage: request.chat.includesUsage
        )
        answer.session = ChatAnswerSession(id: sessionID, ofProject: target.projectID)
        return answer
    }
}
