package stream

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// A file of events is records: four bytes with the length of what follows behind the next
// four, those with its checksum (CRC-32C), both with the lowest byte first, and then
//
//	1, the number of the next event, the epoch   from here on the hub of that epoch writes
//	2, number, kind, user, tag, data             an event
//
// where numbers are varints and texts have their length in front; data goes to the end.
const (
	recordStart = 1
	recordEvent = 2

	recordHead = 8
	// maxRecord bounds a record: what is larger is torn.
	maxRecord = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errRecord = errors.New("a record of the file of events cannot be read")

// appendRecord writes one record behind b; fill writes what it holds.
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

// record is one record that was read: an event, or the start of an epoch.
type record struct {
	event Event
	epoch string
	next  uint64 // with an epoch: the number of the next event
}

// readRecord reads the first record of b and gives the rest.
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
