package link

import "time"

// Pace holds the intervals and timeouts of a forwarder. All its parts share one; it is read-only.
type Pace struct {
	// RetryMin and RetryMax bound the wait after a failed request.
	RetryMin, RetryMax time.Duration
	// Answer is the first timeout of a request. It doubles after each timeout, up to
	// request_channel_timeout.
	Answer time.Duration
	// Operator is the wait after an error that needs an operator, such as a refused key.
	Operator time.Duration
	// Report is the interval of presence reports without changes, which detect a parent that no
	// longer sees the subscription. ReportMin is the least time between two reports.
	Report, ReportMin time.Duration
	// Beat is the heartbeat interval of a subscription. After three silent intervals it reconnects.
	Beat time.Duration
	// Sweep is the interval of searches for rows that were passed over.
	Sweep time.Duration
	// Siblings is the interval of requests for the list of siblings.
	Siblings time.Duration
	// Publish bounds the attempts to publish one job on the local master.
	Publish time.Duration
}

// DefaultPace returns the pace of every forwarder; sweep is a configurable bound.
func DefaultPace(sweep time.Duration) *Pace {
	return &Pace{
		RetryMin: 200 * time.Millisecond, RetryMax: 10 * time.Second, Answer: 5 * time.Second, Operator: 30 * time.Second,
		Report: 10 * time.Second, ReportMin: 200 * time.Millisecond, Beat: 2 * time.Second, Sweep: sweep,
		Siblings: 5 * time.Second, Publish: 10 * time.Second,
	}
}
