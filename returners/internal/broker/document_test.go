package broker

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

func data(t *testing.T, pairs ...any) wire.Raw {
	t.Helper()
	raw, err := wire.Encode(wire.NewMap(pairs...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// The document has the fields of docs/guide/events-out.md, and is valid JSON whatever a minion sends.
func TestOfEvent(t *testing.T) {
	at := time.Date(2026, 11, 28, 1, 2, 3, 4000, time.UTC)
	e := returners.Event{Key: "top/1", Tag: "salt/job/1/ret/web1", Data: data(t, "id", "web1", "return", true), MasterID: "top", At: at}
	m, err := OfEvent(e)
	want := `{"schema":1,"id":"top/1","tag":"salt/job/1/ret/web1","stamp":"2026-11-28T01:02:03.000004Z","master_id":"top","minion":"web1","data":{"id": "web1", "return": true}}`
	if err != nil || string(m.Document) != want || m.ID != "top/1" || m.Order != "web1" {
		t.Errorf("got %+v %s, %v; want %s", m, m.Document, err, want)
	}
	e.Data, e.Tag = data(t, "nan", math.NaN(), "inf", math.Inf(-1), "bytes", "a\xff\xfeb\xffc", "quote", "\"\n", "\xffkey", 1), "odd/\xff"
	m, err = OfEvent(e)
	if err != nil || m.Order != "top" {
		t.Fatalf("%+v, %v", m, err)
	}
	var got struct {
		Tag    string
		Minion *string
		Data   map[string]any
	}
	if err := json.Unmarshal(m.Document, &got); err != nil {
		t.Fatalf("%v in %s", err, m.Document)
	}
	if got.Minion != nil || got.Data["nan"] != nil || got.Data["inf"] != nil || got.Data["bytes"] != "a\uFFFDb\uFFFDc" || got.Data["quote"] != "\"\n" ||
		got.Data["\uFFFDkey"] != 1.0 || got.Tag != "odd/\uFFFD" || strings.Contains(string(m.Document), `\ud`) {
		t.Errorf("%s", m.Document)
	}
	e.Data = nil
	if m, err := OfEvent(e); err != nil || !strings.HasSuffix(string(m.Document), `,"data":null}`) {
		t.Errorf("%s, %v", m.Document, err)
	}
	e.Data = wire.Raw{0xc1}
	if _, err := OfEvent(e); !errors.Is(err, returners.ErrInvalid) {
		t.Errorf("junk: %v", err)
	}
}

func TestOfReturn(t *testing.T) {
	m, err := OfReturn(returners.Return{JID: "1", ID: "web1", Full: data(t, "jid", "1")})
	if err != nil || string(m.Document) != `{"jid": "1"}` || m.ID != "1/web1" || m.Order != "web1" {
		t.Errorf("%+v %s, %v", m, m.Document, err)
	}
}
