package stream

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// An event file is a sequence of records. A record is the length of its body, the CRC-32C of its body,
// both in four bytes, little endian, and the body:
//
//	1, the number of the next event, the epoch   the hub of that epoch writes from here on
//	2, number, kind, user, tag, data             an event
//
// Numbers are varints. Texts follow their length; data extends to the end.
const (
	recordStart = 1
	recordEvent = 2

	recordHead = 8
	// maxRecord bounds a record. A larger one is damaged.
	maxRecord = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errRecord = errors.New("unreadable record in the event file")

// appendRecord appends a record to b. fill appends its body.
func appendRecord(b []byte, fill func([]byte) []byte) []byte {
	at := len(b)
	b = fill(append(b, make([]byte, recordHead)...))
	body := b[at+recordHead:]
	binary.LittleEndian.PutUint32(b[at:], uint32(len(body)))
	binary.LittleEndian.PutUint32(b[at+4:], crc32.Checksum(body, castagnoli))
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendStart(b []byte, epoch string, next uint64) []byte {
	return appendRecord(b, func(b []byte) []byte {
		return append(binary.AppendUvarint(append(b, recordStart), next), epoch...)
	})
}

func appendEvent(b []byte, e Event) []byte {
	return appendRecord(b, func(b []byte) []byte {
		b = append(binary.AppendUvarint(append(b, recordEvent), e.Seq), byte(e.For.Kind))
		return append(appendText(appendText(b, e.For.User), e.Tag), e.Data...)
	})
}

// record is an event, or the start of an epoch.
type record struct {
	event Event
	epoch string
	next  uint64 // the number of the next event, with an epoch
}

// readRecord reads the first record of b and returns the rest.
func readRecord(b []byte) (r record, rest []byte, err error) {
	if len(b) < recordHead {
		return r, b, errRecord
	}
	n, sum := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if n < 2 || n > maxRecord || uint64(n) > uint64(len(b)-recordHead) {
		return r, b, errRecord
	}
	body, rest := b[recordHead:recordHead+int(n)], b[recordHead+int(n):]
	if crc32.Checksum(body, castagnoli) != sum {
		return r, b, errRecord
	}
	kind := body[0]
	seq, size := binary.Uvarint(body[1:])
	if size <= 0 {
		return r, b, errRecord
	}
	body = body[1+size:]
	switch kind {
	case recordStart:
		if len(body) == 0 || seq == 0 {
			return r, b, errRecord
		}
		return record{epoch: string(body), next: seq}, rest, nil
	case recordEvent:
		if len(body) == 0 || body[0] > byte(Notice) || seq == 0 {
			return r, b, errRecord
		}
		e := Event{Seq: seq, For: Audience{Kind: Kind(body[0])}}
		var ok bool
		if e.For.User, body, ok = cutText(body[1:]); ok {
			e.Tag, body, ok = cutText(body)
		}
		if !ok {
			return r, b, errRecord
		}
		e.Data = body
		return record{event: e}, rest, nil
	}
	return r, b, errRecord
}

func cutText(b []byte) (text string, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return "", nil, false
	}
	end := size + int(n)
	return string(b[size:end]), b[end:], true
}
