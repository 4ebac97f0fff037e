package sqlite

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/momtree/mom/returners"
)

// Name is the name of this store. The configuration does not name it: it always exists.
const Name = "sqlite"

// Names of the contract, for callers that use this store only.
type (
	// Batch is what one commit stores.
	Batch = returners.Batch
	// Item is one row of an outbox.
	Item = returners.Item
	// Result says what a committed batch changed.
	Result = returners.Result
)

// Options configure a Store.
type Options struct {
	Path string // file of the store; it and its directory are created if missing

	// Synchronous is "full" (default: an acknowledged return survives a loss
	// of power) or "normal" (it survives the death of the process; commits are
	// cheaper on disks with a slow sync).
	Synchronous string

	// Readers is the most connections that read at once; 0 = 4.
	Readers int

	// TailRows and TailBytes bound the newest rows of each outbox kept in memory; 0 = 4000
	// rows and 8 MiB. Older rows are read from the file.
	TailRows, TailBytes int

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now

	// Ages returns the clock for the age of jobs, which Clean compares: the times in the rows come
	// from clocks that may jump. newest is when the youngest stored job was stored or held last, by
	// that clock; zero: none is stored. The clock must not call the store. nil: the times of the
	// rows, and Now where they have none.
	Ages func(newest time.Time) (clock func() time.Time)

	age func() time.Time // that clock; nil: none
}

func (o *Options) fill() error {
	if o.Path == "" {
		return fmt.Errorf("job store: no path given; set one, such as /var/cache/salt/master/jobs.db")
	}
	switch o.Synchronous {
	case "":
		//mutant:power-commits
		o.Synchronous = "full"
	case "full", "normal":
	default:
		return fmt.Errorf("job store %s: synchronous is %q; use full or normal", o.Path, o.Synchronous)
	}
	if o.Readers <= 0 {
		o.Readers = 4
	}
	o.TailRows, o.TailBytes = cmp.Or(o.TailRows, 4000), cmp.Or(o.TailBytes, 8<<20)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// dsn returns the data source name with the settings of every connection. The page size and
// auto_vacuum take effect only when the file is created.
func (o *Options) dsn(path string, writer bool) string {
	u := url.URL{Scheme: "file", Path: path}
	q := "?_pragma=busy_timeout(10000)&_pragma=page_size(8192)&_pragma=auto_vacuum(2)" +
		"&_pragma=cache_size(-16384)&_pragma=temp_store(2)&_pragma=foreign_keys(0)"
	if writer {
		return u.String() + q + "&_txlock=immediate&_pragma=journal_mode(wal)&_pragma=journal_size_limit(67108864)" +
			"&_pragma=synchronous(" + o.Synchronous + ")"
	}
	return u.String() + q + "&_pragma=query_only(1)"
}
