package mysqltest

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/momtree/mom/internal/localcluster"
)

// libraries are where distributions keep Galera.
var libraries = []string{"/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera-4/libgalera_smm.so"}

// ErrNoGalera means that Galera is not installed.
var ErrNoGalera = errors.New("these tests need galera-4 and rsync; install them with `make deps`")

// clustered is the option that makes a server a node of a cluster.
const clustered = "--wsrep-on=ON"

// StartCluster starts n servers that are one Galera cluster, until the test ends. A server may be
// silent for half a minute, so that a busy machine does not part them.
func StartCluster(tb testing.TB, n int) []*Server {
	tb.Helper()
	lib := ""
	for _, l := range libraries {
		if _, err := os.Stat(l); err == nil {
			lib = l
		}
	}
	if lib == "" {
		tb.Fatal(ErrNoGalera)
	}
	var all []*Server
	first := ""
	for i := range n {
		var ports [3]int // of the group, of incremental and of full copies
		for j := range ports {
			var err error
			if ports[j], err = localcluster.FreePort(); err != nil {
				tb.Fatal(err)
			}
		}
		options := []string{
			clustered, "--wsrep-provider=" + lib, "--wsrep-cluster-name=test", "--wsrep-node-address=127.0.0.1",
			"--wsrep-cluster-address=gcomm://" + first, "--wsrep-sst-method=rsync", fmt.Sprintf("--wsrep-sst-receive-address=127.0.0.1:%d", ports[2]),
			"--binlog-format=ROW", "--innodb-autoinc-lock-mode=2",
			fmt.Sprintf("--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%d;ist.recv_addr=127.0.0.1:%d;gcache.size=16M;evs.suspect_timeout=PT30S;evs.inactive_timeout=PT60S", ports[0], ports[1]),
		}
		if i == 0 {
			first = fmt.Sprintf("127.0.0.1:%d", ports[0])
		}
		all = append(all, Start(tb, options...))
	}
	return all
}
