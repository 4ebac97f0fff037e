package logs

import (
	"log/slog"
	"maps"
	"sync"
	"time"
)

// RescueWarning is the log message about a rescue.
const RescueWarning = "Rescued what should have gone by itself; please report it"

// Rescues counts the rescues of a daemon. It is safe for concurrent use. A nil Rescues counts
// nothing, for parts that are used without a daemon.
type Rescues struct {
	log *slog.Logger
	now func() time.Time

	mu     sync.Mutex
	counts map[string]uint64
	limit  Throttle[string]
}

// NewRescues returns a Rescues that warns to log (nil means slog.Default), with the clock now
// (nil means time.Now).
func NewRescues(log *slog.Logger, now func() time.Time) *Rescues {
	if log == nil {
		log = slog.Default()
	}
	if now == nil {
		now = time.Now
	}
	return &Rescues{log: log, now: now, counts: map[string]uint64{}}
}

// Found records that by, the short name of a sweep or timer ("forwarding sweep"), has found
// what, which has waited for since; 0 if unknown. attrs are slog attributes about the place.
// The values of by are few and constant, because they are the label of the metric. Repetitions
// within ten seconds are counted and added to the next warning.
func (c *Rescues) Found(by, what string, since time.Duration, attrs ...any) {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.counts[by]++
	total := c.counts[by]
	c.mu.Unlock()
	n := c.limit.Note(by, c.now())
	if n == 0 {
		return
	}
	said := append([]any{"by", by, "found", what, "since", since.Round(time.Millisecond), "times", n, "total", total}, attrs...)
	c.log.Warn(RescueWarning, said...)
}

// Counts returns how often each has found something, since the start.
func (c *Rescues) Counts() map[string]uint64 {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// Total returns the sum of [Rescues.Counts].
func (c *Rescues) Total() (n uint64) {
	for _, k := range c.Counts() {
		n += k
	}
	return n
}
