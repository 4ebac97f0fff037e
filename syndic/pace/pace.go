package pace

import "time"

// Pace holds the waits of a forwarder. All parts of one share it, and none changes it.
type Pace struct {
	// RetryMin and RetryMax bound the wait after a request that failed.
	RetryMin, RetryMax time.Duration
	// Answer is how long a master above may take at first; it is doubled after
	// each time-out, up to request_channel_timeout.
	Answer time.Duration
	// Operator is the wait after an error that only an operator can mend, such
	// as a refused key.
	Operator time.Duration
	// Report is how often presence is told when nothing changes, so that a
	// master above that went deaf without closing its connection is noticed;
	// ReportMin is the least between two reports.
	Report, ReportMin time.Duration
	// Beat is the silence after which a subscription is asked for a sign of life;
	// after three of it it is made anew.
	Beat time.Duration
	// Sweep is how often it is seen to that no row of the outbox was passed over.
	Sweep time.Duration
	// Siblings is how often the masters above are asked who the siblings are.
	Siblings time.Duration
	// Publish bounds the attempts to publish one job on the local master.
	Publish time.Duration
}

// Default is the pace of every forwarder; sweep is a bound that can be set.
func Default(sweep time.Duration) *Pace {
	return &Pace{
		RetryMin: 200 * time.Millisecond, RetryMax: 10 * time.Second, Answer: 5 * time.Second, Operator: 30 * time.Second,
		Report: 10 * time.Second, ReportMin: 200 * time.Millisecond, Beat: 2 * time.Second, Sweep: sweep,
		Siblings: 5 * time.Second, Publish: 10 * time.Second,
	}
}
