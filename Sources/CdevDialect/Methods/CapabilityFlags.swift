import EventModel
import RPC

/// The flags of `capabilities`. What the server cannot do, no machine does or the client may not do is false: clients
/// show buttons accordingly.
enum CapabilityFlags {
    typealias Flag = (name: String, isPresent: Bool)

    static func groups(in context: CdevContext) -> [(name: String, flags: [Flag])] {
        let (principal, abilities) = (context.principal, context.abilities())
        let isControlled = !abilities.controlled.isEmpty
        func git(_ verb: String, _ word: String) -> Flag {
            flag(verb, of: "workspace/git/\(verb)", abilities.git.contains(word))
        }
        func change(_ verb: String, _ method: CdevMethod) -> Flag {
            (verb, method.description.isAllowed(to: principal))
        }
        return [
            (
                "agent",
                [
                    ("run", isControlled), ("stop", isControlled), ("respond", principal.may(.respond)),
                    ("sessions", true), ("sessionWatch", true),
                ]
            ),
            (
                "git",
                [
                    git("status", "read"), git("diff", "read"), git("stage", "write"), git("commit", "write"),
                    git("push", "push"), git("pull", "write"),
                ]
            ),
            (
                "file",
                [
                    flag("get", of: "workspace/file/get", abilities.files),
                    flag("list", of: "workspace/files/list", abilities.files),
                ]
            ),
            (
                "repository",
                [
                    flag("index", of: "repository/index/status", abilities.files),
                    flag("search", of: "repository/search", abilities.files),
                ]
            ),
            ("events", [("subscribe", true), ("resume", true), ("replay", true)]),
            (
                "workspace",
                [
                    ("list", true), ("subscribe", true), change("add", WorkspaceChangeMethods.add),
                    change("update", WorkspaceChangeMethods.update), change("remove", WorkspaceChangeMethods.remove),
                    flag("discover", of: "workspace/discover", isControlled),
                ]
            ),
        ]
    }

    private static func flag(_ name: String, of method: String, _ isAble: Bool) -> Flag {
        (name, isAble && !RefusedMethods.names.contains(method))
    }
}
