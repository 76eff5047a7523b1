ALTER TABLE session_messages
    ADD COLUMN image_count bigint NOT NULL DEFAULT 0;

CREATE TABLE message_images (
    message_id text NOT NULL REFERENCES session_messages (id) ON DELETE CASCADE,
    number bigint NOT NULL,
    media_type text NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (message_id, number)
);

-- The contents are compressed already.
ALTER TABLE message_images ALTER COLUMN data SET STORAGE EXTERNAL;

COMMENT ON COLUMN session_messages.image_count IS 'The number of pictures that were sent with it.';
COMMENT ON TABLE message_images IS 'The pictures of messages that the machine does not have yet.';
COMMENT ON COLUMN message_images.message_id IS 'The message.';
COMMENT ON COLUMN message_images.number IS 'The place among the pictures of the message, from 0.';
COMMENT ON COLUMN message_images.media_type IS 'image/png, image/jpeg, image/gif or image/webp.';
COMMENT ON COLUMN message_images.data IS 'The picture in Base64.';
