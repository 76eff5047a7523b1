CREATE TABLE session_messages (
    id text PRIMARY KEY,
    position bigint GENERATED ALWAYS AS IDENTITY,
    session_id text NOT NULL,
    machine_id bigint NOT NULL,
    client_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('message', 'interrupt')),
    body text,
    author text NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'delivered', 'read', 'cancelled', 'failed')),
    detail text,
    queued_at timestamptz NOT NULL,
    offered_at timestamptz,
    delivered_at timestamptz,
    ended_at timestamptz,
    UNIQUE (session_id, client_id)
);

CREATE INDEX session_messages_in_order ON session_messages (session_id, position);
CREATE INDEX unread_messages ON session_messages (session_id) WHERE state IN ('queued', 'delivered');

COMMENT ON TABLE session_messages IS 'What people send to sessions, and interruptions.';
COMMENT ON COLUMN session_messages.id IS 'msg_ and 32 hexadecimal digits.';
COMMENT ON COLUMN session_messages.position IS 'The order of delivery.';
COMMENT ON COLUMN session_messages.session_id IS 'The session that gets it.';
COMMENT ON COLUMN session_messages.machine_id IS 'The machine of the session.';
COMMENT ON COLUMN session_messages.client_id IS 'The id that the client gave it; a repeated request has the same.';
COMMENT ON COLUMN session_messages.kind IS 'message or interrupt.';
COMMENT ON COLUMN session_messages.body IS 'The text; NULL for an interruption, and when the content policy no longer keeps it.';
COMMENT ON COLUMN session_messages.author IS 'Who sent it, as JSON.';
COMMENT ON COLUMN session_messages.state IS 'queued, delivered, read, cancelled or failed.';
COMMENT ON COLUMN session_messages.detail IS 'Why it failed.';
COMMENT ON COLUMN session_messages.queued_at IS 'When it was sent.';
COMMENT ON COLUMN session_messages.offered_at IS 'When it was last given to the machine.';
COMMENT ON COLUMN session_messages.delivered_at IS 'When the machine wrote it to the session, or applied the interruption.';
COMMENT ON COLUMN session_messages.ended_at IS 'When it was read, cancelled or failed.';

CREATE TABLE session_posters (
    session_id text PRIMARY KEY,
    machine_id bigint NOT NULL REFERENCES machines (id),
    has_socket boolean NOT NULL,
    seen_at timestamptz NOT NULL
);

COMMENT ON TABLE session_posters IS 'Sessions whose machine takes messages for them.';
COMMENT ON COLUMN session_posters.session_id IS 'The session.';
COMMENT ON COLUMN session_posters.machine_id IS 'The machine that asks for its messages.';
COMMENT ON COLUMN session_posters.has_socket IS 'Whether the session''s Claude Code can be given messages.';
COMMENT ON COLUMN session_posters.seen_at IS 'When the machine last asked.';
