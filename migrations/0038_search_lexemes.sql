-- The server computes the lexemes: it cuts names, paths, and scripts without spaces, which PostgreSQL's parser does not.
ALTER TABLE search_events ADD COLUMN lexemes tsvector;
ALTER TABLE transcript_lines ADD COLUMN lexemes tsvector;

DROP INDEX search_events_words;
DROP INDEX transcript_words;

CREATE INDEX search_events_lexemes ON search_events USING gin (lexemes);
CREATE INDEX search_events_by_time ON search_events (at);
CREATE INDEX transcript_lexemes ON transcript_lines USING gin (lexemes) WHERE lexemes IS NOT NULL;
CREATE INDEX transcript_lines_by_time ON transcript_lines (at) WHERE lexemes IS NOT NULL;
CREATE INDEX transcript_lines_without_lexemes ON transcript_lines (id) WHERE words IS NOT NULL AND lexemes IS NULL;

COMMENT ON COLUMN search_events.lexemes IS 'What searches compare: the lexemes of words, with their positions.';
COMMENT ON COLUMN transcript_lines.lexemes IS 'What searches compare: the lexemes of words, with their positions. NULL where words is NULL, and until the server has read a line that was stored before it made lexemes.';
