package modules

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"github.com/momtree/mom/value"
)

func init() {
	Register("status",
		Function{Name: "w", Run: statusW, Doc: `
List the logged-in users and their commands: user, tty, login time, idle time,
processor time of the terminal (jcpu) and of the foreground command (pcpu), and
that command.

CLI Example:

    salt '*' status.w
`},
	)
}

// session is one login in the utmp file.
type session struct {
	user, line string
	login      time.Time
}

// utmpSize is the length of a record on Linux, on 32 and 64 bits.
const utmpSize = 384

// utmpUser marks the record of a login.
const utmpUser = 7

func readUtmp() ([]session, error) {
	for _, path := range []string{"/run/utmp", "/var/run/utmp"} {
		if b, err := os.ReadFile(path); err == nil {
			return parseUtmp(b), nil
		}
	}
	return nil, os.ErrNotExist
}

// parseUtmp parses login records and ignores a truncated one.
func parseUtmp(b []byte) []session {
	var out []session
	for ; len(b) >= utmpSize; b = b[utmpSize:] {
		if int16(binary.NativeEndian.Uint16(b)) != utmpUser {
			continue
		}
		out = append(out, session{
			line:  cString(b[8:40]),
			user:  cString(b[44:76]),
			login: time.Unix(int64(int32(binary.NativeEndian.Uint32(b[340:]))), 0),
		})
	}
	return out
}

func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

func statusW(context.Context, *Call) (any, error) {
	list := []any{}
	sessions, err := readUtmp()
	if err != nil || len(sessions) == 0 {
		return list, nil // a host without the file has no logins
	}
	procs, now := listProcs(), time.Now()
	for _, s := range sessions {
		list = append(list, describeSession(s, procs, now))
	}
	return list, nil
}

func describeSession(s session, procs []proc, now time.Time) *value.Map {
	idle, jcpu, pcpu, what := "?", int64(0), int64(0), "-"
	if used, number, ok := terminalOf(s.line); ok {
		idle = spanText(now.Sub(used))
		for _, p := range procs {
			if p.stat.tty != number {
				continue
			}
			jcpu += p.stat.ticks
			if p.stat.pgrp == p.stat.tpgid {
				pcpu, what = p.stat.ticks, p.cmd
			}
		}
	}
	return value.NewMap(
		"idle", idle, "jcpu", ticksText(jcpu), "login", loginText(s.login, now), "pcpu", ticksText(pcpu),
		"tty", s.line, "user", s.user, "what", what,
	)
}

func ticksText(ticks int64) string { return spanText(time.Duration(ticks) * 10 * time.Millisecond) }

// spanText formats a duration as w does: 3.00s, 1:02, 2:05m, 3days.
func spanText(d time.Duration) string {
	switch d = max(d, 0); {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%ddays", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%d:%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%d:%02d", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%.2fs", d.Seconds())
}

// loginText formats a login time as w does: the hour if it is today, the weekday within a
// week, else the date.
func loginText(t, now time.Time) string {
	switch age := now.Sub(t); {
	case age < 12*time.Hour || age < 24*time.Hour && t.Day() == now.Day():
		return t.Format("15:04")
	case age < 7*24*time.Hour:
		return t.Format("Mon15")
	}
	return t.Format("02Jan06")
}
