package broker

import (
	"encoding/json"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Schema is the value of the field schema: the version of the document of an event.
const Schema = 1

// stampFormat is RFC 3339 in UTC with microseconds.
const stampFormat = "2006-01-02T15:04:05.000000Z"

// Message is what a broker gets.
type Message struct {
	// ID is the same in each delivery of one message.
	ID string
	// Order is the same for messages whose order is kept.
	Order string
	// Document is JSON.
	Document []byte
}

// head is the document of an event without its last field, data. docs/guide/events-out.md has the
// schema.
type head struct {
	Schema   int    `json:"schema"`
	ID       string `json:"id"`
	Tag      string `json:"tag"`
	Stamp    string `json:"stamp"`
	MasterID string `json:"master_id"`
	Minion   string `json:"minion,omitempty"`
}

// OfEvent returns the message of an event. The order is kept per minion, and per master for events
// about no minion. The error is ErrInvalid.
func OfEvent(e returners.Event) (Message, error) {
	data, err := plainJSON(e.Data)
	if err != nil {
		return Message{}, fmt.Errorf("write event %q as JSON: %w: %w", e.Tag, returners.ErrInvalid, err)
	}
	minion := about(e.Data)
	text, err := json.Marshal(head{Schema: Schema, ID: e.Key, Tag: e.Tag, Stamp: e.At.UTC().Format(stampFormat), MasterID: e.MasterID, Minion: minion})
	if err != nil {
		return Message{}, fmt.Errorf("write event %q as JSON: %w: %w", e.Tag, returners.ErrInvalid, err)
	}
	text = append(text[:len(text)-1], `,"data":`...)
	m := Message{ID: e.Key, Order: minion, Document: append(append(text, data...), '}')}
	if minion == "" {
		m.Order = e.MasterID
	}
	return m, nil
}

// about returns the id of the minion that an event is about, "" if it names none.
func about(data wire.Raw) string {
	v, err := wire.Field(data, "id")
	if err != nil || v == nil {
		return ""
	}
	id, err := wire.Str(v)
	if err != nil {
		return ""
	}
	return id
}

// OfReturn returns the message of a return: Salt's return load as JSON. The error is ErrInvalid.
func OfReturn(r returners.Return) (Message, error) {
	text, err := plainJSON(r.Full)
	if err != nil {
		return Message{}, fmt.Errorf("write the return of %s to job %s as JSON: %w: %w", r.ID, r.JID, returners.ErrInvalid, err)
	}
	return Message{ID: r.JID + "/" + r.ID, Order: r.ID, Document: text}, nil
}

func plainJSON(raw wire.Raw) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("null"), nil
	}
	return wire.ToPlainJSON(raw)
}
