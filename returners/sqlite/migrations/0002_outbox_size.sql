-- The bytes a row owes, wherever they are kept: what bounds an outbox has to be
-- known without reading what it holds.
ALTER TABLE outbox ADD COLUMN size INTEGER NOT NULL DEFAULT 0;

UPDATE outbox SET size = coalesce(length(payload), CASE kind
    WHEN 'return'      THEN (SELECT length(r.full_ret) FROM salt_returns r WHERE r.jid = outbox.jid AND r.id = outbox.id)
    WHEN 'load'        THEN (SELECT length(j.load) FROM jids j WHERE j.jid = outbox.jid)
    WHEN 'expectation' THEN (SELECT length(e.data) FROM expectations e WHERE e.jid = outbox.jid AND e.node = outbox.id)
END, 0);
