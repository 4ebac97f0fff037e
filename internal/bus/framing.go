package bus

import (
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/logs"
)

// Auto chooses the framing of each reader by the Salt that it runs, Bare where that is
// not known. Readers never say anything, so there is nothing else to go by.
const Auto Framing = "auto"

// installation describes the Salt that a process runs. The zero value means none was found.
type installation struct {
	version string // "" where nothing says it
	// sources says that the files which read the local sockets could be read, ipcLength and
	// tcpLength that salt/transport/ipc.py and tcp.py unpack a length before each event.
	sources, ipcLength, tcpLength bool
}

// known says whether a Salt was found.
func (i installation) known() bool { return i.version != "" || i.sources }

// reads gives the framing that readers of a Salt understand (Salt wire reference §11.2), by what
// its files do; where they cannot be read, Length since 3006.27, within 3006, and Bare in all
// others.
func (i installation) reads() Framing {
	release, n := parts(i.version)
	if i.sources && i.ipcLength || !i.sources && release == 3006 && n >= 27 {
		return Length
	}
	return Bare
}

// takes gives the framing in which a master of a Salt takes events: where its files cannot be
// read, as it reads them, and Length since 3007.15 and 3008.2.
func (i installation) takes() Framing {
	if i.sources {
		if i.ipcLength || i.tcpLength {
			return Length
		}
		return Bare
	}
	switch release, n := parts(i.version); {
	case release == 3007 && n >= 15, release == 3008 && n >= 2, release > 3008:
		return Length
	}
	return i.reads()
}

// parts reads "3006.27", behind which more may stand; 0 for what is no number.
func parts(version string) (release, number int) {
	first, rest, _ := strings.Cut(version, ".")
	if end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		rest = rest[:end]
	}
	release, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0
	}
	number, _ = strconv.Atoi(rest) // 0 where there is none
	return release, number
}

// framingFor chooses how events are cut apart for one reader. One that would not
// understand what the configuration says is told of: it waits for ever, and nothing
// else shows why.
func (s *Server) framingFor(c net.Conn) Framing {
	salt := peerSalt(c)
	if s.cfg.Framing == Auto {
		//mutant:event-form-per-reader
		return salt.reads()
	}
	//mutant:event-form-mismatch-is-reported
	if salt.known() && salt.reads() != s.cfg.Framing {
		if n := s.misframed.Note(salt.version, time.Now()); n > 0 {
			s.cfg.Log.Warn("a Salt program reads the event bus in another framing and will see no events",
				"salt", salt.version, "ipc_framing", string(s.cfg.Framing), "needs", string(salt.reads()), "hint", "set ipc_framing: auto", "count", n)
		}
	}
	return s.cfg.Framing
}

// misframed keeps that warning from filling the log.
type misframed = logs.Throttle[string]
