package demo

import (
	"context"
	"crypto/rand"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/timing"
)

// page is what a reader needs to open the page of the tree.
type page struct {
	addr           netip.AddrPort
	user, password string
}

// configure lets one user in at the top, by a password that is made now, and has the API
// listen. It has to be called before the top starts.
func (p *page) configure(top localcluster.Member) error {
	p.user, p.password = "demo", strings.ToLower(rand.Text()[:12])
	sum := sha512.Sum512([]byte(p.password))
	users := filepath.Join(top.ConfDir, "users")
	if err := os.WriteFile(users, []byte(p.user+":"+hex.EncodeToString(sum[:])+"\n"), 0o600); err != nil {
		return fmt.Errorf("let a user in: %w", err)
	}
	conf := fmt.Sprintf(`netapi_enable_clients: [local, local_async, local_batch, local_subset, runner, runner_async, wheel, wheel_async]
rest_cherrypy:
  host: %s
  port: %d
  disable_ssl: True
external_auth:
  file:
    ^filename: %s
    ^hashtype: sha512
    %s: ['.*', '@runner', '@wheel', '@jobs']
`, p.addr.Addr(), p.addr.Port(), users, p.user)
	dir := filepath.Join(top.ConfDir, "master.d")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("configure the page: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "page.conf"), []byte(conf), 0o644); err != nil {
		return fmt.Errorf("configure the page: %w", err)
	}
	return nil
}

// parsePage reads the address of the page. Passwords travel in the clear there, so it is
// one of this machine, and it has to be free.
func parsePage(text string) (*page, error) {
	addr, err := netip.ParseAddrPort(text)
	if err != nil {
		return nil, fmt.Errorf("--page %s: an address and a port are wanted, such as 127.0.0.1:8000", text)
	}
	if !addr.Addr().IsLoopback() {
		return nil, fmt.Errorf("--page %s: the demo serves without TLS, and so on addresses of this machine alone, such as 127.0.0.1:8000", text)
	}
	ln, err := net.Listen("tcp", addr.String())
	if err != nil {
		return nil, fmt.Errorf("--page %s: choose another port: %w", text, err)
	}
	defer ln.Close()
	port := ln.Addr().(*net.TCPAddr).Port // 0 asks for a free one
	return &page{addr: netip.AddrPortFrom(addr.Addr(), uint16(port))}, nil
}

// serve starts the API beside the top and waits until it answers.
func (d *demo) serve(ctx context.Context) error {
	if d.page == nil {
		return nil
	}
	api := d.cluster.Top()
	api.Kind = "api"
	proc, err := localcluster.Start(d.Exe, api)
	if err != nil {
		return err
	}
	d.procs["the API"] = proc
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if err = d.page.answers(ctx); err == nil {
			break
		}
		select {
		case <-proc.Done():
			return fmt.Errorf("the API ended by itself; see %s", filepath.Join(api.Dir, "console"))
		default:
		}
		if e := timing.Sleep(ctx, 50*time.Millisecond); e != nil {
			return errors.Join(e, err)
		}
	}
	d.say("\nThe page of the tree: http://%s/app\n  user %s, password %s, login by file\n", d.page.addr, d.page.user, d.page.password)
	return nil
}

// answers asks the API whether the master behind it does.
func (p *page) answers(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr.String()+"/health", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the API says %s", answer.Status)
	}
	return nil
}
