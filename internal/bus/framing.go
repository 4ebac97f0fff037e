package bus

import (
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/logs"
)

// Auto selects the framing of each reader by the Salt that it runs, and Bare if that is
// unknown. Readers never send anything, so it cannot be negotiated.
const Auto Framing = "auto"

// installation describes the Salt that a process runs. The zero value means that none was
// found.
type installation struct {
	version string // "" if unknown
	// sources reports whether the files that read the local sockets are readable. ipcLength and
	// tcpLength report whether salt/transport/ipc.py and tcp.py unpack a length before each
	// event.
	sources, ipcLength, tcpLength bool
}

// known reports whether a Salt was found.
func (i installation) known() bool { return i.version != "" || i.sources }

// reads returns the framing that readers of a Salt understand (Salt wire reference §11.2),
// according to its files. If they are not readable, it is Length since 3006.27 within 3006, and
// Bare in all others.
func (i installation) reads() Framing {
	release, n := parts(i.version)
	if i.sources && i.ipcLength || !i.sources && release == 3006 && n >= 27 {
		return Length
	}
	return Bare
}

// takes returns the framing in which a master of a Salt accepts events. If its files are not
// readable, it is as for readers, and Length since 3007.15 and 3008.2.
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

// parts parses a version such as "3006.27", with or without a suffix; a part that is not a
// number is 0.
func parts(version string) (release, number int) {
	first, rest, _ := strings.Cut(version, ".")
	if end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		rest = rest[:end]
	}
	release, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0
	}
	number, _ = strconv.Atoi(rest) // 0 if it is missing
	return release, number
}

// framingFor returns the framing for a reader. It logs a reader that does not understand the
// configured framing: that reader would wait forever, and nothing else shows why.
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

// misframed limits how often that warning is logged.
type misframed = logs.Throttle[string]
