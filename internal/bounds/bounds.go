package bounds

import (
	"time"
)

// Bounds holds one value per bound. The struct tags are the only table of facts: bound is the
// name in files, default the default, small the range from which [Draw] draws (both ends
// included), most the highest allowed value (without it, any), and help what it bounds.
// Durations are in Go's form.
type Bounds struct {
	CommitRows    int           `bound:"commit_rows" default:"500" small:"1..3" help:"rows of one commit"`
	CommitPending int           `bound:"commit_pending" default:"20000" small:"3..10" help:"rows that wait for the commit"`
	CommitMemory  int           `bound:"commit_memory" default:"67108864" small:"20000..100000" help:"their bytes"`
	OutboxTail    int           `bound:"outbox_tail" default:"4000" small:"1..5" help:"newest rows of an outbox that are kept in memory for who hands them on"`
	OutboxBytes   int           `bound:"outbox_tail_bytes" default:"8388608" small:"500..5000" help:"their bytes"`
	DrainRows     int           `bound:"drain_rows" default:"500" small:"1..3" help:"rows of one batch into SQL"`
	CleanStep     int           `bound:"clean_step" default:"500" small:"1..3" help:"jobs that one step of the clean-up deletes"`
	WordQueue     int           `bound:"word_queue" default:"4096" small:"2..5" help:"words of jobs that wait to be written down"`
	WordBatch     int           `bound:"word_batch" default:"500" small:"1..3" help:"words of one write"`
	AuditQueue    int           `bound:"audit_queue" default:"65536" small:"100..300" help:"events that wait for event_return"`
	MissedRows    int           `bound:"missed_rows" default:"256" small:"1..3" help:"publications of one answer to a peer that has missed some"`
	MissedBytes   int           `bound:"missed_bytes" default:"1048576" small:"2000..8000" help:"their bytes"`
	PageRows      int           `bound:"page_rows" default:"500" small:"1..3" help:"returns of one page for a command that was cut off the event bus"`
	PageBytes     int           `bound:"page_bytes" default:"4194304" small:"1000..5000" help:"their bytes"`
	Claims        time.Duration `bound:"claims" default:"1m" small:"500ms..2s" help:"how often claims on returns of others are swept"`
	AskWindow     int           `bound:"ask_window" default:"256" small:"1..4" help:"questions under way to connections that do not say who they are"`
	SignIns       int           `bound:"sign_ins" default:"32768" small:"16..64" help:"sign-ins that wait"`
	WorkValues    int           `bound:"work_values" default:"524288" small:"5000..20000" help:"values of requests that are decoded and worked on at once"`
	DataCache     int           `bound:"data_cache" default:"268435456" small:"500..5000" help:"bytes of grains and pillar that a master keeps decoded"`
	//mutant:bounds-page
	Adopted       int           `bound:"adopted" default:"200" small:"4..20" help:"jobs known by the word of one minion alone"`
	Brought       int           `bound:"brought" default:"4000" small:"8..40" help:"jobs known by the word of minions alone"`
	GuestRotation time.Duration `bound:"guest_rotation" default:"1m" small:"500ms..2s" help:"how long after guests have left the shared key is renewed at the latest"`
	GoneKeys      int           `bound:"gone_keys" default:"4096" small:"3..10" help:"deleted keys of a node that are reported to siblings one by one"`

	ForwardRows        int           `bound:"forward_rows" default:"500" small:"1..3" help:"returns of one request to the master above"`
	ForwardBytes       int           `bound:"forward_bytes" default:"4194304" small:"1000..6000" help:"their bytes"`
	ForwardWindow      int           `bound:"forward_window" default:"2000" small:"2..8" help:"returns in memory for one master above, next or under way"`
	ForwardWindowBytes int           `bound:"forward_window_bytes" default:"16777216" small:"1000..20000" help:"their bytes"`
	ForwardResting     int           `bound:"forward_resting" default:"50000" small:"3..10" help:"returns that a master above does not take as yet"`
	ForwardRequests    int           `bound:"forward_requests" default:"4" small:"1..2" help:"requests with returns under way to one master above"`
	ForwardSweep       time.Duration `bound:"forward_sweep" default:"30s" small:"1s..3s" help:"how often it is seen to that no return was passed over"`

	ReportQueue       int `bound:"report_queue" default:"10000" small:"3..10" help:"reports of jobs that wait for one parent"`
	ReportQueueBytes  int `bound:"report_queue_bytes" default:"33554432" small:"2000..20000" help:"their bytes"`
	ReportBatch       int `bound:"report_batch" default:"1000" small:"1..3" help:"reports of jobs, or events, in one request"`
	ReportBatchBytes  int `bound:"report_batch_bytes" default:"4194304" small:"1000..5000" help:"their bytes"`
	ReportBatchValues int `bound:"report_batch_values" default:"262144" small:"50..200" help:"their values, of which a master takes twice as many in a request"`
	ReportJobs        int `bound:"report_jobs" default:"100" small:"1..3" help:"jobs that are listed at a time when all are reported again"`
	ReportMinions     int `bound:"report_minions" default:"2000" small:"1..4" help:"minions in one message when a job is reported again"`

	Returns    int `bound:"returns" default:"20000" small:"150..400" help:"returns that a minion keeps for a master that is away"`
	MinionJobs int `bound:"minion_jobs" default:"4096" small:"8..32" help:"jobs that wait in a minion"`
	SeenJobs   int `bound:"seen_jobs" default:"65536" small:"200..500" help:"orders of a master that a minion remembers"`
	// StartedJobs must cover what a master may give a minion that comes home from a sibling: its open jobs.
	StartedJobs int `bound:"started_jobs" default:"16384" small:"200..500" help:"job ids that a minion remembers as run"`

	AskedJobs         int           `bound:"asked_jobs" default:"4096" small:"150..300" help:"jobs that a node remembers with the masters above that asked for them"`
	UnreportedJobs    int           `bound:"unreported_jobs" default:"4096" small:"100..200" help:"closed jobs whose end a parent has not acknowledged"`
	EventQueue        int           `bound:"event_queue" default:"10000" small:"3..10" help:"events that wait for one master above"`
	EventQueueBytes   int           `bound:"event_queue_bytes" default:"33554432" small:"2000..20000" help:"their bytes"`
	Depth             int           `bound:"depth" default:"48" small:"8..12" most:"48" help:"lists and maps inside each other in one value of a load"`
	HandshakePatience time.Duration `bound:"handshake_patience" default:"200ms" small:"20ms..60ms" help:"how long a peer that is being greeted may be silent while others wait for its place"`
	RequestPatience   time.Duration `bound:"request_patience" default:"1s" small:"100ms..300ms" help:"how long a peer may stop in the middle of a message while others wait for the memory"`
	AskConnected      time.Duration `bound:"ask_connected" default:"5m" small:"15s..40s" help:"after how long a connected minion that does not return is asked whether it works on the job"`
	StrangerPatience  time.Duration `bound:"stranger_patience" default:"5s" small:"500ms..2s" help:"how long a connection that has not shown whose it is may be idle while others find no place"`
	FileBytes         int           `bound:"file_bytes" default:"67108864" small:"300000..3000000" help:"bytes of served files that are read and not yet taken by who asked"`
	FindJobWindow     int           `bound:"find_job_window" default:"1000" small:"1..5" help:"minions of a job that are asked at a time, at most, whether they work on it"`
	Share             int           `bound:"share" default:"2" small:"1..2" help:"pillars of one minion, its questions to the tree for the mine, those for master_tops, and jobs and runners that it waits for, at once"`
	ShareWaiting      int           `bound:"share_waiting" default:"64" small:"8..16" help:"those that wait for that"`
	ReactorBytes      int           `bound:"reactor_bytes" default:"67108864" small:"50000..500000" help:"bytes of the events that wait for the reactor"`
	AuditBytes        int           `bound:"audit_bytes" default:"268435456" small:"500000..1000000" help:"bytes of the events that wait for event_return"`
	AsideRows         int           `bound:"aside_rows" default:"1000" small:"2..5" help:"events that a returner of event_return refuses"`
	AsideBytes        int           `bound:"aside_bytes" default:"67108864" small:"2000..20000" help:"their bytes"`
	PushedBytes       int           `bound:"pushed_bytes" default:"1073741824" small:"200000..2000000" help:"bytes of the files that one minion has pushed"`
	PushedFiles       int           `bound:"pushed_files" default:"100000" small:"20..50" help:"their number, with their folders"`
}

// Default returns the bounds for production.
func Default() Bounds {
	var b Bounds
	for _, x := range All() {
		if err := b.Set(x.Name, x.Default); err != nil {
			panic("bounds: default of " + x.Name + ": " + err.Error())
		}
	}
	return b
}

// OrDefault returns b with defaults in place of unset values, for code that may get a zero
// Bounds.
func (b Bounds) OrDefault() Bounds {
	d := Default()
	each(&b, &d, func(v, def value) {
		if v.IsZero() {
			v.Set(def.Value)
		}
	})
	return b
}
