//go:build linux

package galera

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/galera/servers"
)

// saltTables are the tables as Salt's manual has them: without a primary key for returns.
const saltTables = "USE " + database + `;
CREATE TABLE IF NOT EXISTS jids (jid varchar(255) NOT NULL, ` + "`load`" + ` mediumtext NOT NULL, UNIQUE KEY jid (jid)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;
CREATE TABLE IF NOT EXISTS salt_returns (fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, ` + "`return`" + ` mediumtext NOT NULL, id varchar(255) NOT NULL,
  success varchar(10) NOT NULL, full_ret mediumtext NOT NULL, alter_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  KEY id (id), KEY jid (jid), KEY fun (fun)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;
CREATE TABLE IF NOT EXISTS salt_events (id BIGINT NOT NULL AUTO_INCREMENT, tag varchar(255) NOT NULL, data mediumtext NOT NULL,
  alter_time TIMESTAMP DEFAULT CURRENT_TIMESTAMP, master_id varchar(255) NOT NULL, PRIMARY KEY (id), KEY tag (tag)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;`

const (
	oldJobs, oldMinions = 10, 10
	insertAsSalt        = "INSERT INTO " + database + ".salt_returns (`fun`, `jid`, `return`, `id`, `success`, `full_ret`) VALUES (?, ?, ?, ?, '1', ?)"
)

// legacy is a Python master that has filled the tables, and writes on while they are migrated.
type legacy struct {
	mu   sync.Mutex
	rows map[[2]string]bool // by jid and id: acknowledged by SQL
}

func oldJID(job int) string { return fmt.Sprintf("20200101%012d", job) }

// fill creates Salt's tables with each return twice, as two tiers leave them.
func (l *legacy) fill(ctx context.Context, n *servers.Node) error {
	l.rows = map[[2]string]bool{}
	if err := n.Do(ctx, saltTables); err != nil {
		return fmt.Errorf("create Salt's tables: %w", err)
	}
	for job := range oldJobs {
		if err := n.Do(ctx, "INSERT IGNORE INTO "+database+".jids VALUES (?, '{}')", oldJID(job)); err != nil {
			return err
		}
		for m := range oldMinions {
			for range 2 {
				err := n.Do(ctx, insertAsSalt, l.row(oldJID(job), minion(0, m))...)
				if err != nil {
					return err
				}
				l.stored(oldJID(job), minion(0, m))
			}
		}
	}
	return nil
}

func (l *legacy) row(jid, id string) []any {
	return []any{fun, jid, `"` + value(jid, id) + `"`, id, "{}"}
}

func (l *legacy) stored(jid, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows[[2]string{jid, id}] = true
}

// write inserts returns, every tenth twice, until ctx ends. As Salt does, it does not repeat a
// statement that failed.
func (l *legacy) write(ctx context.Context, n *servers.Node) {
	for i := 0; timing.Sleep(ctx, 100*time.Millisecond) == nil; i++ {
		jid, id := oldJID(oldJobs+i-i%10/9), minion(0, 0)
		if _, err := n.Root.ExecContext(ctx, insertAsSalt, l.row(jid, id)...); err == nil {
			l.stored(jid, id)
		}
	}
}
