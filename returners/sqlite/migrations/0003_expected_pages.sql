-- Who was asked, in pages of some dozens of minions: a word about one of them reads
-- and writes one page, however many there are. A page holds the ids from first up to
-- that of the next page; the first of a node begins with ''.
CREATE TABLE expected_pages (
    jid   TEXT NOT NULL,
    node  TEXT NOT NULL,
    first TEXT NOT NULL,
    data  BLOB NOT NULL,
    PRIMARY KEY (jid, node, first)
) WITHOUT ROWID;

-- What was owed of an expectation was what stood in its row when it was read. Now it is
-- what changed, and comes with the row of the outbox.
UPDATE outbox SET payload = (SELECT e.data FROM expectations e WHERE e.jid = outbox.jid AND e.node = outbox.id)
    WHERE kind = 'expectation' AND payload IS NULL;

-- A row of before has all in data. It is taken apart into pages with the next word.
ALTER TABLE expectations ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE expectations ADD COLUMN state TEXT NOT NULL DEFAULT '';
