package config

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
)

// option is a row of the table of options, read from the struct tags.
type option struct {
	name   string
	index  []int
	typ    reflect.Type
	def    string
	hasDef bool
	unit   time.Duration // for a time.Duration
	min    *float64      // in the unit of the file
	max    *float64
	oneof  []string
	// lenient reports that a default replaces an unknown word, with a warning, since Salt
	// starts with it too. Other options refuse unknown words.
	lenient bool
	// returners says which registered returners are allowed, too: "jobs", "events" or "".
	returners string
	secret    bool
}

var units = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour}

var durationType = reflect.TypeFor[time.Duration]()

var (
	masterTable = sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[Master]()) })
	minionTable = sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[Minion]()) })

	mysqlTable    = sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[MySQLOptions]()) })
	pgjsonbTable  = sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[PgjsonbOptions]()) })
	pillarTable   = sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[PostgresPillarOptions]()) })
	postgresTable = sync.OnceValue(func() map[string]option { return table(reflect.TypeFor[PostgresOptions]()) })
)

func table(t reflect.Type) map[string]option {
	out := map[string]option{}
	for _, f := range reflect.VisibleFields(t) {
		name := strings.Split(f.Tag.Get("yaml"), ",")[0]
		if name == "" {
			continue
		}
		o := option{name: name, index: f.Index, typ: f.Type, secret: f.Tag.Get("secret") == "yes"}
		o.def, o.hasDef = f.Tag.Lookup("default")
		if f.Type == durationType {
			o.unit = units[f.Tag.Get("unit")]
		}
		o.min, o.max = bound(f.Tag.Get("min")), bound(f.Tag.Get("max"))
		if s := f.Tag.Get("oneof"); s != "" {
			o.oneof = strings.Fields(s)
		}
		o.lenient = f.Tag.Get("unknown") == "default"
		o.returners = f.Tag.Get("returners")
		out[name] = o
	}
	return out
}

func bound(s string) *float64 {
	if s == "" {
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("config: wrong bound " + s)
	}
	return &f
}

// setDefaults sets the fields of a struct to the defaults in their tags.
func setDefaults(v reflect.Value, t map[string]option) {
	for _, o := range t {
		if !o.hasDef {
			continue
		}
		def := SystemDefault(o.def)
		if _, err := o.assign(v.FieldByIndex(o.index), pyfmt.YAMLScalar(def), def); err != nil {
			panic("config: default of " + o.name + ": " + err.Error())
		}
	}
}
