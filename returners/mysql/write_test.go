package mysql

import (
	"errors"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql/mysqltest"
	"github.com/momtree/mom/returners/returnertest"
)

func TestRowsReadAsSaltWritesThem(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	value := wire.NewMap("args", []any{1, "x"}, "kwargs", wire.NewMap("k", "é"))
	full := wire.NewMap("cmd", "_return", "id", "my-01", "success", true, "return", value, "retcode", 0, "jid", returnertest.JID(1),
		"fun", "test.arg", "fun_args", []any{1, wire.NewMap("k", "v")}, "user", "root", "_stamp", "2024-01-01T00:00:00.000000")
	failed := returnertest.Return(t, 1, "my-02", "cmd.run", "out")
	failed.Success = false
	if err := st.SaveReturns(t.Context(), []returners.Return{
		{JID: returnertest.JID(1), ID: "my-01", Fun: "test.arg", Success: true, Value: returnertest.Encode(t, value), Full: returnertest.Encode(t, full)}, failed,
	}); err != nil {
		t.Fatal(err)
	}
	var fun, ret, success, fullRet string
	if err := s.Open(t, name).QueryRowContext(t.Context(), "SELECT fun, `return`, success, full_ret FROM salt_returns WHERE id = 'my-01'").
		Scan(&fun, &ret, &success, &fullRet); err != nil {
		t.Fatal(err)
	}
	if want := `{"args": [1, "x"], "kwargs": {"k": "é"}}`; ret != want {
		t.Errorf("return %s, want %s", ret, want)
	}
	want := `{"cmd": "_return", "id": "my-01", "success": true, "return": {"args": [1, "x"], "kwargs": {"k": "é"}}, "retcode": 0, "jid": "` + returnertest.JID(1) +
		`", "fun": "test.arg", "fun_args": [1, {"k": "v"}], "user": "root", "_stamp": "2024-01-01T00:00:00.000000"}`
	if fullRet != want || fun != "test.arg" || success != "1" {
		t.Errorf("%s, %s:\n got %s\nwant %s", fun, success, fullRet, want)
	}
	if n := returnertest.Count(t, s.Open(t, name), "SELECT COUNT(*) FROM salt_returns WHERE success = '0' AND id = 'my-02'"); n != 1 {
		t.Error("a failure is not stored as 0")
	}
}

func TestTooLargeForTheServerIsTheRowsFault(t *testing.T) {
	s := mysqltest.Start(t, "--max-allowed-packet=1M")
	st := open(t, s, s.Database(t))
	err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "big", "cmd.run", strings.Repeat("x", 3<<20))})
	if !errors.Is(err, returners.ErrRejected) || !strings.Contains(err.Error(), "max_allowed_packet") {
		t.Errorf("got %v", err)
	}
	if err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "fits", "cmd.run", strings.Repeat("x", 300<<10))}); err != nil {
		t.Errorf("the connection is of no use afterwards: %v", err)
	}
}

func TestUserKeyThatDoublesIsNoError(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A trigger rejects one row: an error of the row.
	s.Exec(t, name, "CREATE TRIGGER refuse BEFORE INSERT ON salt_returns FOR EACH ROW BEGIN IF NEW.id = 'bad' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF; END")
	err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "bad", "test.ping", true)})
	if !errors.Is(err, returners.ErrRejected) || returners.Class(err) != returners.ClassData {
		t.Errorf("trigger: %v", err)
	}
	// A trigger that reports 1062, as a unique key of another table would.
	s.Exec(t, name, "DROP TRIGGER refuse; CREATE TRIGGER twice BEFORE INSERT ON salt_returns FOR EACH ROW BEGIN IF NEW.id = 'dup' THEN "+
		"SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'Duplicate entry'; END IF; END")
	var rets []returners.Return
	for _, id := range []string{"a", "dup", "z"} {
		rets = append(rets, returnertest.Return(t, 2, id, "test.ping", true))
	}
	if err := st.SaveReturns(t.Context(), rets); err != nil {
		t.Errorf("1062: %v", err)
	}
	if n := returnertest.Count(t, s.Open(t, name), "SELECT COUNT(*) FROM salt_returns"); n != 2 || st.Stats().Duplicates != 1 {
		t.Errorf("%d rows, %+v", n, st.Stats())
	}
}
