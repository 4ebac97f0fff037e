package gitrepo

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
)

const connectPatience = 30 * time.Second

// dial opens a session with a remote. The session ends with ctx, whatever the remote does.
func (r *Repo) dial(ctx context.Context, m *meter) (transport.UploadPackSession, error) {
	ep := *r.ep
	switch ep.Protocol {
	case "file":
		return openLocal(&ep, m)
	case "ssh":
		return dialSSH(ctx, &ep, r.o.Auth, m)
	case "git":
		return dialGit(ctx, &ep, m)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: connectPatience}).DialContext
	t.TLSHandshakeTimeout = connectPatience
	t.DisableKeepAlives = true
	t.MaxResponseHeaderBytes = 1 << 20
	t.TLSClientConfig = &tls.Config{InsecureSkipVerify: r.o.Auth.AnyCert} //nolint:gosec // ssl_verify: False says so
	return githttp.NewClient(&http.Client{Transport: meteredHTTP{t, m}}).NewUploadPackSession(&ep, nil)
}

// meteredHTTP counts the bytes of response bodies.
type meteredHTTP struct {
	*http.Transport
	m *meter
}

func (t meteredHTTP) RoundTrip(q *http.Request) (*http.Response, error) {
	resp, err := t.Transport.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{t.m.read(resp.Body), resp.Body}
	return resp, nil
}

func address(ep *transport.Endpoint, port int) string {
	if ep.Port != 0 {
		port = ep.Port
	}
	return net.JoinHostPort(strings.Trim(ep.Host, "[]"), strconv.Itoa(port))
}

// connect opens a connection that is closed when ctx ends, so that a silent peer blocks nobody.
func connect(ctx context.Context, addr string) (conn net.Conn, release func(), err error) {
	conn, err = (&net.Dialer{Timeout: connectPatience}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	return conn, func() { stop() }, nil
}

// dialGit speaks the plain protocol of git daemon.
func dialGit(ctx context.Context, ep *transport.Endpoint, m *meter) (transport.UploadPackSession, error) {
	conn, release, err := connect(ctx, address(ep, 9418))
	if err != nil {
		return nil, err
	}
	err = pktline.NewEncoder(conn).Encodef("git-upload-pack %s\x00host=%s\x00", ep.Path, ep.Host)
	if err != nil {
		release()
		return nil, fmt.Errorf("%w (%w)", err, conn.Close())
	}
	return &stream{out: m.read(conn), in: conn, end: func() error { release(); return conn.Close() }}, nil
}

// dialSSH starts git-upload-pack on the remote.
func dialSSH(ctx context.Context, ep *transport.Endpoint, a Auth, m *meter) (_ transport.UploadPackSession, err error) {
	signers, err := a.signers()
	if err != nil {
		return nil, err
	}
	files, err := knownHosts()
	if err != nil {
		return nil, err
	}
	known, err := gitssh.NewKnownHostsDb(files...)
	if err != nil {
		return nil, fmt.Errorf("read known hosts: %w", err)
	}
	addr := address(ep, 22)
	conn, release, err := connect(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			release()
			_ = conn.Close()
		}
	}()
	//mutant:git-hostkey
	c, chans, reqs, err := ssh.NewClientConn(conn, addr, &ssh.ClientConfig{
		User: ep.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(signers...)},
		HostKeyCallback: known.HostKeyCallback(), HostKeyAlgorithms: known.HostKeyAlgorithms(addr),
	})
	if err != nil {
		return nil, fmt.Errorf("ssh to %s: %w", addr, err)
	}
	client := ssh.NewClient(c, chans, reqs)
	s, err := client.NewSession()
	if err != nil {
		return nil, fmt.Errorf("ssh to %s: %w", addr, err)
	}
	in, err := s.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.Start("git-upload-pack " + quoted(ep.Path)); err != nil {
		return nil, fmt.Errorf("ssh to %s: %w", addr, err)
	}
	return &stream{out: m.read(out), in: in, end: func() error {
		release()
		_ = s.Close()
		return client.Close()
	}}, nil
}

// quoted quotes an argument for the remote shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
