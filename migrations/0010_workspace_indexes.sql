CREATE INDEX events_workspace_seq ON events (workspace_id, seq) WHERE workspace_id IS NOT NULL;

CREATE INDEX sessions_by_workspace ON sessions (workspace_id, last_activity_at DESC, id DESC)
    WHERE workspace_id IS NOT NULL;
