-- The log decides which answer of a prompt is the first, by the id of the answer's event. A row is what a device sent as one answer.
ALTER TABLE prompt_answers ADD COLUMN answered_by text;

UPDATE prompt_answers SET answered_by = coalesce(answer::json #>> '{by,id}', 'operator');

ALTER TABLE prompt_answers
    ALTER COLUMN answered_by SET NOT NULL,
    DROP CONSTRAINT prompt_answers_pkey,
    ADD PRIMARY KEY (prompt_id, answer_id, answered_by),
    DROP COLUMN is_logged;

COMMENT ON TABLE prompt_answers IS 'What devices and the operator sent as answers to prompts. Which of them is the first, the log says.';
COMMENT ON COLUMN prompt_answers.answered_by IS 'The device''s number, or operator. With answer_id it names the answer: devices choose the ids of their answers.';
