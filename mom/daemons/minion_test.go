package daemons

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/mom/command"
)

// Service files know the codes that Salt's minion ends with: 77 when the master refuses
// its key, 42 when the master's key is another than the fingerprint says.
func TestMinion_ExitCodes(t *testing.T) {
	for _, c := range []struct {
		name   string
		rules  channeltest.Rules
		option string
		code   int
	}{
		{"the key is refused", channeltest.Rules{Auth: func(*wire.Map) any { return false }}, "", 77},
		{"another master's key", channeltest.Rules{}, "master_finger: '" + strings.TrimSuffix(strings.Repeat("ab:", 32), ":") + "'", 42},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := channeltest.Start(t, c.rules)
			dir := t.TempDir()
			conf := fmt.Sprintf("id: m1\nmaster: %s\nmaster_port: %d\nroot_dir: %s\nlog_file: %s\npki_dir: %s\nipc_mode: tcp\ntcp_pub_port: 0\ntcp_pull_port: 0\n%s\n",
				m.Host(), m.Port(), dir, filepath.Join(dir, "log"), filepath.Join(dir, "pki"), c.option)
			if err := os.WriteFile(filepath.Join(dir, "minion"), []byte(conf), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := minionCommand()
			cmd.SetArgs([]string{"-c", dir, "--pid-file", filepath.Join(dir, "pid")})
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			if err := cmd.ExecuteContext(t.Context()); command.Code(err) != c.code {
				t.Errorf("ends with %d, want %d: %v", command.Code(err), c.code, err)
			}
		})
	}
}
