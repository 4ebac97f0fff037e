package engine

// isClosed tells that a job has no open account: it was closed, is forgotten, or was
// never known. Unlike State it looks at no entry.
func (l *ledger) isClosed(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j == nil || !j.closed.IsZero()
}

// knows tells whether a job is open, or was closed lately.
func (l *ledger) knows(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.jobs[jid] != nil
}
