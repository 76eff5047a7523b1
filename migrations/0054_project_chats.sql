ALTER TABLE chat_turns ADD COLUMN session_id text;
ALTER TABLE chat_turns ADD COLUMN project_id text;

COMMENT ON TABLE chat_turns IS 'Turns of chats: written before the machine is asked, so that no turn runs twice.';
COMMENT ON COLUMN chat_turns.session_id IS 'The session of a project chat; NULL for a plain chat.';
COMMENT ON COLUMN chat_turns.project_id IS 'The project of that session, if it is known.';

CREATE TABLE chat_sessions (
    session_id text PRIMARY KEY,
    caller text NOT NULL,
    machine_id bigint NOT NULL,
    project_id text NOT NULL,
    history bytea NOT NULL,
    used_at timestamptz NOT NULL
);

CREATE INDEX chat_sessions_by_history ON chat_sessions (caller, project_id, history);

COMMENT ON TABLE chat_sessions IS 'The sessions of project chats, so that a client that repeats the history goes on in its session.';
COMMENT ON COLUMN chat_sessions.session_id IS 'The session.';
COMMENT ON COLUMN chat_sessions.caller IS 'Who chats, as the audit log names principals.';
COMMENT ON COLUMN chat_sessions.machine_id IS 'The machine of the session.';
COMMENT ON COLUMN chat_sessions.project_id IS 'The project.';
COMMENT ON COLUMN chat_sessions.history IS 'SHA-256 of all messages so far, with the last answer.';
COMMENT ON COLUMN chat_sessions.used_at IS 'When the last answer was given.';
