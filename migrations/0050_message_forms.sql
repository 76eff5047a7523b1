ALTER TABLE session_messages
    ADD COLUMN is_command boolean NOT NULL DEFAULT false,
    ADD COLUMN cancels_queued boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN session_messages.is_command IS 'The text is a slash command for a session that an agent runs; otherwise a leading slash is text.';
COMMENT ON COLUMN session_messages.cancels_queued IS 'The interruption also takes back the messages that wait for the end of the turn.';
