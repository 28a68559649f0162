-- Settings that are changed while the program runs. Who changes something says which state it has
-- looked at: of two who do so at the same time the later one has to look again. One row, which is
-- also what instances ask for to learn whether anything has changed.
CREATE TABLE setting_revision (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    revision bigint NOT NULL DEFAULT 0
);
INSERT INTO setting_revision DEFAULT VALUES;
